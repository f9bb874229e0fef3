/**
 * What reads the body of an answer while it comes, for request templates whose answers mean more than their status: attached between
 * the client's sink and the books. A template without one (plain HTTP) pays nothing. A reader has bounded memory, keeps no bytes
 * that it is shown, reads no clock and never throws for what a server sends.
 */

import type { LlmMetricId } from '../../shared/metrics/metric.ts';
import type { Outcome } from '../../shared/metrics/outcome.ts';
import type { ScopeBooks } from './scope-books.ts';

/** Instants of the request that the reader's metrics are taken from; valid once the request has ended. */
export interface RequestStamps {
  readonly intendedNs: number;
  readonly sendNs: number;
  readonly endNs: number;
  /** Which turn of a session it is; 0 = the first, or no session. */
  readonly turn?: number;
  /** Output tokens that the answer must have; null = not known. */
  readonly exactTokens?: number | null;
}

/** Reads one answer, then is used again for another of the same template. */
export interface AnswerReader {
  /** A piece of the body; `tNs` is the instant of its network read, the same for all pieces of one read. */
  take(chunk: Uint8Array, tNs: number): void;
  /** Instant of the read that brought the answer's own end marker; null before it, and for answers that have none. */
  readonly overNs: number | null;
  /** The connection gave the answer no end behind its marker; called before `judge`, if at all. */
  leftOpen(): void;
  /** The answer has ended as `outcome` says, its status judged; gives what it counts for. Called once, before `record`. */
  judge(outcome: Outcome, stamps: RequestStamps): Outcome;
  /** Books the answer's own counts and samples; called once for each scope. Returns the number of samples. */
  record(books: ScopeBooks): number;
  /** Writes what is known of the answer into the row of `shared/metrics/request-record.ts` that begins at `at`; called after `judge`, if that was. */
  describe(rows: Float64Array, at: number): void;
  /** Text of an answer that was judged ok, for the next turn of its session; null where it is not kept. */
  answerText(): string | null;
  /** Text of an answer that was judged ok, and its tokens by usage or chunks; null where no tokenizer is to count it. */
  countedText(): { readonly text: string; readonly tokens: number } | null;
  /** Whether an ok answer keeps within a bound of the SLO. */
  meets(metric: LlmMetricId, max: number): boolean;
  /** Forgets the answer. */
  reset(): void;
}

/** Makes a reader for one template. */
export type AnswerReaderFactory = () => AnswerReader;

/** The readers of a worker: idle ones are kept by template, as many as answers were ever open at once. */
export class AnswerReaders {
  readonly #factories: readonly (AnswerReaderFactory | null)[];
  readonly #idle: readonly AnswerReader[][];

  /** By position in `Plan.requests`; null for templates whose answers are not read. */
  constructor(factories: readonly (AnswerReaderFactory | null)[]) {
    this.#factories = factories;
    this.#idle = factories.map(() => []);
  }

  /** A fresh reader for an answer to `template`, or null. */
  take(template: number): AnswerReader | null {
    const factory = this.#factories[template] ?? null;
    if (factory === null) return null;
    return (this.#idle[template] as AnswerReader[]).pop() ?? factory();
  }

  /** Takes a reader back. */
  giveBack(template: number, reader: AnswerReader): void {
    reader.reset();
    (this.#idle[template] as AnswerReader[]).push(reader);
  }

  /** Whether answers to `template` are read. */
  reads(template: number): boolean {
    return (this.#factories[template] ?? null) !== null;
  }
}
