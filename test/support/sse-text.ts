/** Builds streams of OpenAI-compatible answers for tests, and plays them into an answer at given instants. */

import { AnswerValues } from '../../shared/llm/answer-values.ts';
import { LlmAnswer, type AnswerRules } from '../../shared/llm/llm-answer.ts';
import type { LlmMetricId } from '../../shared/metrics/metric.ts';

const encoder = new TextEncoder();

/** One event whose data is `value` as JSON. */
export function sse(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** A chat chunk with this delta. */
export function chatChunk(delta: object, finishReason: string | null = null, more: object = {}): string {
  return sse({ choices: [{ index: 0, delta, finish_reason: finishReason }], ...more });
}

/** A chat chunk with text. */
export function textChunk(content: string, more: object = {}): string {
  return chatChunk({ content }, null, more);
}

/** A chunk with usage and no choices. */
export function usageChunk(promptTokens: number, completionTokens: number): string {
  return sse({ choices: [], usage: { prompt_tokens: promptTokens, completion_tokens: completionTokens } });
}

export const FINISH = chatChunk({}, 'stop');
export const DONE = 'data: [DONE]\n\n';

/** An answer read from pieces, each with the instant (ns) at which it arrived. */
export function answerOf(
  pieces: readonly (readonly [tNs: number, text: string])[],
  rules: Partial<AnswerRules> = {},
): LlmAnswer {
  const answer = new LlmAnswer({ api: 'chat', stream: true, strictEnd: false, ...rules });
  for (const [tNs, text] of pieces) answer.take(encoder.encode(text), tNs);
  return answer;
}

/** Values of an answer that was intended and sent at 0 and ended at `endNs`. */
export function valuesOf(answer: LlmAnswer, endNs = 0): (metric: LlmMetricId) => number | null {
  const values = new AnswerValues(answer, { intendedNs: 0, sendNs: 0, endNs });
  return (metric) => values.valueOf(metric);
}
