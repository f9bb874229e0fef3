import { describe, expect, it } from 'vitest';
import { TrialWork } from '../../../../agent/session/trial-work.ts';
import type { WorkerThread } from '../../../../agent/session/worker-crew.ts';
import type { FromWorker, ToWorker } from '../../../../agent/worker/worker-messages.ts';
import { createRecordingBlock, record } from '../../../../shared/histogram/recording-block.ts';
import { COUNTER, createCounterCell } from '../../../../shared/metrics/counters.ts';
import { REPORTS_UNACKNOWLEDGED_MAX } from '../../../../shared/rpc/protocol.ts';
import { decodeReport } from '../../../../shared/rpc/report-codec.ts';
import type { ReportMessage } from '../../../../shared/rpc/report-message.ts';
import { createPlan } from '../../../support/plan-fixture.ts';
import { EMPTY_HANDOVER } from '../../../support/handover-fixture.ts';

const sender = { agentId: 'a', incarnation: 'i' };

function trialOf(slots: readonly number[], perRequestLimit: number | null = null): TrialWork {
  const base = createPlan();
  const plan = { ...base, output: { ...base.output, perRequestLimit } };
  const grants = slots.map((slot) => ({ slot, lanes: Int32Array.of(slot), epoch: 0, fromNs: 0 }));
  const run = { runId: 'run-1', trial: 0 };
  return new TrialWork(
    {
      arm: { kind: 'arm', run, planJson: new Uint8Array(0), planSha256: '', grants, workerSlots: 8, laneCount: 64 },
      plan,
      blobs: new Map(),
      pacing: { mode: 'timer', text: 'timer' },
    },
    sender,
  );
}

function handoverOf(slot: number, window: number, ok: number): Extract<FromWorker, { kind: 'handover' }> {
  const scope = { kind: 'window', phase: 0, window } as const;
  const cell = createCounterCell();
  cell[COUNTER.ok] = ok;
  const block = createRecordingBlock();
  for (let i = 0; i < ok; i += 1) record(block, 1000 + i);
  return {
    kind: 'handover',
    slot,
    handover: {
      ...EMPTY_HANDOVER,
      completeBelowWindow: window,
      decidedThroughNs: (window + 1) * 1e9,
      counters: [{ scope, cell }],
      series: [{ scope, metric: 'response', status: 'ok', block }],
    },
  };
}

function thread(): WorkerThread & { readonly posted: ToWorker[] } {
  const posted: ToWorker[] = [];
  return { cells: new Int32Array(2), post: (message) => posted.push(message), posted };
}

function okIn(messages: readonly ReportMessage[]): number {
  return messages
    .flatMap((message) => decodeReport(message).counters)
    .reduce((sum, { cell }) => sum + (cell[COUNTER.ok] as number), 0);
}

describe('R081 reports while nothing is answered', () => {
  it('at most 8 are numbered; what comes later is one pending report, and nothing is lost', () => {
    const trial = trialOf([0]);
    for (let window = 0; window < 60; window += 1) {
      trial.takeHandover(handoverOf(0, window, 3), thread());
      trial.reportNews();
    }
    const waiting = trial.waitingAfter(0);
    expect(waiting).toHaveLength(REPORTS_UNACKNOWLEDGED_MAX);
    trial.answered({ kind: 'applied', key: waiting[0]!.key });
    trial.reportNews();
    const folded = trial.waitingAfter(8);
    expect(folded).toHaveLength(1);
    expect(decodeReport(folded[0]!)).toMatchObject({ firstWindow: 8, lastWindow: 59 });
    expect(okIn([...waiting, ...folded])).toBe(180);
  });

  it('the final report waits for room and then holds all that is left, and the cumulative books', () => {
    const trial = trialOf([0]);
    for (let window = 0; window < 12; window += 1) {
      trial.takeHandover(handoverOf(0, window, 1), thread());
      trial.reportNews();
    }
    trial.workerFinished(0);
    expect(trial.isOver).toBe(true);
    trial.reportFinal();
    expect(trial.waitingAfter(0)).toHaveLength(8);
    const sent = trial.waitingAfter(0);
    trial.answered({ kind: 'duplicate', key: sent[3]!.key });
    const final = trial.waitingAfter(8);
    expect(final).toHaveLength(1);
    const report = decodeReport(final[0]!);
    expect(report.final?.[COUNTER.ok]).toBe(12);
    expect(report.workers).toEqual([{ slot: 0, decidedThroughNs: 12e9, state: 'finished' }]);
    expect(okIn([...sent, ...final])).toBe(12);
    for (const { key } of [...sent.filter(({ key }) => key.seq !== 4), ...final]) {
      expect(trial.isAnswered).toBe(false);
      trial.answered({ kind: 'applied', key });
    }
    expect(trial.isAnswered).toBe(true);
  });

  it('there is one final report, and none after it', () => {
    const trial = trialOf([0]);
    trial.reportFinal();
    trial.reportFinal();
    trial.takeHandover(handoverOf(0, 0, 1), thread());
    trial.reportNews();
    expect(trial.waitingAfter(0)).toHaveLength(1);
  });

  it('a rejected report is done with: it is not sent for ever', () => {
    const trial = trialOf([0]);
    trial.reportFinal();
    const [{ key }] = trial.waitingAfter(0) as [ReportMessage];
    expect(trial.answered({ kind: 'rejected', key, reason: 'no' })).toBe(true);
    expect(trial.isAnswered).toBe(true);
  });

  it('nothing new, nothing said', () => {
    const trial = trialOf([0]);
    trial.reportNews();
    expect(trial.waitingAfter(0)).toEqual([]);
  });
});

describe('the workers of a trial', () => {
  it('get what they were granted, and their buffers back', () => {
    const trial = trialOf([4, 5]);
    expect(trial.assignmentOf(1)).toMatchObject({ runId: 'run-1', slot: 5, lanes: Int32Array.of(5), pacing: 'timer' });
    expect(trial.assignmentOf(2)).toBeNull();
    const worker = thread();
    trial.takeHandover(handoverOf(4, 0, 2), worker);
    expect(worker.posted).toMatchObject([{ kind: 'recycle', blocks: [{ count: 0 }] }]);
  });

  it.each([100, 3, 8])('shares %i lines of requests out over all slots of the run', (limit) => {
    const slots = [0, 1, 2, 3, 4, 5, 6, 7];
    const trial = trialOf(slots, limit);
    const shares = slots.map((thread) => trial.assignmentOf(thread)?.recordLimit ?? 0);
    expect(shares.reduce((sum, share) => sum + share, 0)).toBe(limit);
    expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
    expect(trialOf(slots).assignmentOf(0)?.recordLimit).toBeNull();
  });

  it('are armed when the last one is; what they send with is named once', () => {
    const trial = trialOf([4, 5, 6]);
    expect(trial.workerArmed(4, 'undici http/1.1')).toBe(false);
    expect(trial.workerArmed(4, 'undici http/1.1')).toBe(false);
    expect(trial.workerArmed(6, 'wire http/1.1')).toBe(false);
    expect(trial.workerArmed(5, 'undici http/1.1')).toBe(true);
    expect(trial.clientName).toBe('undici http/1.1, wire http/1.1');
  });
});
