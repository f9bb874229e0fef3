import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReportOutbox, type UnnumberedReport } from '../../../agent/uplink/report-outbox.ts';
import { createRunMerge, type RunMerge } from '../../../coordinator/merge/run-merge.ts';
import { createRecordingBlock, record } from '../../../shared/histogram/recording-block.ts';
import { Histogram } from '../../../shared/histogram/histogram.ts';
import { encodeSparse } from '../../../shared/histogram/sparse-histogram.ts';
import { COUNTER, createCounterCell } from '../../../shared/metrics/counters.ts';
import { decodeReport } from '../../../shared/rpc/report-codec.ts';
import { createPlan } from '../../support/plan-fixture.ts';

const plan = createPlan({ durationNs: 20e9 });
const sender = { runId: 'run-1', trial: 0, agentId: 'a', incarnation: 'i' };

/** What one window of the agent holds. */
interface Window {
  readonly window: number;
  readonly values: readonly number[];
}

function reportOf({ window, values }: Window, final: number | null): UnnumberedReport {
  const scope = { kind: 'window', phase: 0, window } as const;
  const cell = createCounterCell();
  cell[COUNTER.ok] = values.length;
  const block = createRecordingBlock();
  for (const value of values) record(block, value);
  const books = createCounterCell();
  books[COUNTER.ok] = final ?? 0;
  return {
    firstWindow: window,
    lastWindow: window,
    counters: [{ scope, cell }],
    series: [{ scope, metric: 'response', status: 'ok', samples: encodeSparse(block) }],
    workers: [{ slot: 0, decidedThroughNs: (window + 1) * 1e9, state: final === null ? 'running' : 'finished' }],
    failures: [],
    telemetry: [],
    fidelity: [],
    requests: [],
    warnings: [],
    final: final === null ? null : books,
  };
}

function newMerge(): RunMerge {
  return createRunMerge({ runId: 'run-1', trial: 0, plan, slots: [{ slot: 0, agentId: 'a', incarnation: 'i' }] });
}

/** Everything the merge can tell of the agent. */
function stateOf(merge: RunMerge): unknown {
  const response = new Histogram();
  merge.senders[0]?.measured.addSeriesTo('response', 'ok', response);
  return {
    total: merge.senders[0]?.total(),
    completeness: merge.completenessOf('a', 'i'),
    progress: merge.progressOf(0),
    response: encodeSparse(response),
  };
}

describe('R072 a report counts once, whatever the wire does', () => {
  const windows = fc
    .array(fc.array(fc.integer({ min: 0, max: 1e12 }), { maxLength: 6 }), { minLength: 1, maxLength: 20 })
    .map((all) => all.map((values, window): Window => ({ window, values })));
  /** What happens to each transmission: carried, lost on the way there, or answered in vain. */
  const fates = fc.infiniteStream(fc.constantFrom('carried', 'carried', 'lost', 'answer lost', 'repeated'));

  it('cuts, resends and repeats leave exactly what one perfect delivery leaves', () => {
    fc.assert(
      fc.property(windows, fates, (all, wire) => {
        const total = all.reduce((sum, { values }) => sum + values.length, 0);
        const perfect = newMerge();
        const real = newMerge();
        const outbox = new ReportOutbox(sender);
        const unsent = [...all];
        for (let step = 0; unsent.length > 0 || !outbox.isEmpty; step += 1) {
          while (unsent.length > 0 && outbox.hasRoom) {
            const next = unsent.shift() as Window;
            outbox.number(reportOf(next, unsent.length === 0 ? total : null));
          }
          // A new link: everything unanswered goes out again, in order, until the link breaks.
          for (const message of outbox.waitingAfter(0)) {
            const fate = step > 200 ? 'carried' : wire.next().value;
            if (fate === 'lost') break;
            const outcome = real.apply(decodeReport(message));
            if (outcome.kind === 'applied') perfect.apply(decodeReport(message));
            if (fate === 'repeated') expect(real.apply(decodeReport(message)).kind).toBe('duplicate');
            if (fate === 'answer lost') break;
            outbox.answered(message.key);
          }
        }
        expect(stateOf(real)).toEqual(stateOf(perfect));
        expect(real.completenessOf('a', 'i')).toEqual({ kind: 'complete' });
        expect(real.senders[0]?.total()[COUNTER.ok]).toBe(total);
      }),
      { numRuns: 150 },
    );
  });
});
