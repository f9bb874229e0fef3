/** The text of an answer on its way from a worker to the tokenizer on the main thread. */

/** The text of one answer. */
export interface AnswerText {
  readonly phase: number;
  /** Of its end. */
  readonly window: number;
  /** Position in `Plan.requests`. */
  readonly template: number;
  readonly text: string;
  /** Its output tokens by usage or chunks. */
  readonly tokens: number;
}
