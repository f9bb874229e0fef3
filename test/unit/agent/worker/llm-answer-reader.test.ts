import { describe, expect, it } from 'vitest';
import { normaliseDetail } from '../../../../agent/worker/failure-examples.ts';
import { BlockStore } from '../../../../agent/worker/block-store.ts';
import { createAnswerReaders, LlmAnswerReader } from '../../../../agent/worker/llm-answer-reader.ts';
import { ScopeBooks } from '../../../../agent/worker/scope-books.ts';
import type { SeriesBlock } from '../../../../agent/worker/worker-messages.ts';
import { COUNTER, type CounterName } from '../../../../shared/metrics/counters.ts';
import type { Outcome } from '../../../../shared/metrics/outcome.ts';
import type { LlmRequest } from '../../../../shared/plan/plan.ts';
import { createLlmRequest, createPlan } from '../../../support/plan-fixture.ts';
import { chatChunk, DONE, FINISH, sse, textChunk, usageChunk } from '../../../support/sse-text.ts';

const OK: Outcome = { kind: 'ok', status: 200 };
const CHAT = createLlmRequest();
const STAMPS = { intendedNs: 0, sendNs: 10, endNs: 5000 };

/** What one answer leaves in the books. */
function booked(
  pieces: readonly (readonly [number, string])[],
  request: Partial<LlmRequest> = {},
  outcome: Outcome = OK,
  exactTokens: number | null = null,
) {
  const reader = new LlmAnswerReader({ ...CHAT, ...request });
  for (const [tNs, text] of pieces) reader.take(new TextEncoder().encode(text), tNs);
  const judged = reader.judge(outcome, { ...STAMPS, exactTokens });
  const books = new ScopeBooks({ kind: 'window', phase: 0, window: 0 }, new BlockStore());
  const samples = reader.record(books);
  const series: SeriesBlock[] = [];
  const cell = books.handOver(series);
  const counts = new Map(series.map(({ metric, status, block }) => [`${metric} ${status}`, block]));
  return { reader, judged, samples, counts, count: (name: CounterName) => cell[COUNTER[name]] };
}

