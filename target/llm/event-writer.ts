/**
 * The events of a streamed answer as each API writes them, and the whole body of one that is not streamed. Texts only: when they leave
 * is the stream's business.
 */

import type { CompletionRequest } from './completion-request.ts';
import type { StreamFault } from './stream-fault.ts';

/** Token counts of one answer. */
export interface AnswerUsage {
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
}

/** Which kind of payload a token is. */
export type TokenKind = 'text' | 'reasoning' | 'tool';

/** The data of events, without `data:` and line ends; `type` is the event's name where the API names them. */
export interface EventText {
  readonly type: string | null;
  readonly data: string;
}

/** Writes the events of one answer. */
export interface EventWriter {
  /** Before the first token. */
  opening(): readonly EventText[];
  /** One chunk of `tokens` tokens; `first` is the index of its first one. */
  chunk(kind: TokenKind, first: number, tokens: number): EventText;
  /** After the last token: finish reason. */
  finish(reason: 'length' | 'stop'): readonly EventText[];
  usage(usage: AnswerUsage): readonly EventText[];
  /** The end marker; none in some APIs. */
  done(): readonly EventText[];
  error(message: string, code: number): EventText;
}

/** The writer of a request's API. */
export function createEventWriter(
  request: CompletionRequest,
  id: string,
  faults: ReadonlySet<StreamFault>,
): EventWriter {
  const word = faults.has('emoji') ? ' 😀' : ' tok';
  switch (request.api) {
    case 'chat':
    case 'completions':
      return openAiWriter(request, id, word, request.continuousUsage && !faults.has('no-usage'));
    case 'responses':
      return responsesWriter(request, id, word);
    case 'messages':
      return messagesWriter(request, id, word);
  }
}

function usageJson(usage: AnswerUsage): object {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  };
}

/** As vLLM writes it into every chunk: no details. */
function runningUsage(promptTokens: number, completionTokens: number): object {
  return {
    prompt_tokens: promptTokens,
    total_tokens: promptTokens + completionTokens,
    completion_tokens: completionTokens,
  };
}

function plain(data: object): EventText {
  return { type: null, data: JSON.stringify(data) };
}

function openAiWriter(request: CompletionRequest, id: string, word: string, countsAlong: boolean): EventWriter {
  const isChat = request.api === 'chat';
  let generated = 0;
  const base = { id, object: isChat ? 'chat.completion.chunk' : 'text_completion', created: 0, model: request.model };
  const withChoice = (part: object, finish: string | null): EventText =>
    plain({
      ...base,
      choices: [{ index: 0, ...part, finish_reason: finish }],
      ...(countsAlong ? { usage: runningUsage(request.promptTokens, generated) } : {}),
    });
  const deltaOf = (kind: TokenKind, first: number, text: string): object => {
    if (!isChat) return { text };
    if (kind === 'reasoning') return { delta: { reasoning_content: text } };
    if (kind === 'text') return { delta: { content: text } };
    const call =
      first === 0
        ? { index: 0, id: 'call_0', type: 'function', function: { name: 'lookup', arguments: text } }
        : { index: 0, function: { arguments: text } };
    return { delta: { tool_calls: [call] } };
  };
  return {
    opening: () => (isChat ? [withChoice({ delta: { role: 'assistant', content: '' } }, null)] : []),
    chunk: (kind, first, tokens) => {
      generated = first + tokens;
      return withChoice(deltaOf(kind, first, word.repeat(tokens)), null);
    },
    finish: (reason) => [withChoice(isChat ? { delta: {} } : { text: '' }, reason)],
    usage: (usage) => [plain({ ...base, choices: [], usage: usageJson(usage) })],
    done: () => [{ type: null, data: '[DONE]' }],
    error: (message, code) => plain({ error: { message, type: 'server_error', code } }),
  };
}

