import { describe, expect, it } from 'vitest';
import { planFromJson, planToJson } from '../../../../shared/plan/plan-json.ts';
import type { RequestTemplate } from '../../../../shared/plan/plan.ts';
import { compileTemplate, renderTemplate } from '../../../../shared/plan/template.ts';
import { planErrorOf, planOfText, type PlanSurroundings } from '../../../support/plan-of-text.ts';

const KEY = 'sk-a-key-that-nobody-may-see';

function planWith(llm: string, more = '', surroundings: PlanSurroundings = {}) {
  const text = `target: {url: "http://127.0.0.1:8000"}\nload: [{rate: 10, duration: 1s}]\nworkload: [{llm: ${llm}${more}}]\n`;
  return planOfText(text, { environment: { LLM_KEY: KEY }, ...surroundings });
}

function requestWith(llm: string, more = ''): RequestTemplate {
  return planWith(llm, more).plan.requests[0] as RequestTemplate;
}

function bodyOf(request: RequestTemplate): unknown {
  return request.body.kind === 'text' ? JSON.parse(request.body.text) : null;
}

describe('an llm section becomes the request of its API', () => {
  const user = [{ role: 'user', content: 'Hi "you"' }];
  const options = { include_usage: true };
  it.each([
    [
      'chat',
      '/v1/chat/completions',
      { model: 'm', messages: user, max_tokens: 9, stream: true, stream_options: options },
    ],
    [
      'completions',
      '/v1/completions',
      { model: 'm', prompt: 'Hi "you"', max_tokens: 9, stream: true, stream_options: options },
    ],
    ['responses', '/v1/responses', { model: 'm', input: 'Hi "you"', max_output_tokens: 9, stream: true }],
    ['messages', '/v1/messages', { model: 'm', messages: user, max_tokens: 9, stream: true }],
  ])('%s', (api, path, body) => {
    const request = requestWith(`{api: ${api}, model: m, maxTokens: 9, prompt: 'Hi "you"'}`);
    expect([request.method, request.url, request.name]).toEqual([
      'POST',
      `http://127.0.0.1:8000${path}`,
      `POST ${path}`,
    ]);
    expect(bodyOf(request)).toEqual(body);
    expect(request.headers).toContainEqual(['Content-Type', 'application/json']);
    expect(request.llm).toEqual({
      api,
      model: 'm',
      stream: true,
      strictEnd: false,
      exactTokens: null,
      tokenizer: null,
      session: null,
    });
  });

  it.each([
    [', url: /', 'http://127.0.0.1:8000/v1/chat/completions'],
    [', url: /proxy/v1', 'http://127.0.0.1:8000/proxy/v1/chat/completions'],
    [', url: /proxy/v1/', 'http://127.0.0.1:8000/proxy/v1/chat/completions'],
    [', url: /own/path', 'http://127.0.0.1:8000/own/path'],
  ])('path %s', (more, url) => {
    expect(requestWith('{api: chat}', more).url).toBe(url);
  });

  it.each([
    ['http://h:1/v1/chat/completions', '', 'http://h:1/v1/chat/completions'],
    ['http://h:1/v1/chat/completions?api-version=2', '', 'http://h:1/v1/chat/completions?api-version=2'],
    ['http://h:1', ', url: "/v1?api-version=2"', 'http://h:1/v1/chat/completions?api-version=2'],
    ['http://h:1/v1', ', url: "/?key=2"', 'http://h:1/v1/chat/completions?key=2'],
    ['http://h:1/v1beta/openai', '', 'http://h:1/v1beta/openai/chat/completions'],
    ['http://h:1/v1beta/openai/', '', 'http://h:1/v1beta/openai/chat/completions'],
    ['http://h:1/v1/ACCOUNT/GATEWAY/openai', '', 'http://h:1/v1/ACCOUNT/GATEWAY/openai/chat/completions'],
    ['http://h:1/openai/deployments/gpt', '', 'http://h:1/openai/deployments/gpt/chat/completions'],
    [
      'http://h:1/openai/deployments/gpt?api-version=2025-01-01',
      '',
      'http://h:1/openai/deployments/gpt/chat/completions?api-version=2025-01-01',
    ],
    ['http://v1/proxy', '', 'http://v1/proxy/v1/chat/completions'],
    ['http://h:1/v1/completions', ', url: /own', 'http://h:1/v1/completions/own'],
  ])('R028 target %s%s', (target, more, url) => {
    const text = `target: {url: "${target}"}\nload: [{rate: 10, duration: 1s}]\nworkload: [{llm: {api: chat}${more}}]\n`;
    expect(planOfText(text).plan.requests[0]?.url).toBe(url);
  });

  it.each([
    ['chat', '/v1/completions', 'completions'],
    ['completions', '/v1/chat/completions', 'chat'],
    ['messages', '/v1/chat/completions/', 'chat'],
    ['chat', '/v1/responses?api-version=2', 'responses'],
  ])('a body of %s is not sent to the path %s', (api, path, named) => {
    const text = `target: {url: "http://h:1${path}"}\nload: [{rate: 10, duration: 1s}]\nworkload: [{llm: {api: ${api}, maxTokens: 9}}]\n`;
    expect(() => planOfText(text)).toThrow(`ends in the path of the ${named} API`);
  });

  it('an answer is read and reported as the body asks for it after extra members', () => {
    const request = requestWith(
      '{api: chat, ignoreEos: true, maxTokens: 9, extraBody: {stream: false, max_tokens: 5, model: other}}',
    );
    expect(request.llm).toMatchObject({ stream: false, exactTokens: 5, model: 'other' });
    // Servers refuse options of a stream where none is asked for.
    expect(bodyOf(request)).not.toHaveProperty('stream_options');
    expect(requestWith('{api: chat, maxTokens: 9, extraBody: {ignore_eos: true}}').llm?.exactTokens).toBe(9);
  });

  it('extra members replace, and take numbers and words as JSON has them', () => {
    const body = bodyOf(
      requestWith(
        '{api: chat, ignoreEos: true, maxTokens: 5, extraBody: {temperature: 0.5, stream: false, stop: ["x"], seed: "1", top: null}}',
      ),
    );
    expect(body).toMatchObject({
      temperature: 0.5,
      stream: false,
      stop: ['x'],
      seed: '1',
      top: null,
      ignore_eos: true,
    });
  });

  it.each([
    ['{seed: 12345678901234567890, big: +9007199254740993}', '"seed":12345678901234567890,"big":9007199254740993'],
    [`'{"seed": 12345678901234567890}'`, '"seed":12345678901234567890'],
    ['{a: True, b: FALSE, c: "True"}', '"a":true,"b":false,"c":"True"'],
  ])('R086 extra members keep every digit and the words of YAML: %s', (extraBody, sent) => {
    const { body } = requestWith(`{api: chat, extraBody: ${extraBody}}`);
    expect(body).toMatchObject({ kind: 'text', text: expect.stringContaining(sent) });
  });

  it('knows how long an answer must be only where the end of text is ignored', () => {
    expect(requestWith('{api: chat, maxTokens: 5}').llm?.exactTokens).toBeNull();
    expect(requestWith('{api: chat, maxTokens: 5, ignoreEos: true}').llm?.exactTokens).toBe(5);
  });

  it.each([
    ['maxTokens: "{{count}}", ignoreEos: true', '{{count}}'],
    ['maxTokens: "{{count}}"', null],
    ['maxTokens: "{{count}}", ignoreEos: true, extraBody: {n: 2}', null],
    ['ignoreEos: true, extraBody: {max_tokens: 7}', 7],
  ])('R047 or where the row says how long: %s', (llm, tokens) => {
    const text = `target: {url: "http://127.0.0.1:8000"}\ndata: {file: rows.csv}\nload: [{rate: 10, duration: 1s}]\nworkload: [{llm: {api: chat, ${llm}}}]\n`;
    const { plan } = planOfText(text, { files: { 'rows.csv': 'count\n7\n' } });
    expect(plan.requests[0]?.llm?.exactTokens).toBe(tokens);
    expect(planFromJson(planToJson(plan))).toEqual(plan);
  });

  it.each([
    ['ignoreEos: true, extraBody: {n: 2}', 10],
    ['ignoreEos: true, extraBody: {n: null}', 5],
    ['ignoreEos: true, extraBody: {n: two}', null],
    ['extraBody: {min_tokens: 5}', 5],
    ['extraBody: {min_tokens: 4}', null],
  ])('R047 counts the tokens of all choices, and those of a least length that is the most: %s', (more, tokens) => {
    expect(requestWith(`{api: chat, maxTokens: 5, ${more}}`).llm?.exactTokens).toBe(tokens);
  });

  it('columns are escaped inside texts, raw where they are JSON or a number', () => {
    const files = { 'rows.csv': 'ask,talk,count\n"say ""a""\nb","[{""role"":""user"",""content"":""x""}]",7\n' };
    const text = (llm: string) =>
      `target: {url: "http://127.0.0.1:8000"}\ndata: {file: rows.csv}\nload: [{rate: 10, duration: 1s}]\nworkload: [{llm: ${llm}}]\n`;
    const columns = ['ask', 'talk', 'count'];
    const row = ['say "a"\nb', '[{"role":"user","content":"x"}]', '7'];
    const rendered = (llm: string): unknown => {
      const [request] = planOfText(text(llm), { files }).plan.requests;
      if (request?.body.kind !== 'text') throw new Error('no text body');
      return JSON.parse(renderTemplate(compileTemplate(request.body.text, columns), row));
    };
    expect(rendered("{api: chat, prompt: 'Q: {{ask}}', maxTokens: '{{count}}'}")).toMatchObject({
      messages: [{ role: 'user', content: 'Q: say "a"\nb' }],
      max_tokens: 7,
    });
    expect(rendered("{api: chat, messages: '{{talk}}'}")).toMatchObject({ messages: [{ role: 'user', content: 'x' }] });
  });

  it('a plan with it crosses the wire unchanged', () => {
    const { plan } = planWith('{api: messages, maxTokens: 3, strictEnd: true}');
    expect(planFromJson(planToJson(plan))).toEqual(plan);
  });
});

