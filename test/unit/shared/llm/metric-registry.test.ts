import { expect, it } from 'vitest';
import { LLM_METRIC_TABLE, llmMetricOf, llmMetricPage } from '../../../../shared/llm/metric-registry.ts';
import { LLM_METRICS, unitOf } from '../../../../shared/metrics/metric.ts';

it('describes every LLM metric once, in the order of the wire, with its unit', () => {
  expect(LLM_METRIC_TABLE.map(({ id }) => id)).toEqual(LLM_METRICS);
  for (const { id, unit } of LLM_METRIC_TABLE) expect(unit).toBe(unitOf(id));
  expect(llmMetricOf('tpot').formula).toBe('(t_last - t_1) / (m - 1)');
});

it('docs/llm-metrics.md is made from the table (update with vitest run test/unit/shared/llm --update)', async () => {
  await expect(llmMetricPage()).toMatchFileSnapshot('../../../../docs/llm-metrics.md');
});
