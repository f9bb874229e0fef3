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

describe('R047 usage under the names of two APIs at once', () => {
  it.each([
    { prompt_tokens: 8, completion_tokens: 10, input_tokens: 0, output_tokens: 0 },
    { prompt_tokens: 0, completion_tokens: 0, input_tokens: 8, output_tokens: 10 },
    { prompt_tokens: null, completion_tokens: null, input_tokens: 8, output_tokens: 10 },
  ])('is that of the pair which is filled: %j', (usage) => {
    expect(openAiUsage(usage)).toMatchObject({ inputTokens: 8, outputTokens: 10 });
  });
});