function responsesWriter(request: CompletionRequest, id: string, word: string): EventWriter {
  let sequence = 0;
  let finish = 'stop';
  const counts: { usage: AnswerUsage | null } = { usage: null };
  const typed = (type: string, data: object): EventText => ({
    type,
    data: JSON.stringify({ type, sequence_number: sequence++, ...data }),
  });
  const response = (status: string): object => ({ id, object: 'response', model: request.model, status });
  const names: Readonly<Record<TokenKind, string>> = {
    text: 'response.output_text.delta',
    reasoning: 'response.reasoning_text.delta',
    tool: 'response.function_call_arguments.delta',
  };
  return {
    opening: () => [typed('response.created', { response: response('in_progress') })],
    chunk: (kind, _first, tokens) =>
      typed(names[kind], { item_id: 'item_0', output_index: 0, content_index: 0, delta: word.repeat(tokens) }),
    finish: (reason) => {
      finish = reason;
      return [];
    },
    usage: (usage) => {
      counts.usage = usage;
      return [];
    },
    done: () => {
      const { usage } = counts;
      const details = finish === 'length' ? { incomplete_details: { reason: 'max_output_tokens' } } : {};
      const body = {
        ...response(finish === 'length' ? 'incomplete' : 'completed'),
        ...details,
        ...(usage === null
          ? {}
          : {
              usage: {
                input_tokens: usage.promptTokens,
                input_tokens_details: { cached_tokens: usage.cachedTokens },
                output_tokens: usage.completionTokens,
                output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
                total_tokens: usage.promptTokens + usage.completionTokens,
              },
            }),
      };
      return [typed(finish === 'length' ? 'response.incomplete' : 'response.completed', { response: body })];
    },
    error: (message, code) => typed('error', { code: String(code), message }),
  };
}

function messagesWriter(request: CompletionRequest, id: string, word: string): EventWriter {
  let reason = 'end_turn';
  let opened: TokenKind | null = null;
  const typed = (type: string, data: object): EventText => ({ type, data: JSON.stringify({ type, ...data }) });
  const deltas: Readonly<Record<TokenKind, (text: string) => object>> = {
    text: (text) => ({ type: 'text_delta', text }),
    reasoning: (thinking) => ({ type: 'thinking_delta', thinking }),
    tool: (json) => ({ type: 'input_json_delta', partial_json: json }),
  };
  return {
    opening: () => [
      typed('message_start', {
        message: {
          id,
          type: 'message',
          role: 'assistant',
          model: request.model,
          content: [],
          usage: { input_tokens: request.promptTokens, output_tokens: 0 },
        },
      }),
      typed('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    ],
    chunk: (kind, _first, tokens) => {
      opened = kind;
      return typed('content_block_delta', { index: 0, delta: deltas[kind](word.repeat(tokens)) });
    },
    finish: (why) => {
      reason = why === 'length' ? 'max_tokens' : opened === 'tool' ? 'tool_use' : 'end_turn';
      return [typed('content_block_stop', { index: 0 })];
    },
    usage: (usage) => [
      typed('message_delta', {
        delta: { stop_reason: reason },
        usage: {
          input_tokens: usage.promptTokens,
          cache_read_input_tokens: usage.cachedTokens,
          output_tokens: usage.completionTokens,
        },
      }),
    ],
    done: () => [typed('message_stop', {})],
    error: (message, code) =>
      typed('error', { error: { type: code === 429 ? 'rate_limit_error' : 'api_error', message } }),
  };
}

/** The body of an answer that is not streamed. */
export function wholeBody(
  request: CompletionRequest,
  id: string,
  usage: AnswerUsage,
  reason: 'length' | 'stop',
): string {
  const text = ' tok'.repeat(usage.completionTokens);
  const base = { id, created: 0, model: request.model };
  switch (request.api) {
    case 'chat':
      return JSON.stringify({
        ...base,
        object: 'chat.completion',
        choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: reason }],
        usage: usageJson(usage),
      });
    case 'completions':
      return JSON.stringify({
        ...base,
        object: 'text_completion',
        choices: [{ index: 0, text, finish_reason: reason }],
        usage: usageJson(usage),
      });
    case 'responses':
      return JSON.stringify({
        ...base,
        object: 'response',
        status: reason === 'length' ? 'incomplete' : 'completed',
        output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }],
        usage: { input_tokens: usage.promptTokens, output_tokens: usage.completionTokens },
      });
    case 'messages':
      return JSON.stringify({
        id,
        type: 'message',
        role: 'assistant',
        model: request.model,
        content: [{ type: 'text', text }],
        stop_reason: reason === 'length' ? 'max_tokens' : 'end_turn',
        usage: { input_tokens: usage.promptTokens, output_tokens: usage.completionTokens },
      });
  }
}
