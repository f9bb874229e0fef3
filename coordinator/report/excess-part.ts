/**
 * The excess bound of a part of a run (M§9.1): which delays of ours are inside a metric, how they are known, and which percentiles
 * the verdict looks at. The bound itself is in shared/stats, its limits are in the verdict's table.
 */
import type { MetricId } from '../../shared/metrics/metric.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import { isOpenEnded } from '../../shared/plan/release-end.ts';
import {
  type ExcessBound,
  excessBound,
  harnessQuantiles,
  type QuantileFunction,
} from '../../shared/stats/excess-bound.ts';
import { timeWeightedQuantiles } from '../../shared/stats/time-weighted.ts';
import type { RunRecord } from '../run/run-record.ts';
import type { NamedExcess } from '../verdict/excess-gate.ts';
import type { ScopeData } from './scope-data.ts';

/** Metrics with a part that is the target's, one sample a request, and what of ours is in them besides the receive delay. */
const OURS_WITHIN = {
  response: 'wakeLag',
  firstByte: 'wakeLag',
  ttft: 'wakeLag',
  firstChunk: 'wakeLag',
  timeToAnswer: 'wakeLag',
  lastToken: 'wakeLag',
  service: 'nothing',
  firstByteSend: 'nothing',
  ttft_send: 'nothing',
  firstChunk_send: 'nothing',
  timeToAnswer_send: 'nothing',
  lastToken_send: 'nothing',
} as const satisfies Partial<Record<MetricId, 'wakeLag' | 'nothing'>>;

/** A metric that has an excess bound. */
export type ExcessMetric = keyof typeof OURS_WITHIN;

/** Percentiles that are judged where the plan names none. */
const JUDGED_BY_DEFAULT = [50, 99];

/** Whether `metric` has an excess bound. */
function isExcessMetric(metric: string): metric is ExcessMetric {
  return Object.hasOwn(OURS_WITHIN, metric);
}

/**
 * Worker time over the given phases, ns: what gaps of the loops are held against. Slots that died do not count, nor does what
 * lies beyond the run's end or an agent's, so it is never too long. `agents` are those that have the `workerSlots`.
 */
export function observedWorkerNs(
  { agents, durationNs, workerSlots }: Pick<RunRecord, 'agents' | 'durationNs' | 'workerSlots'>,
  phases: Plan['phases'],
  lostSlots: number,
): number {
  const spanNs = (untilNs: number): number =>
    phases.reduce((sum, phase) => {
      const endNs = isOpenEnded(phase) ? Infinity : phase.startNs + phase.durationNs;
      return sum + Math.max(0, Math.min(endNs, durationNs, untilNs) - phase.startNs);
    }, 0);
  const wholeNs = spanNs(Infinity);
  const goneNs = agents.reduce(
    (sum, { slots, state }) =>
      state.kind === 'finished' ? sum : sum + slots.length * (wholeNs - spanNs(Math.max(0, state.atNs))),
    0,
  );
  return Math.max(0, wholeNs * Math.max(0, workerSlots - lostSlots) - goneNs);
}

/** The receive delay of a part as quantiles, from its loop gaps; null when none was measured. */
export function receiveDelayOf(data: ScopeData, observedNs: number): QuantileFunction | null {
  return timeWeightedQuantiles(data.pooled('loopGap'), observedNs);
}

/** The bound for one percentile (0..100, ends excluded) of ok requests; null when something it needs was not measured. */
export function excessOf(
  data: ScopeData,
  metric: ExcessMetric,
  percentage: number,
  receiveDelay: QuantileFunction | null,
): ExcessBound | null {
  const measured = data.histogram(metric, 'ok');
  if (measured.isEmpty()) return null;
  const wakeLag = data.histogram('wakeLag', 'ok');
  const harness =
    OURS_WITHIN[metric] === 'nothing' ? receiveDelay : harnessQuantiles(wakeLag, receiveDelay, measured.count);
  return harness === null ? null : excessBound(measured, percentage, harness);
}

/**
 * The percentiles that the plan's thresholds name, else p50 and p99 of the response, and of the time to first token where answers are
 * streamed: it is the shorter, so delays of ours weigh more in it. `responseWithFailures` counts as response.
 */
export function judgedPercentiles(
  plan: Plan,
): readonly { readonly metric: ExcessMetric; readonly percentage: number }[] {
  const named = plan.thresholds.flatMap(({ statistic }) => {
    if (statistic.kind !== 'percentile' || statistic.percentile >= 100) return [];
    const metric = statistic.metric === 'responseWithFailures' ? 'response' : statistic.metric;
    return isExcessMetric(metric) ? [{ metric, percentage: statistic.percentile }] : [];
  });
  if (named.length > 0) return named;
  const isStreamed = plan.requests.some(({ llm }) => llm?.stream === true);
  const metrics: readonly ExcessMetric[] = isStreamed ? ['response', 'ttft'] : ['response'];
  return metrics.flatMap((metric) => JUDGED_BY_DEFAULT.map((percentage) => ({ metric, percentage })));
}

/** What the verdict judges: every judged percentile of the measured phases with its bound. */
export function judgedExcess(plan: Plan, measured: ScopeData, receiveDelay: QuantileFunction | null): NamedExcess[] {
  return judgedPercentiles(plan).map(({ metric, percentage }) => ({
    metric,
    percentage,
    bound: excessOf(measured, metric, percentage, receiveDelay),
  }));
}
