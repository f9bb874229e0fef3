import { describe, expect, it } from 'vitest';
import { AnswerTexts } from '../../../../agent/worker/answer-texts.ts';
import { LlmAnswerReader } from '../../../../agent/worker/llm-answer-reader.ts';
import type { OpenRequest } from '../../../../agent/worker/open-request.ts';
import type { LlmRequest } from '../../../../shared/plan/plan.ts';
import { createLlmRequest } from '../../../support/plan-fixture.ts';
import { chatChunk, DONE, FINISH, textChunk, usageChunk } from '../../../support/sse-text.ts';

const COUNTED = createLlmRequest({ tokenizer: { name: 'words', file: null } });

/** A request whose answer brought `events`. */
function requestWith(events: string, llm: LlmRequest = COUNTED): OpenRequest {
  const reader = new LlmAnswerReader(llm);
  reader.take(new TextEncoder().encode(events + FINISH + usageChunk(5, 3) + DONE), 1e9);
  reader.judge({ kind: 'ok', status: 200 }, { intendedNs: 0, sendNs: 0, endNs: 2.5e9 });
  return { phase: 1, template: 0, endNs: 2.5e9, reader } as unknown as OpenRequest;
}

const twice = textChunk('one two ') + textChunk('three');

describe('texts for a tokenizer', () => {
  it('are those of whole answers, with the window of their end and their tokens by usage', () => {
    const texts = new AnswerTexts();
    expect(texts.add(requestWith(twice))).toBe(true);
    expect(texts.take()).toEqual([{ phase: 1, window: 2, template: 0, text: 'one two three', tokens: 3 }]);
    expect(texts.take()).toEqual([]);
  });

  it('are as many as fit between two hand-overs', () => {
    const texts = new AnswerTexts(30);
    expect([1, 2, 3].map(() => texts.add(requestWith(twice)))).toEqual([true, true, false]);
    expect(texts.take()).toHaveLength(2);
    expect(texts.add(requestWith(twice))).toBe(true);
  });

  it.each([
    ['reasoning', chatChunk({ reasoning_content: 'hm' })],
    ['a tool call', chatChunk({ tool_calls: [{ index: 0, function: { name: 'f', arguments: '{}' } }] })],
  ])('leave out an answer with %s, whose tokens are not in the text', (_what, event) => {
    expect(new AnswerTexts().add(requestWith(event + twice))).toBe(false);
  });

  it('leave out failed answers, and those that no tokenizer is to count', () => {
    expect(new AnswerTexts().add(requestWith('data: {"error":{"message":"x"}}\n\n'))).toBe(false);
    expect(new AnswerTexts().add(requestWith(twice, { ...COUNTED, tokenizer: null }))).toBe(false);
  });
});
