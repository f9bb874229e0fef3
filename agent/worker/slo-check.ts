/**
 * The per-request SLO: an ok request is `good` when it meets every bound of the plan (goodput, design §6). Bounds are resolved
 * before the start; judging one request is a few comparisons.
 */

import { FleetError } from '../../shared/fleet-error.ts';
import { isLlmMetric, METRICS } from '../../shared/metrics/metric.ts';
import type { SloBound } from '../../shared/plan/plan.ts';
import type { OpenRequest } from './open-request.ts';

/** Value in ns of a time metric of an ended request, or null where it has none. */
type MetricReader = (request: OpenRequest) => number | null;

/** Whether an ended request keeps within a bound. */
type BoundCheck = (request: OpenRequest) => boolean;

const READERS: Readonly<Record<string, MetricReader>> = {
  response: (request) => request.endNs - request.intendedNs,
  service: (request) => request.endNs - request.sendNs,
  lag: (request) => request.sendNs - request.intendedNs,
  wakeLag: (request) => request.releasedNs - request.intendedNs,
  wait: (request) => request.sendNs - request.releasedNs,
  waitQueue: (request) => request.waitQueueNs,
  waitConnect: (request) => request.waitConnectNs,
  waitStream: (request) => request.waitStreamNs,
  firstByte: (request) => (request.stage === 'answered' ? request.firstByteNs - request.intendedNs : null),
  firstByteSend: (request) => (request.stage === 'answered' ? request.firstByteNs - request.sendNs : null),
};

export class SloCheck {
  readonly #bounds: readonly BoundCheck[];

  /** @throws FleetError 'plan' for a metric that a request does not have. */
  constructor(bounds: readonly SloBound[]) {
    this.#bounds = bounds.map(checkOf);
  }

  /** False when the plan has no bound: then nothing is counted as good. */
  get hasBounds(): boolean {
    return this.#bounds.length > 0;
  }

  /** Whether an ended, ok request meets every bound. A metric without a value meets none. */
  isGood(request: OpenRequest): boolean {
    for (const isWithin of this.#bounds) if (!isWithin(request)) return false;
    return true;
  }
}

function checkOf({ metric, maxNs }: SloBound): BoundCheck {
  const llmMetric = METRICS.filter(isLlmMetric).find((known) => known === metric);
  // An answer that nobody reads has no token times, and meets no bound on them.
  if (llmMetric !== undefined) return (request) => request.reader?.meets(llmMetric, maxNs) ?? false;
  const read = Object.hasOwn(READERS, metric) ? READERS[metric] : undefined;
  if (read === undefined) {
    const known = Object.keys(READERS).join(', ');
    throw new FleetError(
      'plan',
      `slo: a request has no metric "${metric}" (known: ${known}, and those of LLM answers)`,
    );
  }
  return (request) => {
    const value = read(request);
    return value !== null && value <= maxNs;
  };
}
