/**
 * The books of one cell, as a flat array of counts: one cell per (phase, window) and one per (phase, request name).
 * Counts only ever grow; cells merge by addition. P4 is asserted over them when the report is made (design §2).
 */
import { DROP_REASONS, FAILURE_CLASSES } from './outcome.ts';

/** Names of the counters, in the order of the flat array and of the wire. Append only. */
export const COUNTERS = [
  /** Arrivals decided, by the window of their intended instant. */
  'decided',
  /** Released to the dispatcher and accepted, by the window of the release. */
  'attempted',
  /** A first byte left us, by the window of the send. */
  'sent',
  /** Not released because the run was stopped, as far as the worker had them in hand; the coordinator adds those never generated. */
  'cancelled',
  /** Ended well, by the window of the end. */
  'ok',
  /** Still open at the end of the drain. */
  'unfinished',
  ...DROP_REASONS.map((reason) => `dropped:${reason}` as const),
  ...FAILURE_CLASSES.map((failure) => `failed:${failure}` as const),
  /** ok requests that met every SLO bound. */
  'good',
  /** Connection attempts begun. */
  'connections-tried',
  /** Connections that became ready. */
  'connections-opened',
  'bytes-sent',
  'bytes-received',
  /** Requests sent again inside one arrival; never a new arrival (R016). */
  'retries',
  /** Answers with a 3xx status; they are results unless followed on purpose. */
  'redirects',
  /** Samples outside the histogram's range: clamped, recorded and counted here (R062). */
  'overflow',
  /** Samples of series beyond the limit, recorded under `other` (R095). */
  'series-other',
] as const;

export type CounterName = (typeof COUNTERS)[number];
export const COUNTER_LENGTH = COUNTERS.length;

/** Position of a counter in the flat array. */
export const COUNTER: Readonly<Record<CounterName, number>> = Object.freeze(
  Object.fromEntries(COUNTERS.map((name, index) => [name, index])) as Record<CounterName, number>,
);

/** One cell of the books: `COUNTER_LENGTH` integer counts, exact to 2^53. */
export type CounterCell = Float64Array;

/** A cell of zeros. */
export function createCounterCell(): CounterCell {
  return new Float64Array(COUNTER_LENGTH);
}

/** Adds `from` into `into`, counter by counter. */
export function addCounterCell(into: CounterCell, from: CounterCell): void {
  for (let index = 0; index < COUNTER_LENGTH; index += 1)
    into[index] = (into[index] as number) + (from[index] as number);
}
