import { describe, expect, it } from 'vitest';
import { messagesUsage, openAiUsage } from '../../../../shared/llm/usage-of.ts';
import { answerOf, DONE, FINISH, textChunk, usageChunk, valuesOf } from '../../../support/sse-text.ts';

describe('R047 an input of 0 tokens is none that was counted', () => {
  it('in the OpenAI-compatible APIs, whatever the output is', () => {
    expect(openAiUsage({ prompt_tokens: 0, completion_tokens: 3, total_tokens: 3 })).toMatchObject({
      inputTokens: null,
      outputTokens: 3,
    });
    expect(openAiUsage({ prompt_tokens: 0, completion_tokens: 0 })).toMatchObject({ inputTokens: null });
    // Without an input, a total says nothing of the output.
    expect(openAiUsage({ prompt_tokens: 0, total_tokens: 9 })).toBeNull();
  });

  it('in the messages API, unless the cache had all of it', () => {
    expect(messagesUsage({ input_tokens: 0, output_tokens: 54 })).toMatchObject({ inputTokens: null });
    expect(messagesUsage({ input_tokens: 0, cache_read_input_tokens: 7, output_tokens: 54 })).toMatchObject({
      inputTokens: 7,
      cachedTokens: 7,
    });
  });

  it('and gives no sample, unless another event says more', () => {
    const answer = answerOf([[1, textChunk('a') + FINISH + usageChunk(0, 1) + DONE]]);
    expect([valuesOf(answer)('inputTokens'), valuesOf(answer)('outputTokens')]).toEqual([null, 1]);
    const later = answerOf([[1, usageChunk(0, 0) + textChunk('a') + FINISH + usageChunk(12, 1) + DONE]]);
    expect(valuesOf(later)('inputTokens')).toBe(12);
  });
});

describe('R040 a total above its parts', () => {
  const parts = { prompt_tokens: 20, completion_tokens: 198 };

  it('holds reasoning that is said nowhere else', () => {
    expect(openAiUsage({ ...parts, total_tokens: 623 })).toMatchObject({
      inputTokens: 20,
      outputTokens: 603,
      reasoningTokens: 405,
    });
    // Where it is said, the total tells nothing more.
    expect(
      openAiUsage({ ...parts, total_tokens: 623, completion_tokens_details: { reasoning_tokens: 5 } }),
    ).toMatchObject({ outputTokens: 198, reasoningTokens: 5 });
  });

  it('holds an input that was taken from the cache', () => {
    const cached = { prompt_tokens_details: { cached_tokens: 1000 } };
    expect(openAiUsage({ ...parts, ...cached, total_tokens: 1218 })).toMatchObject({
      inputTokens: 1020,
      outputTokens: 198,
      reasoningTokens: null,
    });
  });

  it('is no matter where it is their sum, or below it', () => {
    for (const total of [218, 198, 0])
      expect(openAiUsage({ ...parts, total_tokens: total })).toMatchObject({
        inputTokens: 20,
        outputTokens: 198,
        reasoningTokens: null,
      });
  });
});

describe('R047 usage under the names of two APIs at once', () => {
  it.each([
    { prompt_tokens: 8, completion_tokens: 10, input_tokens: 0, output_tokens: 0 },
    { prompt_tokens: 0, completion_tokens: 0, input_tokens: 8, output_tokens: 10 },
    { prompt_tokens: null, completion_tokens: null, input_tokens: 8, output_tokens: 10 },
  ])('is that of the pair which is filled: %j', (usage) => {
    expect(openAiUsage(usage)).toMatchObject({ inputTokens: 8, outputTokens: 10 });
  });
});
