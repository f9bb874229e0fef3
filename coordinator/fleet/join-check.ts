/** Whether an agent may join, decided from what it says of itself (design §8). Pure; every refusal names both sides' values. */
import type { Join } from '../../shared/rpc/control-message.ts';
import { PROTOCOL } from '../../shared/rpc/protocol.ts';
import { goldenScheduleSha256 } from '../../shared/schedule/golden-schedule.ts';

/** Most worker threads of one agent; a host with more cores runs more agents. */
const WORKERS_MAX = 1024;

/** The reason to refuse `join`, or null. `liveIncarnation`: of a connected member with the same id. */
export function refusalOf(join: Join, liveIncarnation: string | null): string | null {
  if (join.protocol !== PROTOCOL) {
    return (
      `agent ${join.agentId} speaks protocol ${join.protocol} (loadfleet ${join.loadfleetVersion}), ` +
      `this coordinator ${PROTOCOL}: a fleet is deployed as one`
    );
  }
  if (join.goldenDigest !== goldenScheduleSha256) {
    return (
      `agent ${join.agentId} computes another golden schedule (${join.goldenDigest}, expected ${goldenScheduleSha256}): ` +
      `its share of a plan would not be ours (node ${join.nodeVersion})`
    );
  }
  if (join.workers < 1 || join.workers > WORKERS_MAX) {
    return `agent ${join.agentId} offers ${join.workers} workers, must be in 1..${WORKERS_MAX}`;
  }
  if (liveIncarnation !== null && liveIncarnation !== join.incarnation) {
    return `agent id ${join.agentId} is taken by a connected agent (incarnation ${liveIncarnation})`;
  }
  return null;
}