describe('R106 the API key', () => {
  it.each([
    ['chat', ['Authorization', `Bearer ${KEY}`]],
    ['messages', ['x-api-key', KEY]],
  ])('of %s is sent, and hidden in all output', (api, header) => {
    const parsed = planWith(`{api: ${api}, maxTokens: 3, apiKeyEnv: LLM_KEY}`);
    expect(parsed.plan.requests[0]?.headers).toContainEqual(header);
    expect(parsed.secrets).toContain(KEY);
    expect(parsed.effectiveYaml).not.toContain(KEY);
  });

  it('is trimmed, and named where it cannot be sent', () => {
    const parsed = planWith('{api: chat, apiKeyEnv: LLM_KEY}', '', { environment: { LLM_KEY: `${KEY}\n` } });
    expect(parsed.plan.requests[0]?.headers).toContainEqual(['Authorization', `Bearer ${KEY}`]);
    const broken = () => planWith('{api: chat, apiKeyEnv: LLM_KEY}', '', { environment: { LLM_KEY: 'sk-two\nlines' } });
    expect(broken).toThrow(/apiKeyEnv: the environment variable LLM_KEY holds a space, a control/);
    expect(broken).not.toThrow(/sk-two/);
  });

  it('a header that is given wins, and a missing variable is a problem', () => {
    const own = requestWith('{api: chat, apiKeyEnv: LLM_KEY}', ', headers: {authorization: Basic abc}');
    expect(own.headers.filter(([name]) => name.toLowerCase() === 'authorization')).toEqual([
      ['authorization', 'Basic abc'],
    ]);
    expect(() => planWith('{api: chat, apiKeyEnv: NO_SUCH}')).toThrow(/NO_SUCH is not set/);
  });
});

