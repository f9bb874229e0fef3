import { describe, expect, it } from 'vitest';
import { createClientCounters, type ProtocolClient } from '../../../../agent/client/protocol-client.ts';
import { WorkerThread } from '../../../../agent/worker/worker-thread.ts';
import { CONTROL_CELLS, type FromWorker } from '../../../../agent/worker/worker-messages.ts';
import { allLanes } from '../../../../shared/schedule/deal.ts';
import { createPlan } from '../../../support/plan-fixture.ts';

const SILENT: ProtocolClient = {
  name: 'silent',
  counters: createClientCounters(),
  decodingCount: 0,
  prepare: () => new Promise(() => undefined),
  send: () => ({ abort: () => undefined }),
  gauges: () => [],
  takeWarnings: () => [],
  close: () => Promise.resolve(),
};

describe('a worker that arms', () => {
  it('R017 does not wait for a target that takes connections and stays silent: its requests will tell', async () => {
    const due: (() => void)[] = [];
    const posted: FromWorker[] = [];
    let clients = 0;
    const thread = new WorkerThread({
      cells: new Int32Array(Object.keys(CONTROL_CELLS).length),
      hostClock: { nowNs: () => 0 },
      scheduler: {
        soon: (turn) => void due.push(turn),
        later: (turn) => (due.push(turn), () => undefined),
        block: () => undefined,
      },
      readIdleNs: () => 0,
      takeGcPauses: () => null,
      createClient: () => {
        clients += 1;
        // The first one is for preheat, which arms without it.
        if (clients === 1) throw new Error('no preheat in this test');
        return SILENT;
      },
      post: (message) => void posted.push(message),
      onExit: () => undefined,
    });
    const plan = createPlan();
    const lanes = allLanes(plan.laneCount);
    const assignment = { runId: 'run', trial: 0, plan, blobs: new Map(), slot: 0, lanes };
    thread.receive({ kind: 'arm', assignment: { ...assignment, pacing: 'timer', recordLimit: null } });
    await expect.poll(() => due.length).toBe(1);
    expect(posted).toEqual([]);
    due[0]?.();
    await expect.poll(() => posted.map(({ kind }) => kind)).toEqual(['armed']);
  });
});
