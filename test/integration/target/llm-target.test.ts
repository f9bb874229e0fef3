import { afterEach, describe, expect, it } from 'vitest';
import { LlmAnswer } from '../../../shared/llm/llm-answer.ts';
import { LLM_APIS, type LlmApi } from '../../../shared/llm/stream-delta.ts';
import { type RunningLlmTarget, startLlmTarget } from '../../../target/llm/llm-target.ts';
import type { LlmTargetOptions } from '../../../target/llm/llm-target-options.ts';

const PATHS: Readonly<Record<LlmApi, string>> = {
  chat: '/v1/chat/completions',
  completions: '/v1/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
};

const open: RunningLlmTarget[] = [];

async function start(options: LlmTargetOptions = {}): Promise<RunningLlmTarget> {
  const target = await startLlmTarget({ firstToken: 'constant:2ms', gap: 'constant:1ms', outputTokens: 8, ...options });
  open.push(target);
  return target;
}

afterEach(async () => {
  for (const target of open.splice(0)) await target.close();
});

interface Answer {
  readonly status: number;
  readonly answer: LlmAnswer;
  /** False when the connection broke before the body's end. */
  readonly whole: boolean;
  readonly reads: number;
}

function post(target: RunningLlmTarget, api: LlmApi, query: string, body: object): Promise<Response> {
  const prompt = 'one two three';
  const field = api === 'completions' ? { prompt } : api === 'responses' ? { input: prompt } : {};
  const messages = api === 'chat' || api === 'messages' ? { messages: [{ role: 'user', content: prompt }] } : {};
  return fetch(`${target.url}${PATHS[api]}${query}`, {
    method: 'POST',
    body: JSON.stringify({
      model: 'm',
      stream: true,
      stream_options: { include_usage: true },
      ...field,
      ...messages,
      ...body,
    }),
  });
}

async function ask(target: RunningLlmTarget, api: LlmApi, query = '', body: object = {}): Promise<Answer> {
  const response = await post(target, api, query, body);
  const answer = new LlmAnswer({ api, stream: true, strictEnd: false });
  let whole = true;
  let reads = 0;
  try {
    for await (const bytes of response.body ?? []) {
      reads += 1;
      answer.take(bytes as Uint8Array, performance.now() * 1e6);
    }
  } catch {
    // The body was cut: the framing of HTTP says so.
    whole = false;
  }
  return { status: response.status, answer, whole, reads };
}

