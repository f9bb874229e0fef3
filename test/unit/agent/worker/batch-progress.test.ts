import { describe, expect, it } from 'vitest';
import { BatchProgress } from '../../../../agent/worker/batch-progress.ts';
import { createPlan, DEFAULT_LIMITS } from '../../../support/plan-fixture.ts';
import { even, phase } from '../../../support/trial-plan.ts';

const SECOND = 1e9;

function progress(): BatchProgress {
  return new BatchProgress({
    ...createPlan(),
    limits: { ...DEFAULT_LIMITS, timeoutNs: 10 * SECOND },
    phases: [phase('load', 0, SECOND, even(1, 1)), phase('batch', SECOND, 0, { kind: 'all-at-once', count: 2 })],
  });
}

describe('R059 whether a batch is worked off', () => {
  it('is so when each of it has left, and before anything came', () => {
    const batches = progress();
    expect(batches.isWorkedOff(0)).toBe(true);
    for (const turn of [0, 0]) batches.accepted({ phase: 1, turn }, SECOND);
    batches.sent({ phase: 1, turn: 0 }, 2 * SECOND);
    expect(batches.isWorkedOff(2 * SECOND)).toBe(false);
    batches.sent({ phase: 1, turn: 0 }, 3 * SECOND);
    expect(batches.isWorkedOff(3 * SECOND)).toBe(true);
  });

  it('is about batches alone: not arrivals of other phases, nor later turns of sessions', () => {
    const batches = progress();
    batches.accepted({ phase: 0, turn: 0 }, 0);
    batches.accepted({ phase: 1, turn: 1 }, 0);
    expect(batches.isWorkedOff(0)).toBe(true);
  });

  it('is given up when nothing has left for longer than a connection and an answer may take', () => {
    const batches = progress();
    for (const turn of [0, 0]) batches.accepted({ phase: 1, turn }, 0);
    batches.sent({ phase: 1, turn: 0 }, 5 * SECOND);
    expect(batches.isWorkedOff(27 * SECOND)).toBe(false);
    expect(batches.isWorkedOff(28 * SECOND)).toBe(true);
  });

  it('does not go forward by requests that end without having left: their target takes nothing', () => {
    const batches = progress();
    for (const turn of [0, 0, 0]) batches.accepted({ phase: 1, turn }, 0);
    batches.endedUnsent({ phase: 1, turn: 0 });
    expect(batches.isWorkedOff(10 * SECOND)).toBe(false);
    expect(batches.isWorkedOff(23 * SECOND)).toBe(true);
    for (const turn of [0, 0]) batches.endedUnsent({ phase: 1, turn });
    expect(batches.isWorkedOff(0)).toBe(true);
  });
});
