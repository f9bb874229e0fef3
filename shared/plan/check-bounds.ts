/**
 * Bounds that nothing in the plan could ever meet or miss are faults of the plan, not results of the run (R098): goodput without an SLO,
 * and a metric of LLM answers where no request is one. Names that no metric has are refused where bounds are read.
 */

import { isLlmMetric, METRICS } from '../metrics/metric.ts';
import type { RequestTemplate, SloBound, Threshold, ThresholdStatistic } from './plan.ts';
import { type MappingNode, valueAt } from './plan-node.ts';
import type { ProblemList } from './problem-list.ts';

/** The bounds of a plan, and where it is written. */
export interface PlanBounds {
  readonly slo: readonly SloBound[];
  readonly thresholds: readonly Threshold[];
  readonly tree: MappingNode;
}

/** Without bounds per request nothing counts as good, and a threshold on goodput would say nothing. */
export function checkGoodput({ slo, thresholds, tree }: PlanBounds, problems: ProblemList): void {
  const unfounded = thresholds.find(({ statistic }) => isGoodput(statistic));
  if (slo.length > 0 || unfounded === undefined) return;
  const origin = valueAt(tree, 'thresholds')?.origin ?? tree.origin;
  problems.add('thresholds', origin, `${unfounded.text} needs an slo: goodput is what meets it`);
}

/** Where no request is an LLM request, a bound on a metric of LLM answers would make every request bad, and a threshold have no data. */
export function checkLlmBounds(
  { slo, thresholds, tree }: PlanBounds,
  requests: readonly RequestTemplate[],
  problems: ProblemList,
): void {
  // A workload that could not be read has faults of its own.
  if (requests.length === 0 || requests.some(({ llm }) => llm !== null)) return;
  const why = 'only LLM requests have it, and no request of the plan is one (workload[].llm)';
  for (const { metric } of slo.filter((bound) => isOfLlm(bound.metric))) {
    problems.add(`slo.${metric}`, valueAt(tree, 'slo')?.origin ?? tree.origin, why);
  }
  for (const { statistic, text } of thresholds) {
    if (!('metric' in statistic) || !isOfLlm(statistic.metric)) continue;
    const origin = valueAt(tree, 'thresholds')?.origin ?? tree.origin;
    problems.add('thresholds', origin, `${text}: ${statistic.metric}: ${why}`);
  }
}

/** A warning for an SLO on LLM answers in a plan that also has other requests, which never meet it; null where there are none. */
export function sloWithoutMetricWarning(slo: readonly SloBound[], requests: readonly RequestTemplate[]): string | null {
  const metric = slo.find((bound) => isOfLlm(bound.metric))?.metric;
  const others = requests.filter(({ llm }) => llm === null).map(({ name }) => `"${name}"`);
  if (metric === undefined || others.length === 0) return null;
  return `slo.${metric}: requests without llm never meet it, so they count as missed: ${others.join(', ')}`;
}

function isOfLlm(name: string): boolean {
  return METRICS.some((metric) => metric === name && isLlmMetric(metric));
}

function isGoodput(statistic: ThresholdStatistic): boolean {
  return (
    (statistic.kind === 'rate' && statistic.of === 'goodput') ||
    (statistic.kind === 'share' && statistic.book === 'goodput')
  );
}