describe('what an llm section may not say', () => {
  it.each([
    ['{api: chat}', ', body: x', /no body or bodyFile/],
    ['{api: chat, prompt: a, messages: [{role: user, content: b}]}', '', /prompt and messages are both given/],
    ['{api: completions, messages: [{role: user, content: b}]}', '', /takes a prompt/],
    ['{api: messages}', '', /demands maxTokens/],
    ['{api: chats}', '', /did you mean "chat"/],
    ['{api: chat}', ', method: GET', /is sent by POST, and the request says method GET/],
    ['{api: chat, maxTokens: 0}', '', /neither a whole number/],
    ['{api: chat, messages: hello}', '', /is not a list of messages/],
    ['{api: chat, extraBody: "[1]"}', '', /is not a mapping/],
    ['{api: chat, apiKeyEnv: "sk-12345"}', '', /does not belong into a plan/],
  ])('%s%s', (llm, more, message) => {
    expect(
      planErrorOf(
        `target: {url: "http://127.0.0.1:8000"}\nload: [{rate: 10, duration: 1s}]\nworkload: [{llm: ${llm}${more}}]\n`,
      ),
    ).toMatch(message);
  });
});

describe('flags', () => {
  const run = (flags: Record<string, string[]>) =>
    planOfText(null, { flags: { url: ['http://127.0.0.1:8000'], rate: ['5'], duration: ['1s'], ...flags } });

  it('make an LLM request of one line', () => {
    const { plan, warnings } = run({
      llm: ['chat'],
      model: ['m'],
      prompt: ['p'],
      'max-tokens': ['8'],
      'ignore-eos': ['true'],
      slo: ['ttft:500ms,tpot:30ms,e2e:20s'],
    });
    expect(plan.requests[0]?.url).toBe('http://127.0.0.1:8000/v1/chat/completions');
    expect(plan.requests[0]?.llm?.exactTokens).toBe(8);
    expect(plan.slo).toEqual([
      { metric: 'ttft', maxNs: 500e6 },
      { metric: 'tpot', maxNs: 30e6 },
      { metric: 'response', maxNs: 20e9 },
    ]);
    expect(warnings.join()).toContain('every prompt is the same');
  });

  it('R089 two bounds on one metric are refused', () => {
    expect(() => run({ slo: ['ttft:500ms,tpot:30ms, ttft:1s'] })).toThrow(/--slo: "ttft" is bounded twice/);
    expect(() => run({ slo: ['ttft:500ms', 'ttft:1s'] })).toThrow(/"ttft" is bounded twice/);
  });

  it('thresholds take every metric in its own unit', () => {
    const { plan } = run({
      llm: ['chat'],
      threshold: ['p99(ttft)<1s', 'mean(outputTokens)>=20', 'p50(outputTokenRate)>=25.5/s', 'p90(e2e)<2s'],
    });
    expect(plan.thresholds.map(({ bound }) => bound)).toEqual([1e9, 20, 25_500, 2e9]);
    expect(plan.thresholds[3]?.statistic).toMatchObject({ metric: 'response' });
    expect(() => run({ threshold: ['p99(outputTokens)<1s'] })).toThrow(/number of tokens/);
    expect(() => run({ slo: ['outputTokens:5ms'] })).toThrow(/outputTokens/);
  });
});
