import { expect, it } from 'vitest';
import { isLlmMetric, METRICS, unitOf } from '../../../../shared/metrics/metric.ts';

it('every metric has one name and a unit; all but counts and rates of tokens are ns', () => {
  expect(new Set(METRICS).size).toBe(METRICS.length);
  for (const metric of METRICS)
    expect(unitOf(metric) === 'ns').toBe(!isLlmMetric(metric) || !/^tokens|Tokens$|TokenRate$/.test(metric));
});

it('metrics keep their places: the place is the number on the wire', () => {
  expect(METRICS.slice(0, 5)).toEqual(['response', 'service', 'lag', 'wakeLag', 'wait']);
});
