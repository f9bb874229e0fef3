/** Whatever the law, the fleet, the fates, a death and a stop: every arrival is in exactly one place (P4, R060). */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { droppedTotal, failedTotal } from '../../../coordinator/merge/accounting.ts';
import { buildRunResult } from '../../../coordinator/report/run-result.ts';
import { DROP_REASONS, FAILURE_CLASSES } from '../../../shared/metrics/outcome.ts';
import type { Phase } from '../../../shared/plan/plan.ts';
import type { ArrivalLaw, Knot } from '../../../shared/schedule/arrival-law.ts';
import { createPlan } from '../../support/plan-fixture.ts';
import { mergeOf } from '../../support/result-of.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';
import { type Fate, steadyFate, syntheticRun } from '../../support/synthetic-run.ts';

const knotsOf = (seconds: number, from: number, to: number): readonly Knot[] => [
  { tSeconds: 0, ratePerSecond: from },
  { tSeconds: seconds, ratePerSecond: to },
];

const laws: readonly ((seconds: number, rate: number) => ArrivalLaw)[] = [
  (seconds, rate) => ({ kind: 'poisson', knots: knotsOf(seconds, rate, rate) }),
  (seconds, rate) => ({ kind: 'poisson', knots: knotsOf(seconds, 0, rate) }),
  (seconds, rate) => ({ kind: 'poisson-count', knots: knotsOf(seconds, rate, 0), count: rate }),
  (seconds, rate) => ({ kind: 'even', knots: knotsOf(seconds, rate, 0) }),
  (_, rate) => ({ kind: 'gamma', ratePerSecond: rate, burstiness: 0.5 }),
];

const phaseLists = fc
  .array(
    fc.record({
      law: fc.nat(laws.length - 1),
      seconds: fc.integer({ min: 1, max: 3 }),
      rate: fc.integer({ min: 1, max: 90 }),
    }),
    {
      minLength: 1,
      maxLength: 3,
    },
  )
  .map((list) => {
    let startNs = 0;
    return list.map(({ law, seconds, rate }, index): Phase => {
      const make = laws[law] as (typeof laws)[number];
      const phase = {
        name: `p${index}`,
        warmup: index === 1,
        startNs,
        durationNs: seconds * 1e9,
        arrivals: make(seconds, rate),
      };
      startNs += seconds * 1e9;
      return phase;
    });
  });

function anyFate(arrival: Parameters<typeof steadyFate>[0], random: SeededRandom): Fate {
  const draw = random.below(20);
  const wakeLagNs = random.below(3_000_000);
  if (draw < 3) {
    const failure = FAILURE_CLASSES[random.below(FAILURE_CLASSES.length)] ?? 'timeout';
    return { kind: 'failed', class: failure, detail: 'x', wakeLagNs, serviceNs: random.below(2) === 0 ? null : 1e9 };
  }
  if (draw < 5) return { kind: 'dropped', reason: DROP_REASONS[random.below(DROP_REASONS.length)] ?? 'late' };
  if (draw < 6) return { kind: 'unfinished', wakeLagNs };
  return steadyFate(arrival, random);
}

it('R060 the books balance for any law, fleet, death and stop', () => {
  fc.assert(
    fc.property(
      phaseLists,
      fc.record({
        seed: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
        agents: fc.integer({ min: 1, max: 4 }),
        workersPerAgent: fc.integer({ min: 1, max: 3 }),
        deathAtNs: fc.option(fc.integer({ min: 0, max: 8e9 })),
        stopAtNs: fc.option(fc.integer({ min: 0, max: 8e9 })),
      }),
      (phases, { seed, agents, workersPerAgent, deathAtNs, stopAtNs }) => {
        const run = syntheticRun({
          plan: createPlan({ overrides: { seed, phases } }),
          agents,
          workersPerAgent,
          fate: anyFate,
          ...(deathAtNs === null ? {} : { death: { agent: 0, atNs: deathAtNs } }),
          ...(stopAtNs === null
            ? {}
            : { stopAtNs, end: { kind: 'interrupted', atNs: stopAtNs, signal: 'SIGINT', abrupt: false } as const }),
        });
        const { value } = buildRunResult(run.record, mergeOf(run, run.reports), new Map());
        const balance = value.verdict.gates.find((gate) => gate.name === 'books-balance');
        expect(balance).toMatchObject({ kind: 'pass' });
        const all = [value.accounting, ...value.phases, ...value.agents].map((one) =>
          'accounting' in one ? one.accounting : one,
        );
        for (const books of all) {
          expect(books.attempted + droppedTotal(books) + books.cancelled + books.lost).toBe(books.scheduled);
          expect(books.ok + failedTotal(books) + books.unfinished).toBe(books.attempted);
          expect(books.sent).toBeLessThanOrEqual(books.attempted);
        }
        if (deathAtNs === null) expect(value.accounting.lost).toBe(0);
        if (stopAtNs === null) expect(value.accounting.cancelled).toBe(0);
      },
    ),
    { numRuns: 60 },
  );
});
