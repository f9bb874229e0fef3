/**
 * One attempted request as a row of numbers: what `requests.jsonl` is written from. Rows are flat doubles, so that a worker fills them
 * without making an object and gives them away without encoding anything. Missing is NaN here, null in the file, never 0. Books and
 * series are made without them: a request whose row is left out is counted all the same.
 */
import { FAILURE_CLASSES, type Outcome } from './outcome.ts';

/** Columns of a row, in the order of the wire. Append only. Times are integer ns of run time. */
export const RECORD_FIELDS = [
  'phase',
  /** Position in `Plan.requests`. */
  'template',
  'lane',
  'block',
  'rank',
  'index',
  'intendedNs',
  'releasedNs',
  'waitQueueNs',
  'waitConnectNs',
  'waitStreamNs',
  'sendNs',
  'firstByteNs',
  'endNs',
  /** See `outcomeCode`. */
  'outcome',
  'status',
  /** Bytes of the answer's body. */
  'bodyBytes',
  /** What follows is of LLM answers only. */
  'inputTokens',
  'outputTokens',
  /** Position in `RECORD_TOKEN_SOURCES`. */
  'tokenSource',
  'cachedTokens',
  'reasoningTokens',
  'firstPayloadNs',
  'secondPayloadNs',
  'firstAnswerNs',
  'lastPayloadNs',
  'chunks',
  'events',
  'gapMinNs',
  'gapMaxNs',
  /** Which turn of its session, of sessions of several; 0 = the first. */
  'turn',
  /** Output tokens without reasoning that did not come. */
  'streamedTokens',
] as const;

export type RecordField = (typeof RECORD_FIELDS)[number];

/** Numbers in a row. */
export const RECORD_WIDTH = RECORD_FIELDS.length;

/** Position of each column. */
export const RECORD: Readonly<Record<RecordField, number>> = Object.freeze(
  Object.fromEntries(RECORD_FIELDS.map((field, index) => [field, index])) as Record<RecordField, number>,
);

/** Columns of instants at or after `intendedNs`: on the wire they are told from it. */
export const RECORD_INSTANTS: ReadonlySet<RecordField> = new Set<RecordField>([
  'releasedNs',
  'sendNs',
  'firstByteNs',
  'endNs',
  'firstPayloadNs',
  'secondPayloadNs',
  'firstAnswerNs',
  'lastPayloadNs',
]);

/** Columns that every row has. */
export const RECORD_ALWAYS: ReadonlySet<RecordField> = new Set<RecordField>([
  'phase',
  'template',
  'lane',
  'block',
  'rank',
  'index',
  'intendedNs',
  'releasedNs',
  'waitQueueNs',
  'waitConnectNs',
  'waitStreamNs',
  'endNs',
  'outcome',
  'bodyBytes',
]);

/** Where an output token count comes from. */
export const RECORD_TOKEN_SOURCES = ['usage', 'chunks'] as const;

/** What became of a request. */
export type RecordOutcome = 'ok' | 'unfinished' | (typeof FAILURE_CLASSES)[number];

/** Outcomes by their code. Append only, like the failure classes. */
const OUTCOMES: readonly RecordOutcome[] = ['ok', 'unfinished', ...FAILURE_CLASSES];

/** Codes are below this. */
export const RECORD_OUTCOMES = OUTCOMES.length;

/** Code of a request that was still open at the end of the drain. */
export const UNFINISHED_CODE = 1;

/** Code of an outcome. */
export function outcomeCode(outcome: Outcome): number {
  return outcome.kind === 'ok' ? 0 : FAILURE_CLASSES.indexOf(outcome.class) + 2;
}

/** The outcome of a code below `RECORD_OUTCOMES`. */
export function outcomeOfCode(code: number): RecordOutcome {
  return OUTCOMES[code] as RecordOutcome;
}

/** Rows of one worker slot, and how many it did not keep. */
export interface SlotRecords {
  readonly slot: number;
  readonly count: number;
  /** The rows as `record-codec.ts` writes them. */
  readonly bytes: Uint8Array;
  /** Requests that ended and have no row, because of a limit. */
  readonly leftOut: number;
}
