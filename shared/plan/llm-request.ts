/**
 * From the `llm` section of a request to what goes over the wire: path, headers and JSON body of its API, written as an ordinary
 * request text, so that templates, checks and secrets work as for any other; and to how its answer is read.
 */

import { parseForWriting } from '../exact-json.ts';
import { holdsConversation } from '../llm/conversation.ts';
import { LLM_APIS, type LlmApi } from '../llm/stream-delta.ts';
import { jsonString } from './json-field.ts';
import { DEFAULT_PROMPT, type LlmText } from './llm-grammar.ts';
import type { LlmRequest, TokenizerRef } from './plan.ts';
import type { RequestText } from './request-grammar.ts';
import type { Place } from './plan-field.ts';
import type { ProblemList } from './problem-list.ts';

/** What is needed beside the section. */
export interface LlmContext {
  readonly targetUrl: string;
  /** Null: the key is not looked up. */
  readonly environment: Readonly<Record<string, string | undefined>> | null;
  readonly problems: ProblemList;
  /** Rows may be sessions of several turns. */
  readonly hasLaterTurns: boolean;
  /** Receives the API key. */
  readonly secrets: Set<string>;
}

/** Path of each API behind the base URL of its version. */
const PATHS: Readonly<Record<LlmApi, string>> = {
  chat: '/chat/completions',
  completions: '/completions',
  responses: '/responses',
  messages: '/messages',
};
/** The version that the messages API asks every client to name. */
const MESSAGES_VERSION = '2023-06-01';

/** How the answers to a request with this section are read; `hasLaterTurns`: rows may be sessions of several turns. */
export function llmRequestOf(text: LlmText, hasLaterTurns: boolean, tokenizer: TokenizerRef | null): LlmRequest {
  const { api, strictEnd, maxTokens } = text;
  const { model, stream, exactTokens } = asSent(text);
  const tokensMember = typeof maxTokens === 'string' ? maxTokensName(text) : null;
  const session = hasLaterTurns ? { tokensMember } : null;
  return { api, model, stream, strictEnd, exactTokens, tokenizer, session };
}

/** What the body says of the answer: `extraBody` replaces members, so it is asked first. One that only the row completes is not. */
function asSent(text: LlmText): Pick<LlmRequest, 'model' | 'stream' | 'exactTokens'> {
  const extra = extraMembers(text);
  const member = (name: string, own: unknown): unknown => extra.get(name) ?? own;
  const model = member('model', text.model);
  const stream = member('stream', text.stream);
  const lengths = LENGTH_NAMES.flatMap((name) => extra.get(name) ?? []);
  const length = lengths.length === 0 ? text.maxTokens : lengths[0];
  const isFull = member('ignore_eos', text.ignoreEos) === true || member('min_tokens', null) === length;
  return {
    model: typeof model === 'string' ? model : text.model,
    stream: typeof stream === 'boolean' ? stream : text.stream,
    exactTokens: lengths.length < 2 && isFull ? productOf(length, member('n', 1)) : null,
  };
}

/** Usage counts the tokens of all choices together. A length that the row says stays its mark. */
function productOf(length: unknown, choices: unknown): number | string | null {
  if (typeof length === 'string') return choices === 1 ? length : null;
  const isCountable = Number.isSafeInteger(length) && Number.isSafeInteger(choices) && Number(choices) > 0;
  return isCountable ? Number(length) * Number(choices) : null;
}

/** Names under which the APIs take the length of an answer. */
const LENGTH_NAMES = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'];

function extraMembers({ extraBody }: LlmText): ReadonlyMap<string, unknown> {
  if (extraBody.includes('{{')) return new Map();
  return new Map(Object.entries(JSON.parse(extraBody) as Record<string, unknown>));
}

/** The request with path, headers and body of its `llm` section; as it is where it has none. */
export function expandLlm(request: RequestText, place: Place, context: LlmContext): RequestText {
  const { llm } = request;
  if (llm === null) return request;
  checkParts(request, llm, place, context);
  const own = request.url?.value ?? '/';
  checkTarget(own, llm.api, place, context);
  const path = urlOf(own, llm.api, context.targetUrl);
  const url = path === null ? null : { value: path, place: request.url?.place ?? place };
  const made = headersOf(llm, place, context);
  const given = new Set(request.headers.map(({ name }) => name.toLowerCase()));
  const headers = [...made.filter(({ name }) => !given.has(name.toLowerCase())), ...request.headers];
  return { ...request, method: 'POST', url, headers, body: { value: bodyOf(llm), place } };
}

function checkParts(request: RequestText, llm: LlmText, place: Place, context: LlmContext): void {
  const refuse = (message: string): void => context.problems.add(`${place.path}.llm`, place.origin, message);
  if (request.method !== null && request.method !== 'POST')
    refuse(`is sent by POST, and the request says method ${request.method}: leave the method out`);
  if (request.body !== null || request.bodyFile !== null) refuse('makes the body: give no body or bodyFile beside it');
  if (llm.prompt !== null && llm.messages !== null) refuse('prompt and messages are both given; give one');
  if (llm.api === 'completions' && llm.messages !== null) refuse('the completions API takes a prompt, no messages');
  if (llm.api === 'messages' && llm.maxTokens === null) refuse('the messages API demands maxTokens');
  if (context.hasLaterTurns && !holdsConversation(llm.api))
    refuse('the completions API holds no conversation: use chat for sessions of several turns, or laterTurns: first');
  if (llm.continuousUsage && !llm.includeUsage) refuse('continuousUsage needs includeUsage');
}