/** An answer in one body. */
function whole(tokens: number): string {
  return JSON.stringify({
    choices: [{ message: { content: 'x' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: tokens },
  });
}

const three: readonly (readonly [number, string])[] = [
  [100, textChunk('a')],
  [130, textChunk('b')],
  [150, textChunk('c')],
];

describe('an ok stream', () => {
  const { counts, count, samples, judged } = booked([...three, [160, FINISH + usageChunk(4, 3) + DONE]]);

  it('has one sample of each time, one of each gap and one of each token gap', () => {
    expect(judged).toEqual(OK);
    expect([counts.get('ttft ok')?.sum, counts.get('ttft_send ok')?.sum]).toEqual([100, 90]);
    expect([counts.get('chunkGap ok')?.count, counts.get('chunkGap ok')?.sum]).toEqual([2, 50]);
    expect([counts.get('itl ok')?.count, counts.get('tpot ok')?.sum]).toEqual([2, 25]);
    expect([counts.get('outputTokens ok')?.sum, counts.get('inputTokens ok')?.sum]).toEqual([3, 4]);
    expect([...counts.values()].reduce((sum, block) => sum + block.count, 0)).toBe(samples);
  });

  it('counts its tokens by usage', () => {
    expect([count('llm-counted-by-usage'), count('llm-chunks'), count('llm-token-mismatch')]).toEqual([1, 3, 0]);
  });
});

describe('R042 R058 a stream that fails', () => {
  it('had as many tokens as chunks where its usage counts none', () => {
    const none = { usage: { prompt_tokens: 1, completion_tokens: 0 } };
    const died = sse({ error: { message: 'died' } });
    const { counts } = booked([
      [5, textChunk('a', none) + textChunk('b', none)],
      [9, died],
    ]);
    expect(counts.get('outputTokens failed')?.sum).toBe(2);
  });

  it('enters no ok series; what it had brought is kept apart', () => {
    const { judged, counts, count } = booked([...three, [160, sse({ error: { message: 'died', code: 500 } })]]);
    expect(judged).toEqual({ kind: 'failed', class: 'in-stream-error', status: 200, detail: 'server error 500: died' });
    expect([...counts.keys()]).toEqual(['outputTokens failed']);
    expect([count('llm-partial-chunks'), count('llm-chunks')]).toEqual([3, 0]);
  });

  it('says what the body of an error status says', () => {
    const refused: Outcome = { kind: 'failed', class: 'http-status', status: 429, detail: 'status 429' };
    expect(booked([[5, '{"error":{"message":"slow down"}}']], {}, refused).judged).toEqual({
      ...refused,
      detail: 'status 429, server error: slow down',
    });
    expect(booked([[5, 'plain']], {}, refused).judged).toEqual(refused);
  });

  it('R044 by a reset keeps the class of the transport', () => {
    const reset: Outcome = { kind: 'failed', class: 'reset', status: 200, detail: 'ECONNRESET' };
    expect(booked(three, {}, reset).judged).toEqual(reset);
  });
});

describe('R106 a server that repeats the API key', () => {
  it('has it taken out before the text is cut or its digits are', () => {
    const key = 'sk-live-Ab12Cd34Ef56';
    const plan = createPlan();
    const [request] = plan.requests;
    if (request === undefined) throw new Error('no request');
    const headers = [['Authorization', `Bearer ${key}`]] as const;
    const reader = createAnswerReaders({ ...plan, requests: [{ ...request, headers, llm: CHAT }] }).take(0);
    if (reader === null) throw new Error('no reader');
    const refused: Outcome = { kind: 'failed', class: 'http-status', status: 401, detail: 'status 401' };
    for (const outcome of [OK, refused]) {
      for (const padding of [0, 90, 190]) {
        const error = { error: { message: `${'x'.repeat(padding)} bad key ${key}`, code: 401 } };
        reader.take(new TextEncoder().encode(JSON.stringify(error)), 5);
        const judged = reader.judge(outcome, STAMPS);
        const { detail } = judged as Extract<Outcome, { kind: 'failed' }>;
        expect(detail).toContain('server error 401: ');
        expect(detail).toContain('[redacted]');
        expect(normaliseDetail(detail)).not.toMatch(/sk-|live|Ab/);
        reader.reset();
      }
    }
  });

  it.each([
    ['the server cut its end off', (key: string) => `bad key ${key.slice(0, 13)}`],
    ['the server cut its beginning off', (key: string) => `...${key.slice(7)} is no key`],
    ['the server masked its middle', (key: string) => `bad key: ${key.slice(0, 9)}****${key.slice(-8)}, see the docs`],
    // What is kept of the text ends inside of the key; digits are short afterwards, so that the cut is in sight.
    ['our limit is inside of it', (key: string) => `${'1'.repeat(1024 - 13)} ${key}`],
    ['our limit is near its beginning', (key: string) => `${'1'.repeat(1024 - 7)} ${key}`],
  ])('has what is left of it taken out where %s', (_what, messageOf) => {
    const key = 'sk-live-Ab12Cd34Ef56';
    const [request] = createPlan().requests;
    if (request === undefined) throw new Error('no request');
    const headers = [['Authorization', `Bearer ${key}`]] as const;
    const reader = createAnswerReaders({ ...createPlan(), requests: [{ ...request, headers, llm: CHAT }] }).take(0);
    if (reader === null) throw new Error('no reader');
    reader.take(new TextEncoder().encode(JSON.stringify({ error: { message: messageOf(key), code: 401 } })), 5);
    const { detail } = reader.judge(OK, STAMPS) as Extract<Outcome, { kind: 'failed' }>;
    expect(detail).toContain('[redacted]');
    expect(normaliseDetail(detail)).not.toMatch(/sk-|live|Ab|Cd|Ef/);
  });
});

describe('what is odd is counted', () => {
  it('R043 an answer that came whole', () => {
    const whole = '{"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":1,"completion_tokens":2}}';
    const { counts, count } = booked([[50, whole]]);
    expect([count('llm-not-streamed'), counts.has('ttft ok'), counts.get('outputTokens ok')?.sum]).toEqual([
      1,
      false,
      2,
    ]);
    expect(booked([[50, whole]], { stream: false }).count('llm-not-streamed')).toBe(0);
  });

  it('R040 R054 answers without payload, by whether tokens were counted', () => {
    const opened = chatChunk({ role: 'assistant' });
    expect(booked([[5, opened + FINISH + usageChunk(1, 0) + DONE]]).count('llm-empty')).toBe(1);
    const unseen = booked([[5, opened + FINISH + usageChunk(1, 30) + DONE]]);
    expect([unseen.count('llm-unseen-payload'), unseen.counts.has('ttft ok')]).toEqual([1, false]);
  });

  it('R044 R052 no end marker, shared arrivals, comments, unreadable events', () => {
    const { count } = booked([[5, `: hi\n${textChunk('a')}${textChunk('b')}data: what\n\n${FINISH}`]]);
    const names: CounterName[] = [
      'llm-without-marker',
      'llm-shared-arrivals',
      'llm-comments',
      'llm-unreadable-events',
      'llm-counted-by-chunks',
    ];
    expect(names.map(count)).toEqual([1, 1, 1, 1, 1]);
  });

  it('R041 tool calls, of ok answers', () => {
    const call = (index: number) => chatChunk({ tool_calls: [{ index, function: { arguments: '{}' } }] });
    const calls = call(0) + call(1) + call(1);
    const { count } = booked([[5, calls + FINISH + DONE]]);
    expect([count('llm-tool-calls'), count('llm-tool-chunks')]).toEqual([2, 3]);
    expect(booked([[5, calls]]).count('llm-tool-calls')).toBe(0);
  });

  it('R040 reasoning that was counted and not sent, which no chunk holds', () => {
    const details = { completion_tokens_details: { reasoning_tokens: 90 } };
    const end = chatChunk({}, 'stop', { usage: { prompt_tokens: 1, completion_tokens: 93, ...details } });
    const { counts, count } = booked([...three, [200, end + DONE]]);
    expect([count('llm-hidden-reasoning'), count('llm-tokens-in-chunks'), count('llm-token-mismatch')]).toEqual([
      1, 3, 0,
    ]);
    expect(counts.get('outputTokens ok')?.sum).toBe(93);
  });

  it('R047 usage that counts each chunk for itself', () => {
    const chunk = textChunk('a', { usage: { prompt_tokens: 1, completion_tokens: 1 } });
    const { counts, count } = booked([[5, chunk + chunk + chunk + FINISH + DONE]]);
    expect([count('llm-usage-added-up'), counts.get('outputTokens ok')?.sum]).toEqual([1, 3]);
    expect(booked([[5, chunk + FINISH + DONE]]).count('llm-usage-added-up')).toBe(0);
  });

  it('token counts that contradict each other by more than 2 %', () => {
    const end = (tokens: number) => [[200, FINISH + usageChunk(1, tokens) + DONE]] as const;
    expect(booked([...three, ...end(2)]).count('llm-token-mismatch')).toBe(1);
    expect(booked([...three, ...end(12)]).count('llm-token-mismatch')).toBe(0);
    expect(booked([...three, ...end(12)], {}, OK, 13).count('llm-token-mismatch')).toBe(1);
    expect(booked([...three, ...end(199)], {}, OK, 200).count('llm-token-mismatch')).toBe(0);
  });
});

describe('the readers of a worker', () => {
  it('are there for LLM templates only, and used again', () => {
    const plan = createPlan();
    const [request] = plan.requests;
    if (request === undefined) throw new Error('no request');
    const readers = createAnswerReaders({ ...plan, requests: [request, { ...request, llm: CHAT }] });
    expect([readers.take(0), readers.reads(0), readers.reads(1)]).toEqual([null, false, true]);
    const reader = readers.take(1);
    if (reader === null) throw new Error('no reader');
    reader.take(new TextEncoder().encode(textChunk('a')), 5);
    readers.giveBack(1, reader);
    expect(readers.take(1)).toBe(reader);
    expect(reader.judge(OK, STAMPS)).toMatchObject({ kind: 'failed', detail: 'empty stream: no event' });
  });

  it('SLO bounds hold for ok answers that have the metric', () => {
    const { reader } = booked([...three, [160, FINISH + DONE]]);
    expect([reader.meets('ttft', 100), reader.meets('ttft', 99), reader.meets('chunkGap', 29)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(booked(three).reader.meets('ttft', 1e9)).toBe(false);
  });

  it.each([
    ['came whole, of several tokens', [[50, whole(9)]], false],
    ['came whole, of one token', [[50, whole(1)]], true],
    ['is one chunk of several tokens', [[50, textChunk('all') + FINISH + usageChunk(3, 9) + DONE]], true],
    ['has no token', [[50, FINISH + usageChunk(3, 0) + DONE]], false],
  ] as const)('R043 R054 a bound on time per token, and an answer that %s', (_what, pieces, isMet) => {
    const { reader, judged } = booked(pieces);
    expect(judged.kind).toBe('ok');
    for (const metric of ['tpot', 'itl', 'chunkGap', 'ttst'] as const) expect(reader.meets(metric, 1)).toBe(isMet);
    expect(reader.meets('ttft', 1)).toBe(false);
  });
});
