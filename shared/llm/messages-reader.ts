/**
 * Reads the Anthropic-style messages API: `message_start` (input usage), content blocks of text, thinking and tool use, `message_delta`
 * (stop reason, output usage), `message_stop` (the stream's own end), `ping`, `error`.
 */

import { asCount, asList, asObject, asText, type JsonObject, jsonText, parseObject } from './json-value.ts';
import { errorFrame, errorOf } from './server-error.ts';
import type { PayloadKind, StreamDelta, StreamReader } from './stream-delta.ts';
import { messagesUsage } from './usage-of.ts';

const OPENED: StreamDelta = { kind: 'opened' };
const DONE: StreamDelta = { kind: 'done' };
const UNREADABLE: StreamDelta = { kind: 'unreadable' };

/** Reader of `/v1/messages`. */
export const messagesReader: StreamReader = {
  event(type, data, into) {
    const object = parseObject(data);
    if (type === 'error') into.push(errorFrame(object, data));
    else if (object !== null) readEvent(asText(object['type']) ?? type, object, into);
    // Some gateways end every stream in this way.
    else into.push(data.trim() === '[DONE]' ? DONE : UNREADABLE);
  },
  body(data, into) {
    const object = parseObject(data);
    if (object === null) into.push(UNREADABLE);
    else readWhole(object, into);
  },
};

function readEvent(type: string, object: JsonObject, into: StreamDelta[]): void {
  switch (type) {
    case 'message_start': {
      // Its count of the output is from before there is any: no answer, nor a part of one, has that many tokens.
      const usage = messagesUsage(asObject(object['message'])?.['usage']);
      if (usage !== null) into.push({ kind: 'usage', usage: { ...usage, outputTokens: null } });
      into.push(OPENED);
      return;
    }
    case 'content_block_start':
      pushBlock(asObject(object['content_block']), asCount(object['index']), into);
      return;
    case 'content_block_delta':
      pushDelta(asObject(object['delta']), asCount(object['index']), into);
      return;
    case 'message_delta': {
      pushUsage(object['usage'], into);
      const reason = asText(asObject(object['delta'])?.['stop_reason']);
      if (reason !== null) into.push({ kind: 'finish', reason });
      return;
    }
    case 'message_stop':
      into.push(DONE);
      return;
    case 'content_block_stop':
    case 'ping':
      into.push(OPENED);
      return;
    case 'error':
      into.push(errorFrame(object, ''));
      return;
    default:
      into.push(errorOf(object) ?? UNREADABLE);
  }
}

function pushUsage(value: unknown, into: StreamDelta[]): void {
  const usage = messagesUsage(value);
  if (usage !== null) into.push({ kind: 'usage', usage });
}

/** A block may begin with content: text, thinking, or the name of a tool. */
function pushBlock(block: JsonObject | null, index: number | null, into: StreamDelta[]): void {
  const before = into.length;
  push('text', block?.['text'], null, into);
  push('reasoning', block?.['thinking'], null, into);
  if (isToolUse(block)) push('tool', block?.['name'], index, into);
  if (into.length === before) into.push(OPENED);
}

/** `tool_use`, and those that the server itself runs: `server_tool_use`, `mcp_tool_use`. */
function isToolUse(block: JsonObject | null): boolean {
  return asText(block?.['type'])?.endsWith('tool_use') ?? false;
}

function pushDelta(delta: JsonObject | null, index: number | null, into: StreamDelta[]): void {
  const before = into.length;
  push('text', delta?.['text'], null, into);
  push('reasoning', delta?.['thinking'], null, into);
  push('tool', delta?.['partial_json'], index, into);
  if (into.length === before) into.push(OPENED);
}

function push(payload: PayloadKind, value: unknown, call: number | null, into: StreamDelta[]): void {
  const text = asText(value);
  if (text !== null) into.push({ kind: 'payload', payload, text, call });
}

function readWhole(message: JsonObject, into: StreamDelta[]): void {
  const error = errorOf(message);
  if (error !== null) {
    into.push(error);
    return;
  }
  if (!('content' in message)) {
    into.push(UNREADABLE);
    return;
  }
  for (const [index, item] of asList(message['content']).entries()) {
    const block = asObject(item);
    push('text', block?.['text'], null, into);
    push('reasoning', block?.['thinking'], null, into);
    if (isToolUse(block)) {
      const text = `${asText(block?.['name']) ?? ''}${jsonText(block?.['input'] ?? {})}`;
      push('tool', text, index, into);
    }
  }
  pushUsage(message['usage'], into);
  const reason = asText(message['stop_reason']);
  if (reason !== null) into.push({ kind: 'finish', reason });
}
