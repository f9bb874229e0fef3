import { describe, expect, it } from 'vitest';
import { BlockStore } from '../../../../agent/worker/block-store.ts';
import { LlmAnswerReader } from '../../../../agent/worker/llm-answer-reader.ts';
import { ScopeBooks } from '../../../../agent/worker/scope-books.ts';
import type { SeriesBlock } from '../../../../agent/worker/worker-messages.ts';
import { emptyAccounting } from '../../../../coordinator/merge/accounting.ts';
import { ScopeTotals } from '../../../../coordinator/merge/scope-totals.ts';
import { compatRows, deviationOf } from '../../../../coordinator/report/llm-compat.ts';
import { llmSchema } from '../../../../coordinator/report/llm-schema.ts';
import { llmLines } from '../../../../coordinator/report/llm-summary.ts';
import { llmValue } from '../../../../coordinator/report/llm-value.ts';
import { vllmValue } from '../../../../coordinator/report/llm-vllm.ts';
import { ScopeData, sumData } from '../../../../coordinator/report/scope-data.ts';
import { COUNTER } from '../../../../shared/metrics/counters.ts';
import { Histogram } from '../../../../shared/histogram/histogram.ts';
import { readDecodedSparse } from '../../../../shared/histogram/sparse-form.ts';
import { encodeSparse } from '../../../../shared/histogram/sparse-histogram.ts';
import { createLlmRequest, createPlan } from '../../../support/plan-fixture.ts';
import { DONE, FINISH, textChunk, usageChunk } from '../../../support/sse-text.ts';
import { Ajv2020 } from 'ajv/dist/2020.js';

const MS = 1e6;
const CHAT = createLlmRequest();

/** The measured data of one stream: `tokens` tokens of 20 ms, the first after 2 s, `bundle` of them in a chunk. */
function streamData(tokens: number, bundle: number, counted = false): ScopeData {
  const reader = new LlmAnswerReader(CHAT);
  const encoder = new TextEncoder();
  for (let sent = 0; sent < tokens; sent += bundle) {
    const usage = { usage: { prompt_tokens: 10, completion_tokens: sent + bundle } };
    reader.take(encoder.encode(textChunk('x', counted ? usage : {})), 2000 * MS + sent * 20 * MS);
  }
  const endNs = 2000 * MS + tokens * 20 * MS;
  reader.take(encoder.encode(FINISH + usageChunk(10, tokens) + DONE), endNs);
  expect(reader.judge({ kind: 'ok', status: 200 }, { intendedNs: 0, sendNs: 0, endNs })).toMatchObject({ kind: 'ok' });
  const books = new ScopeBooks({ kind: 'window', phase: 0, window: 0 }, new BlockStore());
  reader.record(books);
  const series: SeriesBlock[] = [];
  const totals = new ScopeTotals(65_536);
  totals.addCell(books.handOver(series));
  for (const { metric, status, block } of series) {
    totals.addSeries(metric, status, readDecodedSparse(encodeSparse(block)));
  }
  return new ScopeData({ ...emptyAccounting(), scheduled: 1, ok: 1 }, totals, 10e9);
}

function meanMs(data: ScopeData, tool: string, name: string): number {
  const row = compatRows(data).find((one) => one.tool === tool && one.name === name);
  if (row === undefined || row.mean === null) throw new Error(`${tool} has no ${name}`);
  return row.mean / MS;
}

describe('M§10 TTFT 2 s, 200 tokens, 20 ms, by the definitions of others', () => {
  const data = streamData(200, 1);
  it.each([
    ['vLLM bench', 'tpot', 20.0],
    ['vLLM bench', 'itl', 20.0],
    ['vLLM bench', 'ttft', 2000],
    ['vLLM bench', 'e2el', 5980],
    ['GenAI-Perf', 'inter token latency', 20.0],
    ['AIPerf', 'inter_token_latency', 20.0],
    ['LLMPerf', 'inter_token_latency_s (per token)', 29.9],
    ['inference-perf', 'time_per_output_token', 20.0],
    ['inference-perf', 'inter_token_latency', 20.0],
    ['inference-perf', 'normalized_time_per_output_token', 29.9],
    ['GuideLLM', 'time_per_output_token_ms', 29.9],
    ['GuideLLM', 'inter_token_latency_ms', 20.0],
    ['SGLang', 'itl', 20.0],
  ])('%s %s is %f ms', (tool, name, milliseconds) => {
    expect(meanMs(data, tool, name)).toBeCloseTo(milliseconds, 5);
  });

  it('LLMPerf per message divides by the events too, the finish and usage messages among them', () => {
    expect(meanMs(data, 'LLMPerf', 'inter_token_latency_s (per message)')).toBeCloseTo(5980 / 202, 4);
  });

  it('AIPerf and others agree with e2e = ttft + itl (n - 1)', () => {
    const [e2e, ttft, itl] = ['request_latency', 'ttft', 'inter_token_latency'].map((name) =>
      meanMs(data, 'AIPerf', name),
    ) as [number, number, number];
    expect(ttft + itl * 199).toBeCloseTo(e2e, 6);
  });
});

