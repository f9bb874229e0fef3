import { describe, expect, it } from 'vitest';
import { AnswerValues } from '../../../../shared/llm/answer-values.ts';
import { answerOf, chatChunk, DONE, FINISH, textChunk, usageChunk, valuesOf } from '../../../support/sse-text.ts';

const MS = 1e6;

describe('R046 times end with the last token, and add up', () => {
  it('usage and end marker extend no token time', () => {
    const answer = answerOf([
      [313 * MS + 1, textChunk('a')],
      [700 * MS + 5, textChunk('b')],
      [1000 * MS, textChunk('c')],
      [1150 * MS, usageChunk(3, 3)],
      [1160 * MS, DONE],
    ]);
    const value = valuesOf(answer, 1170 * MS);
    expect(value('lastToken')).toBe(1000 * MS);
    expect((value('ttft') ?? 0) + answer.clock.gaps.sum).toBe(1000 * MS);
  });
});

describe('R047 one event is not one token', () => {
  it('100 tokens in 25 events: per-token time from usage, gaps named chunk gaps', () => {
    const chunks = Array.from({ length: 25 }, (_, index) => [(100 + index * 24) * MS, textChunk('four')] as const);
    const answer = answerOf([...chunks, [700 * MS, usageChunk(5, 100) + FINISH + DONE]]);
    const value = valuesOf(answer);
    expect(value('chunkGap')).toBe(24 * MS);
    expect(value('tpot')).toBe(Math.floor((576 * MS) / 99));
    expect(value('tokensPerChunk')).toBe(4000);
    expect([value('itl'), value('tpot_n1')]).toEqual([null, null]);
  });

  it('M§10 bundles of 8: TPOT over n - 1 is 19.296 ms, over n - n1 exactly 20 ms', () => {
    const chunks = Array.from({ length: 25 }, (_, index) => {
      const usage = { prompt_tokens: 5, completion_tokens: 8 * (index + 1) };
      return [(2000 + index * 160) * MS, textChunk('eight', { usage })] as const;
    });
    const value = valuesOf(answerOf([...chunks, [5841 * MS, FINISH + DONE]]));
    expect(value('tpot')).toBe(Math.floor((3840 * MS) / 199));
    expect((value('tpot') ?? 0) / MS).toBeCloseTo(19.296, 3);
    expect(value('tpot_n1')).toBe(20 * MS);
    expect(value('itl')).toBe(20 * MS);
  });
});

describe('R040 reasoning that is counted and not sent', () => {
  const usage = (output: number, reasoning: number) => ({
    usage: {
      prompt_tokens: 5,
      completion_tokens: output,
      completion_tokens_details: { reasoning_tokens: reasoning },
    },
  });
  /** 100 chunks of a token, 20 ms apart, behind 10 s of silence. */
  const chunks = Array.from({ length: 100 }, (_, at) => [(10_000 + at * 20) * MS, textChunk('x')] as const);
  const METRICS = ['tpot', 'itl', 'tpot_n1', 'tokensPerChunk', 'outputTokens', 'ntpot'] as const;

  it('is in no time between tokens', () => {
    const answer = answerOf([...chunks, [12_000 * MS, chatChunk({}, 'stop', usage(1000, 900)) + DONE]]);
    const value = valuesOf(answer);
    expect(METRICS.map(value)).toEqual([20 * MS, 20 * MS, 20 * MS, 1000, 1000, 11.98 * MS]);
    expect(value('outputTokenRate')).toBe(50_000);
    // As vLLM counts.
    expect(value('tpot_open')).toBe(Math.floor((1980 * MS) / 999));
  });

  it('is so by a running count too', () => {
    const counted = chunks.map(([tNs], at) => [tNs, textChunk('x', usage(901 + at, 900))] as const);
    const value = valuesOf(answerOf([...counted, [12_000 * MS, FINISH + DONE]]));
    expect(METRICS.map(value)).toEqual([20 * MS, 20 * MS, 20 * MS, 1000, 1000, 11.98 * MS]);
  });

  it('is hidden only where none of it came', () => {
    const seen = [9000 * MS, chatChunk({ reasoning_content: 'hm' })] as const;
    const value = valuesOf(answerOf([seen, ...chunks, [12_000 * MS, chatChunk({}, 'stop', usage(1000, 900)) + DONE]]));
    expect([value('tpot'), value('outputTokens')]).toEqual([Math.floor((2980 * MS) / 999), 1000]);
    // As text, by a server that has no parser for it: 100 tokens are too few for 250 chunks.
    const text = Array.from({ length: 250 }, (_, at) => [(10_000 + at * 20) * MS, textChunk('wxyz')] as const);
    const asText = valuesOf(answerOf([...text, [16_000 * MS, chatChunk({}, 'stop', usage(1000, 900)) + DONE]]));
    expect([asText('tpot'), asText('tokensPerChunk')]).toEqual([Math.floor((4980 * MS) / 999), 4000]);
    const only = answerOf([[5 * MS, textChunk('x') + chatChunk({}, 'stop', usage(9, 9)) + DONE]]);
    expect([valuesOf(only)('tpot'), valuesOf(only)('tokensPerChunk'), only.judge().kind]).toEqual([null, 9000, 'ok']);
  });
});

describe('R052 events of one read share its instant', () => {
  it('and are counted as shared arrivals', () => {
    const answer = answerOf([
      [5 * MS, textChunk('a') + textChunk('b') + textChunk('c')],
      [9 * MS, textChunk('d') + FINISH],
    ]);
    expect(answer.clock.sharedArrivals).toBe(2);
    expect([answer.clock.gaps.count, answer.clock.gaps.sum]).toEqual([3, 4 * MS]);
  });
});

describe('R054 answers of no token and of one', () => {
  it('an empty answer is ok and has no token time', () => {
    const answer = answerOf([
      [3 * MS, chatChunk({ role: 'assistant' })],
      [5 * MS, FINISH + usageChunk(4, 0) + DONE],
    ]);
    const value = valuesOf(answer);
    expect(answer.judge().kind).toBe('ok');
    expect([value('ttft'), value('tpot'), value('ntpot'), value('outputTokenRate'), value('tokensPerChunk')]).toEqual(
      Array.from({ length: 5 }, () => null),
    );
    expect(value('outputTokens')).toBe(0);
  });

  it('an answer of one token has no time per token, and meets a bound on it', () => {
    const answer = answerOf([[3 * MS, textChunk('a') + FINISH + DONE]]);
    const values = new AnswerValues(answer, { intendedNs: 0, sendNs: 0, endNs: 4 * MS });
    expect([values.valueOf('ttft'), values.valueOf('tpot')]).toEqual([3 * MS, null]);
    expect([values.meets('tpot', 1), values.meets('ttft', 1)]).toEqual([true, false]);
  });

  it('an answer within one read has no rate', () => {
    const answer = answerOf([[3 * MS, textChunk('a') + textChunk('b') + FINISH + DONE]]);
    expect([valuesOf(answer)('tpot'), valuesOf(answer)('outputTokenRate')]).toEqual([0, null]);
  });
});
