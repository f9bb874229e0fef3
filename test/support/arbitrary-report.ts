/** Reports of every shape for property tests. */
import fc from 'fast-check';
import { Histogram } from '../../shared/histogram/histogram.ts';
import { createRecordingBlock, record } from '../../shared/histogram/recording-block.ts';
import { encodeSparse } from '../../shared/histogram/sparse-histogram.ts';
import type { AgentReport, CellScope } from '../../shared/metrics/agent-report.ts';
import { COUNTER_LENGTH } from '../../shared/metrics/counters.ts';
import { type BinSums, EDGES_PER_WINDOW, type SlotFidelity } from '../../shared/metrics/fidelity.ts';
import { METRICS } from '../../shared/metrics/metric.ts';

const count = fc.nat({ max: Number.MAX_SAFE_INTEGER });
const name = fc.string({ maxLength: 30, unit: 'grapheme' });

const scope: fc.Arbitrary<CellScope> = fc.oneof(
  fc.record({
    kind: fc.constant('window' as const),
    phase: fc.nat({ max: 255 }),
    window: fc.nat({ max: 2 ** 31 - 1 }),
  }),
  fc.record({ kind: fc.constant('request' as const), phase: fc.nat({ max: 255 }), request: name }),
);

/** Counts of one cell, mostly zero at the end, as real ones are. */
const counterCell = fc
  .array(count, { maxLength: COUNTER_LENGTH })
  .map((counts) => Float64Array.from({ length: COUNTER_LENGTH }, (_, index) => counts[index] ?? 0));

const samples = fc.array(fc.integer({ min: 0, max: 4e12 }), { maxLength: 40 }).map((values) => {
  const block = createRecordingBlock();
  for (const value of values) record(block, value);
  const histogram = new Histogram();
  histogram.addBlock(block);
  return encodeSparse(histogram);
});

const bins: fc.Arbitrary<BinSums> = fc.record({
  bins: count,
  planned: count,
  plannedSquares: count,
  sent: count,
  sentSquares: count,
  moved: count,
});

const edges = fc.array(count, { minLength: EDGES_PER_WINDOW, maxLength: EDGES_PER_WINDOW });

const slotFidelity: fc.Arbitrary<SlotFidelity> = fc.record({
  slot: fc.nat({ max: 5000 }),
  window: fc.nat({ max: 1e6 }),
  backlogBefore: count,
  planned: edges,
  sent: edges,
  unsent: edges,
  phases: fc.array(fc.record({ phase: fc.nat({ max: 255 }), fine: bins, coarse: bins }), { maxLength: 2 }),
});

/** Any report. */
export const agentReport: fc.Arbitrary<AgentReport> = fc
  .record({
    key: fc.record({
      runId: name,
      trial: fc.nat({ max: 1000 }),
      agentId: name,
      incarnation: name,
      seq: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    }),
    windows: fc.tuple(fc.nat({ max: 1e6 }), fc.nat({ max: 1e6 })),
    counters: fc.array(fc.record({ scope, cell: counterCell }), { maxLength: 4 }),
    series: fc.array(
      fc.record({
        scope,
        metric: fc.constantFrom(...METRICS),
        status: fc.constantFrom('ok' as const, 'failed' as const),
        samples,
      }),
      { maxLength: 4 },
    ),
    workers: fc.array(
      fc.record({
        slot: fc.nat({ max: 5000 }),
        decidedThroughNs: count,
        state: fc.constantFrom('running' as const, 'finished' as const, 'lost' as const),
      }),
      { maxLength: 3 },
    ),
    failures: fc.array(fc.record({ class: name, detail: name, count }), { maxLength: 3 }),
    telemetry: fc.array(
      fc.record({
        window: fc.nat({ max: 1e6 }),
        slot: fc.option(fc.nat({ max: 5000 })),
        name,
        value: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
      }),
      { maxLength: 3 },
    ),
    fidelity: fc.array(slotFidelity, { maxLength: 3 }),
    // On the wire the rows are bytes; `record-codec` has tests of its own.
    requests: fc.array(
      fc.record({
        slot: fc.nat({ max: 5000 }),
        count: fc.nat({ max: 1000 }),
        bytes: fc.uint8Array({ maxLength: 50 }),
        leftOut: count,
      }),
      { maxLength: 2 },
    ),
    warnings: fc.array(name, { maxLength: 3 }),
    final: fc.option(counterCell),
  })
  .map(({ windows: [a, b], ...report }) => ({ ...report, firstWindow: Math.min(a, b), lastWindow: Math.max(a, b) }));
