/** The largest plan we accept, in one place: the parser, the wire and the documents use the same numbers. */

import { phaseIndexMax } from '../random/counter-domain.ts';
import { MAX_DURATION_NS } from '../time/duration.ts';

/** Bounds on counts and sizes. */
export const PLAN_COUNTS = {
  /** Named requests; the report keeps a series per name. */
  requestsMax: 1000,
  /** Phases: their position has 8 bits in the counters of the schedule (design §5). */
  phasesMax: phaseIndexMax + 1,
  /** Largest file of a plan, bytes (design §8). */
  blobBytesMax: 1_073_741_824,
  /** Requests in flight and connections, per worker: far above any file-handle limit. */
  inFlightMax: 1_000_000,
  /** Arrivals waiting, per worker. */
  queueMax: 10_000_000,
  agentsMax: 4096,
  workersMax: 1024,
  headersMax: 100,
  /** Longest request URL in bytes. */
  urlLengthMax: 65_536,
  /** Arrivals of one exact-N, trace or all-at-once phase over the whole fleet. */
  countMax: 1_000_000_000,
  thresholdsMax: 100,
  /** Pages of metrics that one run reads. */
  scrapesMax: 16,
  /** Requests of one run that are written one by one: some 10 GB. */
  recordsMax: 10_000_000,
} as const;

/** Bounds on times. */
export const PLAN_TIMES = {
  /** Length of the whole run: instants are exact integers of ns (about 104 days). */
  runNsMax: MAX_DURATION_NS,
} as const;