describe('the reference LLM target over sockets', () => {
  it('says that it is there and which model it has, to clients that ask before they begin', async () => {
    const { url } = await start();
    const health = await fetch(`${url}/health`);
    const models = (await (await fetch(`${url}/v1/models`)).json()) as { readonly data: readonly object[] };
    expect([health.status, models.data]).toEqual([200, [expect.objectContaining({ id: 'reference' })]]);
  });

  it.each(LLM_APIS)('streams %s with usage', async (api) => {
    const { status, answer } = await ask(await start(), api, '', { max_tokens: 5 });
    expect([status, answer.judge().kind, answer.clock.chunks]).toEqual([200, 'ok', 5]);
    expect(answer.clock.usage).toMatchObject({ outputTokens: 5, inputTokens: 3 });
  });

  it.each(['chat', 'completions'] as const)(
    'counts along in every chunk of %s where that is asked for',
    async (api) => {
      const target = await start({ tokensPerChunk: 3 });
      const options = { include_usage: true, continuous_usage_stats: true };
      const response = await post(target, api, '', { max_tokens: 8, stream_options: options });
      const text = await response.text();
      const chunks = [...text.matchAll(/^data: (\{.*)$/gm)].map(
        ([, data = '']) => JSON.parse(data) as { choices: unknown[]; usage: Record<string, unknown> },
      );
      // The role opens a chat; 1, 3, 3 and 1 tokens; the finish reason; the whole.
      const counts = [...(api === 'chat' ? [0] : []), 1, 4, 7, 8, 8, 8];
      expect(chunks.map(({ usage }) => usage['completion_tokens'])).toEqual(counts);
      expect(chunks.map(({ usage }) => usage['total_tokens'])).toEqual(counts.map((count) => count + 3));
      expect(chunks.at(-1)?.choices).toEqual([]);
      const answer = new LlmAnswer({ api, stream: true, strictEnd: true });
      answer.take(new TextEncoder().encode(text), 1e6);
      expect(answer.judge()).toEqual({ kind: 'ok' });
      expect(answer.clock).toMatchObject({ tokensPerChunkKnown: true, firstChunkTokens: 1, chunks: 4 });
      expect(answer.clock.tokenGaps.count).toBe(7);
    },
  );

  it.each([
    ['usage is not asked for', '', { continuous_usage_stats: true }, 0],
    ['only the whole is asked for', '', { include_usage: true }, 1],
    ['the server leaves usage out', '?fault=no-usage', { include_usage: true, continuous_usage_stats: true }, 0],
  ])('does not count along where %s', async (_why, query, stream_options, usages) => {
    const response = await post(await start(), 'chat', query, { stream_options });
    expect((await response.text()).split('"usage"')).toHaveLength(usages + 1);
  });

  it.each(LLM_APIS)('answers %s with one body when no stream is asked for', async (api) => {
    const target = await start();
    const response = await post(target, api, '', { stream: false });
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toHaveProperty('usage');
    expect(target.counts()).toMatchObject({ requests: 1, answered: 1, generationTokens: 8, running: 0 });
  });

  it('sends the first token after its law and each gap after its own', async () => {
    const target = await start({ firstToken: 'constant:30ms', gap: 'constant:10ms', tokensPerChunk: 4 });
    const askedAt = performance.now();
    const { answer } = await ask(target, 'chat', '', { max_tokens: 9, ignore_eos: true });
    // 1 + 4 + 4 tokens; each chunk leaves when its last token is there.
    expect(answer.clock.chunks).toBe(3);
    // From the question, which is never late: on a busy machine the first payload may be seen late, and the last not.
    expect(performance.now() - askedAt).toBeGreaterThanOrEqual(30 + 8 * 10);
  });

  it('stops at the requested length, and goes to it with ignore_eos', async () => {
    const target = await start({ outputTokens: 4 });
    expect((await ask(target, 'chat', '', { max_tokens: 2 })).answer.clock).toMatchObject({
      chunks: 2,
      finishReason: 'length',
    });
    expect((await ask(target, 'chat', '', { max_tokens: 6 })).answer.clock).toMatchObject({
      chunks: 4,
      finishReason: 'stop',
    });
    expect((await ask(target, 'chat', '', { max_tokens: 6, ignore_eos: true })).answer.clock.chunks).toBe(6);
  });

  it('R055 counts different prompts and reports a repeated one as cached', async () => {
    const target = await start();
    expect((await ask(target, 'chat')).answer.clock.usage?.cachedTokens).toBe(0);
    expect((await ask(target, 'chat')).answer.clock.usage?.cachedTokens).toBe(3);
    expect(target.counts()).toMatchObject({ requests: 2, uniquePrompts: 1 });
  });

  it('builds a queue in front of its slots', async () => {
    const target = await start({ slots: 1, firstToken: 'constant:20ms', gap: 'constant:5ms', outputTokens: 5 });
    const before = performance.now();
    const answers = await Promise.all(Array.from({ length: 4 }, () => ask(target, 'chat')));
    expect(answers.every(({ answer }) => answer.judge().kind === 'ok')).toBe(true);
    // One after the other: 4 x (20 + 4 x 5) ms.
    expect(performance.now() - before).toBeGreaterThan(155);
    expect(target.counts()).toMatchObject({ answered: 4, running: 0, waiting: 0 });
  });

  it('frees the slot of a client that leaves', async () => {
    const target = await start({ slots: 1, firstToken: 'constant:60s' });
    const control = new AbortController();
    const left = fetch(`${target.url}/v1/completions`, {
      method: 'POST',
      body: '{"prompt":"x","stream":true}',
      signal: control.signal,
    });
    await left;
    control.abort();
    await expect.poll(() => target.counts().running).toBe(0);
  });

  it('tells its numbers in the names of vLLM', async () => {
    const target = await start();
    await ask(target, 'chat');
    await ask(target, 'chat');
    const page = await (await fetch(`${target.url}/metrics`)).text();
    expect(page).toContain('vllm:request_success_total{model_name="reference"} 2');
    expect(page).toContain('vllm:generation_tokens_total{model_name="reference"} 16');
    expect(page).toContain('vllm:time_to_first_token_seconds_count{model_name="reference"} 2');
    expect(page).toMatch(/vllm:time_to_first_token_seconds_bucket\{le="\+Inf",model_name="reference"\} 2/);
    expect(page).toContain('# TYPE vllm:num_requests_waiting gauge');
  });

  it.each([
    ['/v1/chat/completions', '{', 400],
    ['/v1/chat/completions?fault=nonsense', '{"messages":[]}', 400],
    ['/v1/embeddings', '{}', 404],
  ])('refuses %s %s with %i', async (path, body, status) => {
    const target = await start();
    const response = await fetch(`${target.url}${path}`, { method: 'POST', body });
    expect(response.status).toBe(status);
    expect(await response.json()).toHaveProperty('error');
  });
});

describe('faults of the reference LLM target, seen by the fleet', () => {
  it.each([
    ['R042', 'error-event', 'in-stream-error'],
    ['R042', 'error-first', 'in-stream-error'],
    ['R042', 'error-frame', 'in-stream-error'],
    ['R043', 'bare-error', 'in-stream-error'],
    ['R043', 'empty-stream', 'truncated'],
    ['R044', 'truncated', 'truncated'],
  ])('%s %s fails as %s', async (_, fault, failure) => {
    const { answer, status } = await ask(await start(), 'chat', `?fault=${fault}`);
    expect([status, answer.judge()]).toMatchObject([200, { kind: 'failed', class: failure }]);
  });

  it.each([
    ['R044', 'no-done'],
    ['R046', 'late-usage'],
    ['R050', 'crlf'],
    ['R050', 'cr'],
    ['R052', 'joined'],
    ['R051', 'emoji,split'],
    ['R051', 'bom,split'],
    ['R052', 'crlf,split'],
    ['R052', 'comments,cr'],
    ['R040', 'reasoning'],
  ])('%s %s is read whole', async (_, fault) => {
    const { answer } = await ask(await start(), 'chat', `?fault=${fault}`);
    expect([answer.judge().kind, answer.clock.chunks, answer.clock.unreadable]).toEqual(['ok', 8, 0]);
    expect(answer.clock.usage?.outputTokens).toBe(8);
  });

  it('R044 reset breaks the body', async () => {
    const { whole, answer } = await ask(await start(), 'chat', '?fault=reset');
    expect([whole, answer.clock.finishReason]).toEqual([false, null]);
  });

  it('R043 not-streamed comes as one body', async () => {
    const { answer } = await ask(await start(), 'chat', '?fault=not-streamed');
    expect([answer.judge().kind, answer.notStreamed]).toEqual(['ok', true]);
  });

  it('R040 only-reasoning has a first token but no answer token', async () => {
    const { clock } = (await ask(await start(), 'chat', '?fault=only-reasoning')).answer;
    expect([clock.chunksOfKind.reasoning, clock.firstAnswerNs]).toEqual([8, null]);
    expect(clock.usage?.reasoningTokens).toBe(8);
  });

  it('R041 tool-call is one call in fragments', async () => {
    const { clock } = (await ask(await start(), 'chat', '?fault=tool-call')).answer;
    expect([clock.chunksOfKind.tool, clock.toolCalls]).toEqual([8, 1]);
  });

  it('R054 no-tokens is ok without a first token', async () => {
    const { answer } = await ask(await start(), 'chat', '?fault=no-tokens');
    expect([answer.judge().kind, answer.clock.firstPayloadNs, answer.clock.chunks]).toEqual(['ok', null, 0]);
  });

  it('no-usage leaves the counts out, too-many refuses', async () => {
    const target = await start({ faults: 'no-usage' });
    expect((await ask(target, 'chat')).answer.clock.usage).toBeNull();
    expect((await ask(target, 'chat', '?fault=too-many')).status).toBe(429);
  });
});