/** A body of one API sent to the path of another is answered by errors, or by another API. */
function checkTarget(url: string, api: LlmApi, place: Place, context: LlmContext): void {
  const named = apiAtEnd(pathOf(context.targetUrl));
  if (pathOf(url) !== '' || named === null || named === api) return;
  context.problems.add(
    `${place.path}.llm`,
    place.origin,
    `is of the ${api} API, and the target's URL ends in the path of the ${named} API: name that one, or give the base URL`,
  );
}

/**
 * A bare host gets `/v1` and the API's path; the base URL of an API, which names a version or a deployment, only the latter; any other
 * path stays, and so does a query, that of the target's URL too.
 * Null: the target's URL names the API's path already.
 */
function urlOf(url: string, api: LlmApi, targetUrl: string): string | null {
  const [path = '', ...query] = url.split(/(?=\?)/);
  if (path !== '/' && path !== '') return isVersioned(path) ? withPath(path, api, query) : url;
  const [target = '', ...targetQuery] = targetUrl.split(/(?=\?)/);
  const targetPath = pathOf(targetUrl);
  if (query.length === 0 && apiAtEnd(targetPath) === api) return null;
  const base = isBase(targetPath) ? '' : '/v1';
  if (query.length > 0 || targetQuery.length === 0) return withPath(base, api, query);
  return `${target.replace(/\/$/, '')}${withPath(base, api, targetQuery)}`;
}

/** The path of a URL, or of a path with a query, without a slash at its end. */
function pathOf(url: string): string {
  return url
    .replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '')
    .replace(/\?.*$/s, '')
    .replace(/\/$/, '');
}

/** The API whose path stands at the end of `path`. */
function apiAtEnd(path: string): LlmApi | null {
  // That of completions is the end of that of chat, which comes first.
  return LLM_APIS.find((api) => path.endsWith(PATHS[api])) ?? null;
}

function isVersioned(path: string): boolean {
  return /\/v[0-9]+\/?$/.test(path);
}

/**
 * Whether the API's own path follows this one: hosts put the version in front (`/v1beta/openai`, `/v1/ACCOUNT/GATEWAY/openai`), or have
 * deployments instead of versions (`/openai/deployments/NAME`).
 */
function isBase(path: string): boolean {
  return /\/v[0-9]+(?:[a-z.][a-z0-9.]*)?(?=\/|$)/i.test(path) || /\/deployments\/[^/]+$/.test(path);
}

function withPath(base: string, api: LlmApi, query: readonly string[]): string {
  return `${base.replace(/\/$/, '')}${PATHS[api]}${query.join('')}`;
}

function headersOf(llm: LlmText, place: Place, context: LlmContext): RequestText['headers'] {
  const header = (name: string, value: string) => ({ name, value, place });
  const headers = [header('Content-Type', 'application/json')];
  if (llm.api === 'messages') headers.push(header('anthropic-version', MESSAGES_VERSION));
  if (llm.apiKeyEnv === null || context.environment === null) return headers;
  const { value: name, place: keyPlace } = llm.apiKeyEnv;
  // Secrets that come from files end in a line break.
  const key = context.environment[name]?.trim() ?? '';
  const refusal = keyRefusal(key);
  if (refusal !== null) {
    context.problems.add(keyPlace.path, keyPlace.origin, `the environment variable ${name} ${refusal}`);
    return headers;
  }
  context.secrets.add(key);
  headers.push(llm.api === 'messages' ? header('x-api-key', key) : header('Authorization', `Bearer ${key}`));
  return headers;
}

function keyRefusal(key: string): string | null {
  if (key === '') return 'is not set or empty';
  return /^[!-~]+$/.test(key) ? null : 'holds a space, a control or a non-ASCII character: that is no API key';
}

/** The JSON body: members by name, later ones replace earlier ones; `{{column}}` still in it. */
function bodyOf(llm: LlmText): string {
  const members = new Map<string, string>([['model', jsonString(llm.model)], inputOf(llm)]);
  const { maxTokens } = llm;
  if (maxTokens !== null) members.set(maxTokensName(llm), String(maxTokens));
  members.set('stream', String(llm.stream));
  if (llm.ignoreEos) members.set('ignore_eos', 'true');
  const hasOptions = llm.api === 'chat' || llm.api === 'completions';
  if (asSent(llm).stream && llm.includeUsage && hasOptions) {
    members.set(
      'stream_options',
      llm.continuousUsage ? '{"include_usage":true,"continuous_usage_stats":true}' : '{"include_usage":true}',
    );
  }
  if (llm.extraBody.includes('{{')) return withExtraText(members, llm.extraBody);
  for (const [name, value] of Object.entries(parseForWriting(llm.extraBody) as object))
    members.set(name, JSON.stringify(value));
  return objectOf(members);
}

/** Extra members that only the row completes are put behind the others as they are. */
function withExtraText(members: ReadonlyMap<string, string>, extra: string): string {
  const inner = extra.trim().replace(/^\{/, '').replace(/\}$/, '').trim();
  return `${objectOf(members).slice(0, -1)},${inner}}`;
}

function objectOf(members: ReadonlyMap<string, string>): string {
  return `{${Array.from(members, ([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
}

function inputOf(llm: LlmText): [name: string, json: string] {
  const prompt = jsonString(llm.prompt?.value ?? DEFAULT_PROMPT);
  switch (llm.api) {
    case 'completions':
      return ['prompt', prompt];
    case 'responses':
      return ['input', llm.messages?.value ?? prompt];
    case 'chat':
    case 'messages':
      return ['messages', llm.messages?.value ?? `[{"role":"user","content":${prompt}}]`];
  }
}

function maxTokensName(llm: LlmText): string {
  switch (llm.api) {
    case 'chat':
    case 'completions':
      return llm.maxTokensName;
    case 'responses':
      return 'max_output_tokens';
    case 'messages':
      return 'max_tokens';
  }
}
