/**
 * Reads OpenAI-compatible chat and completions answers: `choices[].delta` (streamed), `choices[].message` (whole), `choices[].text`
 * (completions). Reasoning is spelt in several ways, as text, as a list, or as parts of the content (R040); tool calls and the legacy
 * function call are payload (R041); a chunk with usage and no choices is no token (R046).
 */

import { asCount, asList, asObject, asText, joinedText, type JsonObject, jsonText, parseObject } from './json-value.ts';
import { errorFrame, errorOf } from './server-error.ts';
import type { PayloadKind, StreamDelta, StreamReader } from './stream-delta.ts';
import { openAiUsage } from './usage-of.ts';

const DONE: StreamDelta = { kind: 'done' };
const OPENED: StreamDelta = { kind: 'opened' };
const UNREADABLE: StreamDelta = { kind: 'unreadable' };

/** Calls of one choice are told apart from those of the next by this. */
const CALLS_PER_CHOICE = 1000;

/** Reader of `/v1/chat/completions` and `/v1/completions`. */
export const openAiReader: StreamReader = {
  event(type, data, into) {
    if (data === '[DONE]' || data.trim() === '[DONE]') {
      into.push(DONE);
      return;
    }
    const object = parseObject(data);
    if (type === 'error') into.push(errorFrame(object, data));
    else if (object === null) into.push(UNREADABLE);
    else readObject(object, into);
  },
  body(data, into) {
    const object = parseObject(data);
    if (object === null) into.push(UNREADABLE);
    else readObject(object, into);
  },
};

function readObject(object: JsonObject, into: StreamDelta[]): void {
  const error = errorOf(object) ?? errorOf(asObject(object['x_groq']) ?? {});
  if (error !== null) {
    into.push(error);
    return;
  }
  const choices = asList(object['choices']);
  for (const item of choices) {
    const choice = asObject(item);
    if (choice !== null) readChoice(choice, into);
  }
  const usage = openAiUsage(usageIn(object, choices));
  if (usage !== null) into.push({ kind: 'usage', usage });
  if (choices.length === 0 && usage === null) into.push('choices' in object ? OPENED : UNREADABLE);
}

/** Some servers put it into the choice (Moonshot's), or into a member of their own (Groq's). */
function usageIn(object: JsonObject, choices: readonly unknown[]): unknown {
  return object['usage'] ?? asObject(choices[0])?.['usage'] ?? asObject(object['x_groq'])?.['usage'];
}

function readChoice(choice: JsonObject, into: StreamDelta[]): void {
  const before = into.length;
  const index = asCount(choice['index']) ?? 0;
  const piece = asObject(choice['delta']);
  const delta = piece ?? asObject(choice['message']);
  if (delta === null) {
    pushPayload('text', choice['text'], null, into);
  } else {
    pushPayload('reasoning', reasoningOf(delta), null, into);
    pushPayload('text', delta['content'], null, into);
    pushPayload('text', delta['refusal'], null, into);
    const audio = asObject(delta['audio']);
    pushPayload('text', audio?.['transcript'], null, into);
    pushPayload('media', audio?.['data'], null, into);
    pushPayload('media', imagesIn(delta['images']), null, into);
    readCalls(delta, index * CALLS_PER_CHOICE, into);
  }
  if (piece === null && delta !== null) markWhole(before, into);
  const reason = finishOf(choice['finish_reason']);
  if (reason !== null) into.push({ kind: 'finish', reason });
  // Of the provider behind a gateway (OpenRouter's).
  const error = errorOf(choice);
  if (error !== null) into.push(error);
  if (into.length === before) into.push(OPENED);
  else if (index > 0) markChoice(index, before, into);
}

/** A message where a delta should be: some servers end a stream with all that it said (MiniMax's). */
function markWhole(from: number, into: StreamDelta[]): void {
  for (let at = from; at < into.length; at += 1) {
    const delta = into[at] as StreamDelta;
    if (delta.kind === 'payload') into[at] = { ...delta, whole: true };
  }
}

/** Names the choice that the deltas from `from` on belong to. */
function markChoice(choice: number, from: number, into: StreamDelta[]): void {
  for (let at = from; at < into.length; at += 1) {
    const delta = into[at] as StreamDelta;
    if (delta.kind === 'payload' || delta.kind === 'finish') into[at] = { ...delta, choice };
  }
}

/** Some engines give an object with a `type`; some write null as a word, in every chunk. */
function finishOf(value: unknown): string | null {
  const reason = asText(value) ?? asText(asObject(value)?.['type']);
  return reason === null || /^(?:null|none)$/i.test(reason) ? null : reason;
}

/** Gateways repeat one piece under several names: the first that has text is read. Encrypted details have none. */
function reasoningOf(delta: JsonObject): string {
  for (const name of REASONING) {
    const text = joinedText(delta[name]);
    if (text !== '') return text;
  }
  return thinkingIn(delta['thinking_blocks']) || thinkingIn(delta['content']);
}

const REASONING = ['reasoning_content', 'reasoning', 'reasoning_details', 'reasoning_text', 'thinking'];

/** Parts of a list that are reasoning: `{type: thinking, thinking: text or parts}`. */
function thinkingIn(value: unknown): string {
  return asList(value)
    .map((part) => joinedText(asObject(part)?.['thinking']))
    .join('');
}

/** Pictures that the model made, as gateways put them beside the content: `[{type: image_url, image_url: {url}}]`. */
function imagesIn(value: unknown): string {
  return asList(value)
    .map((image) => asText(asObject(asObject(image)?.['image_url'])?.['url']) ?? '')
    .join('');
}

function readCalls(delta: JsonObject, firstCall: number, into: StreamDelta[]): void {
  const calls = delta['tool_calls'];
  if (Array.isArray(calls)) {
    for (const [position, item] of (calls as readonly unknown[]).entries()) {
      const call = asObject(item);
      if (call === null) continue;
      const index = firstCall + (asCount(call['index']) ?? position);
      pushCall(call['function'] ?? call['custom'], index, asText(call['id']), into);
    }
  }
  if (delta['function_call'] !== undefined) pushCall(delta['function_call'], firstCall, null, into);
}

/** A fragment with a name or a piece of the arguments; one with neither (an id alone) says nothing that was generated. */
function pushCall(value: unknown, call: number, id: string | null, into: StreamDelta[]): void {
  const piece = asObject(value);
  if (piece === null) return;
  // Some servers make a new id for every fragment: only one beside a name begins a call.
  const name = asText(piece['name']);
  if (name !== null) into.push({ kind: 'payload', payload: 'tool', text: name, call, begins: id ?? '' });
  const text = argumentsOf(piece['arguments'] ?? piece['input']);
  if (text !== '') into.push({ kind: 'payload', payload: 'tool', text, call });
}

/** Text; some servers give the object that it should describe. */
function argumentsOf(value: unknown): string {
  return asObject(value) === null ? (asText(value) ?? '') : jsonText(value);
}

function pushPayload(payload: PayloadKind, value: unknown, call: number | null, into: StreamDelta[]): void {
  const text = joinedText(value);
  if (text !== '') into.push({ kind: 'payload', payload, text, call });
}
