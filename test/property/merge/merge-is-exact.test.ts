/** Reports may come in any order, several times, cut anyhow: the files of the result are the same bytes (P5, P6). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentReport } from '../../../shared/metrics/agent-report.ts';
import { METRICS } from '../../../shared/metrics/metric.ts';
import { phaseData } from '../../../coordinator/report/scope-data.ts';
import { histogramOf } from '../../support/histogram-of.ts';
import { createPlan, createRequestTemplate } from '../../support/plan-fixture.ts';
import { checkedResult, mergeOf } from '../../support/result-of.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';
import { type Fate, steadyFate, syntheticRun } from '../../support/synthetic-run.ts';

const url = 'http://127.0.0.1:9';

function phases() {
  const knots = (seconds: number, ratePerSecond: number) => [
    { tSeconds: 0, ratePerSecond },
    { tSeconds: seconds, ratePerSecond },
  ];
  return [
    { name: 'warm', warmup: true, startNs: 0, durationNs: 2e9, arrivals: { kind: 'poisson', knots: knots(2, 100) } },
    { name: 'load', warmup: false, startNs: 2e9, durationNs: 3e9, arrivals: { kind: 'poisson', knots: knots(3, 250) } },
  ] as const;
}

const plan = createPlan({
  overrides: {
    phases: phases(),
    requests: [
      createRequestTemplate({ name: 'read', url: `${url}/read`, weight: 3 }),
      createRequestTemplate({ name: 'write', url: `${url}/write` }),
    ],
  },
});

function mixedFate(arrival: Parameters<typeof steadyFate>[0], random: SeededRandom): Fate {
  const draw = random.below(12);
  const wakeLagNs = random.below(70_000);
  if (draw === 0) return { kind: 'failed', class: 'http-status', detail: '503', wakeLagNs, serviceNs: 2_000_000 };
  if (draw === 1) return { kind: 'failed', class: 'connect-refused', detail: 'refused', wakeLagNs, serviceNs: null };
  if (draw === 2) return { kind: 'unfinished', wakeLagNs };
  if (draw === 3) return { kind: 'dropped', reason: 'max-in-flight' };
  // Bimodal, so that averaging percentiles would be far off.
  const steady = steadyFate(arrival, random);
  return steady.kind === 'ok' && draw < 6 ? { ...steady, serviceNs: 2_000_000_000 } : steady;
}

const run = syntheticRun({
  plan,
  agents: 3,
  fate: mixedFate,
  template: (arrival) => (arrival.rank % 4 === 0 ? 1 : 0),
});

/** The reports of one sender cut in two where it pleases: the second half of its deltas travels under numbers of its own. */
function cut(reports: readonly AgentReport[], pieces: number): readonly AgentReport[] {
  const nextSeq = new Map<string, number>();
  return reports.flatMap((report) => {
    const make = (part: number): AgentReport => {
      const seq = (nextSeq.get(report.key.agentId) ?? 0) + 1;
      nextSeq.set(report.key.agentId, seq);
      const own = <Item>(items: readonly Item[]): Item[] => items.filter((_, index) => index % pieces === part);
      const last = part === pieces - 1;
      return {
        ...report,
        key: { ...report.key, seq },
        counters: own(report.counters),
        series: own(report.series),
        fidelity: own(report.fidelity),
        failures: own(report.failures),
        workers: last ? report.workers : [],
        telemetry: last ? report.telemetry : [],
        final: last ? report.final : null,
      };
    };
    return Array.from({ length: pieces }, (_, part) => make(part));
  });
}

function filesOf(reports: readonly AgentReport[]): readonly (readonly [string, string])[] {
  return [...checkedResult(run.record, mergeOf(run, reports)).files];
}

const expected = filesOf(run.reports);

describe('merging reports', () => {
  it('R069 R070 R072 gives the same files for every order, duplication and partition', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.nat(1000), { minLength: 5, maxLength: 60 }),
        (pieces, keys) => {
          const reports = cut(run.reports, pieces);
          const sent = reports.flatMap((report, index) =>
            Array.from({ length: 1 + ((keys[index % keys.length] ?? 0) % 3) }, () => report),
          );
          const shuffled = sent
            .map((report, index) => ({
              report,
              key: (keys[(index * 7) % keys.length] ?? 0) * 31 + ((index * 17) % 29),
            }))
            .sort((a, b) => a.key - b.key)
            .map(({ report }) => report);
          expect(filesOf(shuffled)).toEqual(expected);
        },
      ),
      { numRuns: 12 },
    );
  });

  it('R069 equals the histogram of the pooled raw samples, bucket for bucket, in every series', () => {
    const merge = mergeOf(run, run.reports);
    const books = { phases: plan.phases.map(() => ({})) } as never;
    let compared = 0;
    for (const phase of plan.phases.keys()) {
      const data = phaseData(merge, books, phase, 1);
      for (const metric of METRICS) {
        for (const status of ['ok', 'failed'] as const) {
          const pooled = histogramOf(run.samples.get(`${phase} ${metric} ${status}`) ?? []);
          expect(data.histogram(metric, status).equals(pooled)).toBe(true);
          compared += pooled.count;
        }
      }
    }
    expect(compared).toBeGreaterThan(3000);
  });

  it('R069 judges a threshold once, on pooled data: 1000 samples of 10 ms and 10 of 2000 ms have a p95 of 10 ms', () => {
    const all = { kind: 'all-at-once', count: 2000 } as const;
    const threshold = {
      text: 'p95(service)<11ms',
      statistic: { kind: 'percentile', percentile: 95, metric: 'service' },
      comparison: '<',
      bound: 11_000_000,
    } as const;
    const shards = syntheticRun({
      plan: createPlan({
        overrides: {
          phases: [{ name: 'load', warmup: false, startNs: 0, durationNs: 0, arrivals: all }],
          thresholds: [threshold],
        },
      }),
      agents: 2,
      // Agent 1 has the even indexes; agent 2 sends ten requests only.
      fate: ({ index }) => {
        if (index % 2 === 0) return { kind: 'ok', wakeLagNs: 0, waitNs: 0, serviceNs: 10_000_000 };
        if (index < 20) return { kind: 'ok', wakeLagNs: 0, waitNs: 0, serviceNs: 2_000_000_000 };
        return { kind: 'dropped', reason: 'max-in-flight' };
      },
    });
    const merge = mergeOf(shards, shards.reports);
    const ownP95 = merge.senders.map((sender) => sender.measured.histogram('service', 'ok').percentile(95));
    expect(ownP95).toEqual([10_000_000, 2_000_000_000]);
    const { value } = checkedResult(shards.record, merge);
    expect(value.metrics['service']?.count).toBe(1010);
    // The bucket that holds 10 ms ends a little above it; neither the mean (1005 ms) nor the worst (2000 ms) of the two.
    expect(value.metrics['service']?.percentiles['95']).toBeLessThan(10_010_000);
    expect(value.thresholds[0]).toMatchObject({ result: 'pass', samples: 1010 });
  });
});
