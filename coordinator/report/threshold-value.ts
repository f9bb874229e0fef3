/** What a threshold came to, as it stands in `result.json`. */

import type { MetricUnit } from '../../shared/metrics/metric.ts';

/** One threshold, judged once on the merged measured data. */
export interface ThresholdValue {
  /** As written. */
  readonly text: string;
  readonly result: 'pass' | 'fail' | 'no-data';
  readonly measured: number | null;
  readonly comparison: '<' | '<=' | '>' | '>=';
  readonly bound: number;
  readonly unit: MetricUnit | 'share' | 'count' | '1/s';
  /** Samples behind `measured`, for times. */
  readonly samples: number | null;
  readonly reason: string | null;
}
