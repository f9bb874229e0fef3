import { describe, expect, it } from 'vitest';
import type { Usage } from '../../../../shared/llm/stream-delta.ts';
import { StreamUsage } from '../../../../shared/llm/stream-usage.ts';
import { answerOf, DONE, FINISH, sse, textChunk, usageChunk, valuesOf } from '../../../support/sse-text.ts';

const MS = 1e6;

function counted(outputTokens: number): Usage {
  return { inputTokens: 5, outputTokens, cachedTokens: null, reasoningTokens: null };
}

/** The output tokens of a stream with these counts beside its chunks, then those beside no payload. */
function totalOf(inChunks: readonly number[], beside: readonly number[] = []): number | null | undefined {
  const usage = new StreamUsage();
  for (const count of inChunks) usage.take(counted(count), true);
  for (const count of beside) usage.take(counted(count), false);
  return usage.of(inChunks.length, true)?.outputTokens;
}

describe('R047 usage beside every chunk', () => {
  it.each([
    { inChunks: [1, 2, 3, 4], beside: [], total: 4, why: 'a running count' },
    { inChunks: [3, 6, 6, 9], beside: [10], total: 10, why: 'one with two chunks of one token' },
    { inChunks: [50, 50, 50], beside: [], total: 50, why: 'the sum, known from the start' },
    { inChunks: [10, 20, 30, 40, 38], beside: [], total: 40, why: 'a running count that is put right in the end' },
    { inChunks: [0, 0, 7], beside: [], total: 7, why: 'none before the end' },
    { inChunks: [1, 1, 1, 1], beside: [], total: 4, why: 'a token a chunk' },
    { inChunks: [1, 1, 1, 1], beside: [0], total: 4, why: 'a token a chunk, and none in the end' },
    { inChunks: [1, 1, 1, 1], beside: [1], total: 5, why: 'a token a chunk, and the one that ends the text' },
    { inChunks: [1, 3, 2, 4, 1], beside: [], total: 11, why: 'bundles' },
    { inChunks: [1, 1, 1, 1], beside: [1, 5], total: 5, why: 'each chunk, and the sum in the end' },
    { inChunks: [1], beside: [1], total: 1, why: 'one token, twice' },
  ])('$why: $inChunks then $beside is $total', ({ inChunks, beside, total }) => {
    expect(totalOf(inChunks, beside)).toBe(total);
  });

  it('counted chunk by chunk gives the tokens of the whole answer, and is named', () => {
    const usage = (tokens: number) => ({ usage: { prompt_tokens: 5, completion_tokens: tokens } });
    const chunks = [4, 3, 4, 5].map((tokens, at) => [(100 + 40 * at) * MS, textChunk('words', usage(tokens))] as const);
    const answer = answerOf([...chunks, [240 * MS, FINISH + DONE]]);
    const value = valuesOf(answer);
    expect([value('outputTokens'), value('tpot'), value('itl')]).toEqual([16, 8 * MS, null]);
    expect(answer.clock.isUsageAddedUp).toBe(true);
    answer.reset();
    expect([answer.clock.usage, answer.clock.isUsageAddedUp]).toEqual([null, false]);
  });

  it('of several choices runs in each of them: the sum is told in the end, and no gap is one token of it', () => {
    const chunk = (index: number, tokens: number): string =>
      sse({
        choices: [{ index, delta: { content: 'x' } }],
        usage: { prompt_tokens: 5, completion_tokens: tokens },
      });
    const end = [0, 1].map((index) => sse({ choices: [{ index, delta: {}, finish_reason: 'stop' }] })).join('');
    const answer = answerOf([
      [1 * MS, chunk(0, 3)],
      [2 * MS, chunk(1, 8)],
      [3 * MS, end + usageChunk(5, 11) + DONE],
    ]);
    expect([valuesOf(answer)('outputTokens'), valuesOf(answer)('itl'), valuesOf(answer)('tpot_n1')]).toEqual([
      11,
      null,
      null,
    ]);
    const falling = answerOf([[1, chunk(0, 3) + chunk(1, 1) + chunk(0, 6) + chunk(1, 2) + end + DONE]]);
    expect([valuesOf(falling)('outputTokens'), falling.clock.isUsageAddedUp]).toEqual([6, false]);
  });
});
