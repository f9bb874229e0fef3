/** What an agent says first, as every coordinator takes it; tests change what they are about. */
import type { Join } from '../../shared/rpc/control-message.ts';
import { goldenScheduleSha256 } from '../../shared/schedule/golden-schedule.ts';
import { PROTOCOL } from '../../shared/rpc/protocol.ts';

/** The first words of agent `agentId`, which has one core and one worker. */
export function createJoin(agentId: string): Join {
  return {
    kind: 'join',
    protocol: PROTOCOL,
    agentId,
    incarnation: 'start-1',
    region: null,
    labels: {},
    cores: 1,
    workers: 1,
    nodeVersion: 'v26',
    loadfleetVersion: '0.1.0',
    goldenDigest: goldenScheduleSha256,
    current: null,
  };
}
