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
  /** Events of LLM streams, end markers not counted; those below are about LLM answers too. */
  'llm-events',
  /** Comment lines and keep-alive events. */
  'llm-comments',
  /** Chunks that came in the same network read as the one before (R052). */
  'llm-shared-arrivals',
  /** Events that are none of their API. */
  'llm-unreadable-events',
  /** ok answers whose output tokens were counted by the server's usage, and by chunks. */
  'llm-counted-by-usage',
  'llm-counted-by-chunks',
  /** ok answers that were asked for as a stream and came whole (R043). */
  'llm-not-streamed',
  /** ok streams without an end marker (R044). */
  'llm-without-marker',
  /** ok answers without payload and without tokens (R054). */
  'llm-empty',
  /** ok answers without recognised payload although the server counted tokens (R040). */
  'llm-unseen-payload',
  /** Chunks with payload of ok streams, by kind, and the output tokens of these streams. */
  'llm-chunks',
  'llm-reasoning-chunks',
  'llm-tool-chunks',
  'llm-tokens-in-chunks',
  /** Chunks with payload of streams that failed (R042). */
  'llm-partial-chunks',
  /** Gaps beyond what is held of one stream: in no series. */
  'llm-gaps-not-kept',
  /** ok answers whose token count contradicts another source by more than 2 %. */
  'llm-token-mismatch',
  /** Requests of no schedule that a worker issued (closed loops, later turns of sessions), by the window of their intended instant; part of `decided`. */
  'issued',
  /** Of these the later turns of sessions. */
  'follow-ups',
  /** Times that a slot of a closed loop paused because its request had not reached the target. */
  'closed-pauses',
  /** Sessions of several turns whose first turn was released, and what became of them: all turns answered; a turn failed; not continued, by a limit or because the answer's text is not known. */
  'sessions-begun',
  'sessions-completed',
  'sessions-failed',
  'sessions-cut',
  /** ok answers whose text was counted by a tokenizer, the tokens it found, and those by usage or chunks of the same answers. */
  'llm-tokenizer-answers',
  'llm-tokenizer-tokens',
  'llm-tokenizer-otherwise',
  /** ok answers that were not counted by the tokenizer: beyond the sample, too long, or not text alone. */
  'llm-tokenizer-left-out',
  /** Connections that we closed because of their age. */
  'connections-retired',
  /** Later turns that begun sessions have; those of them that were not issued because a turn before failed, or the session was cut. */
  'follow-ups-planned',
  'follow-ups-behind-failed',
  'follow-ups-behind-cut',
  /** ok answers of several choices. */
  'llm-several-choices',
  /** Of `unfinished`: never left, because a limit of the plan (in-flight cap, connections, streams) held it back. */
  'unfinished-held',
  /** ok answers whose end marker came, and behind it no end of the body. */
  'llm-left-open',
  /** Tool calls of ok answers (R041). */
  'llm-tool-calls',
  /** Bytes of bodies with a Content-Encoding, after decoding (R030). */
  'bytes-decoded',
  /** Arrivals that the in-flight cap held back or had dropped while bodies that were still being decoded filled it: without these there was room. */
  'held-by-decoding',
  /** ok answers whose usage counted each chunk for itself: the counts were added up (R047). */
  'llm-usage-added-up',
  /** ok streams whose usage counts reasoning tokens of which none came; `llm-tokens-in-chunks` is without these (R040). */
  'llm-hidden-reasoning',
] as const;

export type CounterName = (typeof COUNTERS)[number];
/** Counters in a cell. */
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
