/** The metrics of a request that become histograms (design §2, P2). Each has one unit; times are integer ns. */

/** Metric ids in the order of the wire. Append only. */
export const METRICS = [
  /** end - intended: what a user who came at the intended instant waited. */
  'response',
  /** end - send. */
  'service',
  /** send - intended = wakeLag + wait. */
  'lag',
  /** released - intended: ours, always >= 0. */
  'wakeLag',
  /** send - released, all parts. */
  'wait',
  /** Part of wait: above maxInFlight, or for a connection that others held. */
  'waitQueue',
  /** Part of wait: for a connection being made. */
  'waitConnect',
  /** Part of wait: for a stream of a multiplexed connection. */
  'waitStream',
  /** first byte - intended. */
  'firstByte',
  /** first byte - send. */
  'firstByteSend',
  /** Age of a request still open at the end of the drain: end of drain - intended (a lower bound of its response). */
  'unfinishedAge',
  /** Time between turns of a worker's loop, one sample a turn; its share of time beyond a value bounds the receive delay (design §9). */
  'loopGap',
] as const;

export type MetricId = (typeof METRICS)[number];

/** Unit of a metric's integer values. */
export type MetricUnit = 'ns' | 'tokens' | 'milli-tokens/s' | 'bytes';

/** The unit of `metric`. */
export function unitOf(_metric: MetricId): MetricUnit {
  return 'ns';
}

/** Which requests a series holds. Headline times are for `ok` and stand next to the failure share (R058). */
export type SeriesStatus = 'ok' | 'failed';