describe('M§10 the same tokens in chunks of 8', () => {
  const data = streamData(200, 8, true);
  it('vLLM itl is eight times as long, tpot 19.296, n - n1 gives 20.0 again', () => {
    expect(meanMs(data, 'vLLM bench', 'itl')).toBeCloseTo(160, 6);
    expect(meanMs(data, 'vLLM bench', 'tpot')).toBeCloseTo(19.296, 3);
    expect(Number(data.histogram('tpot_n1', 'ok').mean()) / MS).toBe(20);
    expect(Number(data.histogram('itl', 'ok').mean()) / MS).toBe(20);
  });

  it('inference-perf gives the tokens of a chunk zeros, so its mean is that of tpot', () => {
    expect(meanMs(data, 'inference-perf', 'inter_token_latency')).toBeCloseTo(19.296, 3);
  });
});

describe('the section llm', () => {
  const plan = createPlan();
  const [request] = plan.requests;
  if (request === undefined) throw new Error('no request');
  const llmPlan = { ...plan, requests: [{ ...request, llm: CHAT }] };
  const value = llmValue(llmPlan, streamData(200, 8));

  it('is there for LLM requests only, as its schema says', () => {
    expect(llmValue(plan, streamData(8, 1))).toBeNull();
    expect(new Ajv2020().validate(llmSchema, value)).toBe(true);
  });

  it('R047 names the source of counts and says when a chunk is no token', () => {
    expect(value).toMatchObject({
      outputTokens: 200,
      inputTokens: 10,
      tokensPerChunk: 8,
      outputTokensPerSecond: 20,
      totalTokensPerSecond: 21,
    });
    expect(value?.tokenSources).toEqual({ usage: 1, chunks: 0 });
    expect(value?.notes.join()).toMatch(/8\.00 tokens on average/);
    expect(llmValue(llmPlan, streamData(200, 1))?.notes).toEqual([]);
  });

  it('R093 without any answer it has no NaN, and null where nothing was measured', () => {
    const empty = new ScopeData(emptyAccounting(), new ScopeTotals(65_536), 0);
    const nothing = llmValue(llmPlan, empty);
    expect(JSON.stringify([nothing, llmLines({ llm: nothing, metrics: {} })])).not.toMatch(/NaN|Infinity/);
    expect(nothing).toMatchObject({ tokensPerChunk: null, outputTokensPerSecond: null, inputTokens: null });
  });

  it('is in the summary with the rows of all tools', () => {
    const text = llmLines({ llm: value, metrics: streamData(200, 8).metrics() }).join('\n');
    for (const word of ['ttft', 'tpot', 'vLLM bench', 'GuideLLM', 'note: a chunk holds']) expect(text).toContain(word);
  });

  it('has the keys that scripts for vLLM read', () => {
    if (value === null) throw new Error('no section');
    const facts = {
      startedAt: '2026-01-01T00:00:00Z',
      api: 'chat',
      requestRate: 1,
      arrivals: null,
      goodputPerSecond: null,
    };
    expect(vllmValue(value, streamData(200, 8), facts)).toMatchObject({
      completed: 1,
      failed: 0,
      total_output_tokens: 200,
      mean_ttft_ms: 2000,
      mean_itl_ms: 160,
      std_itl_ms: expect.closeTo(0, 0),
      p99_e2el_ms: 5840,
      output_throughput: 20,
    });
  });

  it('R047 says when the input tokens are not those of all answers', () => {
    const data = streamData(200, 8);
    data.cell[COUNTER['llm-counted-by-chunks']] = 3;
    expect(llmValue(llmPlan, data)?.notes.join()).toMatch(/input tokens are those of 1 of 4 answers/);
  });

  it('R093 of a batch has the tokens per second up to its last end, and counts what was not completed as failed', () => {
    const one = streamData(200, 8);
    const totals = new ScopeTotals(65_536);
    one.addTo(totals);
    const batch = sumData([new ScopeData({ ...one.accounting, scheduled: 4 }, totals, 0, 5e9)]);
    const section = llmValue(llmPlan, batch);
    expect(section).toMatchObject({ outputTokensPerSecond: 40, totalTokensPerSecond: 42 });
    if (section === null) throw new Error('no section');
    const arrivals = { kind: 'all-at-once', count: 4 } as const;
    const facts = { startedAt: '', api: 'chat', requestRate: null, arrivals, goodputPerSecond: null };
    expect(vllmValue(section, batch, facts)).toMatchObject({
      duration: 5,
      request_rate: 'inf',
      max_concurrency: null,
      num_prompts: 4,
      completed: 1,
      failed: 3,
      request_throughput: 0.2,
      output_throughput: 40,
    });
    expect(batch.rate().okPerSecond).toBeNull();
    const unknown = sumData([batch, new ScopeData(emptyAccounting(), new ScopeTotals(65_536), 0)]);
    expect([unknown.workNs, unknown.perSecondOfWork(1)]).toEqual([null, null]);
  });

  it('a standard deviation is right to a bucket, and null without samples', () => {
    const histogram = new Histogram();
    expect(deviationOf(histogram)).toBeNull();
    for (const data of [streamData(2, 1), streamData(2, 1)]) histogram.add(data.histogram('ttft', 'ok'));
    expect(deviationOf(histogram)).toBeLessThan(2e6);
  });
});
