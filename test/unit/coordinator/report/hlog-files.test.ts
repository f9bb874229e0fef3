import { decodeFromCompressedBase64 } from 'hdr-histogram-js';
import { describe, expect, it } from 'vitest';
import { HLOG_METRICS, INTERVALS_MAX } from '../../../../coordinator/report/hlog-files.ts';
import type { Phase } from '../../../../shared/plan/plan.ts';
import { createPlan } from '../../../support/plan-fixture.ts';
import { resultOf } from '../../../support/result-of.ts';
import { syntheticRun } from '../../../support/synthetic-run.ts';

interface Interval {
  readonly tag: string;
  readonly startSeconds: number;
  readonly lengthSeconds: number;
  readonly count: number;
  readonly p99: number;
}

/** The intervals of a log, read by the other implementation. */
function read(text: string): readonly Interval[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('Tag='))
    .map((line) => {
      const [tag = '', start = '', length = '', , encoded = ''] = line.split(',');
      const histogram = decodeFromCompressedBase64(encoded, 64);
      return {
        tag: tag.slice('Tag='.length),
        startSeconds: Number(start),
        lengthSeconds: Number(length),
        count: histogram.totalCount,
        p99: histogram.getValueAtPercentile(99),
      };
    });
}

function phase(name: string, startNs: number, durationNs: number, ratePerSecond: number, warmup: boolean): Phase {
  const knots = [
    { tSeconds: 0, ratePerSecond },
    { tSeconds: durationNs / 1e9, ratePerSecond },
  ];
  return { name, warmup, startNs, durationNs, arrivals: { kind: 'poisson', knots } };
}

describe('hlogFiles', () => {
  const phases = [phase('warm', 0, 2e9, 100, true), phase('load', 2e9, 3e9, 200, false)];
  const result = resultOf(syntheticRun({ plan: createPlan({ overrides: { phases } }) }));
  const intervals = (metric: string): readonly Interval[] => read(result.files.get(`${metric}.hlog`) ?? '');

  it.each(HLOG_METRICS)('%s.hlog, read by hdr-histogram-js, has the counts of result.json', (metric) => {
    const measured = intervals(metric).filter((one) => one.tag === metric);
    const warmup = intervals(metric).filter((one) => one.tag === `${metric}.warmup`);
    const sum = (list: readonly Interval[]): number => list.reduce((total, one) => total + one.count, 0);
    expect(sum(measured)).toBe(result.value.metrics[metric]?.count);
    expect(sum(warmup)).toBe(result.value.phases[0]?.metrics[metric]?.count);
    expect(sum(measured)).toBeGreaterThan(500);
  });

  it('has one interval per window, in order, each with the window’s own samples', () => {
    const measured = intervals('response').filter((one) => one.tag === 'response');
    const windows = result.value.windows.filter((one) => one.phase === 'load' && one.response.count > 0);
    expect(measured.map((one) => [one.startSeconds, one.lengthSeconds, one.count])).toEqual(
      windows.map((one) => [one.startNs / 1e9, one.lengthNs / 1e9, one.response.count]),
    );
    for (const [index, one] of measured.entries()) {
      expect(Math.abs(one.p99 / (windows[index]?.response.p99 ?? 0) - 1)).toBeLessThan(0.002);
    }
  });

  it('widens the intervals of a long run instead of encoding for minutes', () => {
    const durationNs = 400e9;
    const long = createPlan({ overrides: { phases: [phase('load', 0, durationNs, 1, false)] } });
    const { files, value } = resultOf(syntheticRun({ plan: long }));
    const lines = read(files.get('response.hlog') ?? '');
    expect(lines.length).toBeLessThanOrEqual(INTERVALS_MAX);
    expect(lines[0]?.lengthSeconds).toBe(2);
    expect(lines.reduce((total, one) => total + one.count, 0)).toBe(value.metrics['response']?.count);
  });
});
