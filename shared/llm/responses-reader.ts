/**
 * Reads the OpenAI responses API: typed events (`response.output_text.delta` ...), the last of which carries the whole response with
 * its usage. `response.completed` and `response.incomplete` are the stream's own end; `response.failed` and `error` are failures.
 */

import { asCount, asList, asObject, asText, joinedText, type JsonObject, parseObject } from './json-value.ts';
import { errorFrame, errorOf } from './server-error.ts';
import type { PayloadKind, StreamDelta, StreamReader } from './stream-delta.ts';
import { openAiUsage } from './usage-of.ts';

const OPENED: StreamDelta = { kind: 'opened' };
const DONE: StreamDelta = { kind: 'done' };
const UNREADABLE: StreamDelta = { kind: 'unreadable' };

/** Events whose `delta` is generated payload; some are spelt in several ways. */
const DELTA_EVENTS: ReadonlyMap<string, PayloadKind> = new Map<string, PayloadKind>([
  ['response.output_text.delta', 'text'],
  ['response.refusal.delta', 'text'],
  ['response.reasoning_text.delta', 'reasoning'],
  ['response.reasoning.delta', 'reasoning'],
  ['response.reasoning_summary_text.delta', 'reasoning'],
  ['response.reasoning_summary.delta', 'reasoning'],
  ['response.function_call_arguments.delta', 'tool'],
  ['response.mcp_call_arguments.delta', 'tool'],
  ['response.mcp_call.arguments.delta', 'tool'],
  ['response.custom_tool_call_input.delta', 'tool'],
  ['response.code_interpreter_call_code.delta', 'tool'],
  ['response.code_interpreter_call.code.delta', 'tool'],
  ['response.audio.transcript.delta', 'text'],
  ['response.audio_transcript.delta', 'text'],
  ['response.output_audio_transcript.delta', 'text'],
  ['response.audio.delta', 'media'],
  ['response.output_audio.delta', 'media'],
]);

/** Events that hold a whole item, and the member that does: all that some servers send, a repetition from the others. */
const WHOLE_EVENTS: ReadonlyMap<string, readonly [PayloadKind, string]> = new Map<
  string,
  readonly [PayloadKind, string]
>([
  ['response.output_text.done', ['text', 'text']],
  ['response.refusal.done', ['text', 'refusal']],
  ['response.reasoning_text.done', ['reasoning', 'text']],
  ['response.reasoning_summary_text.done', ['reasoning', 'text']],
  ['response.function_call_arguments.done', ['tool', 'arguments']],
  ['response.mcp_call_arguments.done', ['tool', 'arguments']],
  ['response.custom_tool_call_input.done', ['tool', 'input']],
  ['response.image_generation_call.partial_image', ['media', 'partial_image_b64']],
]);

/** Reader of `/v1/responses`. */
export const responsesReader: StreamReader = {
  event(type, data, into) {
    if (data.trim() === '[DONE]') {
      into.push(DONE);
      return;
    }
    const object = parseObject(data);
    if (type === 'error') into.push(errorFrame(object, data));
    else if (object === null) into.push(UNREADABLE);
    else readEvent(asText(object['type']) ?? type, object, into);
  },
  body(data, into) {
    const object = parseObject(data);
    if (object === null) into.push(UNREADABLE);
    else readWhole(object, into);
  },
};

function readEvent(type: string, object: JsonObject, into: StreamDelta[]): void {
  const payload = DELTA_EVENTS.get(type);
  if (payload !== undefined) {
    pushPayload(payload, object, joinedText(object['delta']), into);
    return;
  }
  const whole = WHOLE_EVENTS.get(type);
  if (whole !== undefined) {
    pushPayload(whole[0], object, joinedText(object[whole[1]]), into, { whole: true });
    return;
  }
  switch (type) {
    case 'error':
      into.push(errorFrame(object, ''));
      return;
    case 'response.failed':
      into.push(errorOf(asObject(object['response']) ?? object) ?? failureWithoutText());
      return;
    case 'response.completed':
    case 'response.incomplete':
    case 'response.cancelled':
    case 'response.done':
      readEnd(asObject(object['response']) ?? {}, into);
      into.push(DONE);
      return;
    case 'response.output_item.added': {
      const item = asObject(object['item']);
      const name = asText(item?.['name']);
      // The model has chosen a function: its name is the first piece of the call.
      pushPayload('tool', object, name ?? '', into, { begins: asText(item?.['id']) ?? '' });
      return;
    }
    default:
      into.push(errorOf(object) ?? (type.startsWith('response.') ? OPENED : UNREADABLE));
  }
}

function pushPayload(
  payload: PayloadKind,
  event: JsonObject,
  text: string,
  into: StreamDelta[],
  more: { readonly whole?: true; readonly begins?: string } = {},
): void {
  const call = payload === 'tool' ? (asCount(event['output_index']) ?? 0) : null;
  into.push(text === '' ? OPENED : { kind: 'payload', payload, text, call, ...more });
}

function failureWithoutText(): StreamDelta {
  return { kind: 'error', code: null, message: 'response.failed' };
}

function readEnd(response: JsonObject, into: StreamDelta[]): void {
  const error = errorOf(response);
  if (error !== null) into.push(error);
  const usage = openAiUsage(response['usage']);
  if (usage !== null) into.push({ kind: 'usage', usage });
  const details = asObject(response['incomplete_details']);
  into.push({ kind: 'finish', reason: asText(details?.['reason']) ?? asText(response['status']) ?? 'completed' });
}

/** States of a response that is made in the background: its answer would have to be fetched later. */
const NOT_FINISHED: readonly unknown[] = ['queued', 'in_progress'];

function readWhole(response: JsonObject, into: StreamDelta[]): void {
  const { status } = response;
  const error = errorOf(response);
  if (error !== null || status === 'failed') {
    into.push(error ?? failureWithoutText());
    return;
  }
  if (NOT_FINISHED.includes(status)) {
    into.push({ kind: 'error', code: asText(status), message: 'the response is not finished' });
    return;
  }
  if (!('output' in response)) {
    into.push(UNREADABLE);
    return;
  }
  for (const [index, item] of asList(response['output']).entries()) {
    const output = asObject(item);
    if (output === null) continue;
    const payload: PayloadKind = output['type'] === 'reasoning' ? 'reasoning' : 'text';
    const text = joinedText(output['content']) || joinedText(output['summary']);
    if (text !== '') into.push({ kind: 'payload', payload, text, call: null });
    const call = `${asText(output['name']) ?? ''}${asText(output['arguments']) ?? asText(output['input']) ?? ''}`;
    if (call !== '') into.push({ kind: 'payload', payload: 'tool', text: call, call: index });
  }
  readEnd(response, into);
}
