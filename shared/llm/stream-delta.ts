/**
 * What one event of a streamed answer, or one whole JSON answer, says: a list of typed deltas. The readers of all APIs give these, and
 * the token clock knows nothing else. Empty text is no delta: null and "" behave alike (R039).
 */

/** Which API a request speaks. */
export const LLM_APIS = ['chat', 'completions', 'responses', 'messages'] as const;
export type LlmApi = (typeof LLM_APIS)[number];

/** Kinds of generated payload. `tool`: a piece of a tool call or of a legacy function call (R041). `media`: sound or a picture, encoded. */
export type PayloadKind = 'text' | 'reasoning' | 'tool' | 'media';

/** Token counts as a server reports them; null = not said. `inputTokens` includes cached ones, `outputTokens` reasoning ones. */
export interface Usage {
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cachedTokens: number | null;
  readonly reasoningTokens: number | null;
}

/** One thing that an event says. */
export type StreamDelta =
  /**
   * Generated payload, never empty. `call` names the tool call that a fragment belongs to: fragments of one call have one index. `begins`:
   * in the fragment with a call's name, the server's own id of it, '' where it gives none. `whole`: an item as it is in the end, which
   * repeats the pieces that came before it, where any came. `choice`: which of several choices, where it is not the first.
   */
  | {
      readonly kind: 'payload';
      readonly payload: PayloadKind;
      readonly text: string;
      readonly call: number | null;
      readonly begins?: string;
      readonly whole?: true;
      readonly choice?: number;
    }
  /** The answer was opened: a role, an empty delta. No token (R039). */
  | { readonly kind: 'opened' }
  | { readonly kind: 'usage'; readonly usage: Usage }
  /** The model stopped, for `reason`; `choice` as above. */
  | { readonly kind: 'finish'; readonly reason: string; readonly choice?: number }
  /** The stream's own end marker. */
  | { readonly kind: 'done' }
  /** The server gave up (R042). */
  | { readonly kind: 'error'; readonly code: string | null; readonly message: string }
  /** Data that is no JSON object of this API; counted. */
  | { readonly kind: 'unreadable' };

/** Reads one event's data, or one whole JSON body, of an API. */
export interface StreamReader {
  /** Appends what the event says to `into`. Never throws, whatever the data is. */
  event(type: string, data: string, into: StreamDelta[]): void;
  /** Appends what a whole JSON answer (not streamed) says. */
  body(data: string, into: StreamDelta[]): void;
}
