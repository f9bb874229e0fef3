/**
 * Errors inside an answer whose status was 200 (R042): an `error` member, an object of kind error, an `event: error` frame whose data
 * may be plain text. `error: null` and a text that only mentions errors are none.
 */

import { asList, asObject, asText, type JsonObject, jsonText, parseJson, parseObject } from './json-value.ts';
import type { StreamDelta } from './stream-delta.ts';

/** Longest message kept of a server's error. It may hold a secret that is still to be taken out, so it is cut short only after that. */
const MESSAGE_MAX = 1024;
const NO_MESSAGE = 'no message';
/** Members that hold it, the best first. */
const MESSAGES = ['message', 'detail', 'msg'];

/** An error as a server told it. */
export type ServerError = Extract<StreamDelta, { readonly kind: 'error' }>;

/** The error that `object` reports, or null. */
export function errorOf(object: JsonObject): ServerError | null {
  const { error } = object;
  // A flag: the rest of the object says what it is about.
  if (error === true) return errorFrom(object);
  if (saysSomething(error)) return errorFrom(error);
  if (object['object'] === 'error' || object['type'] === 'error') return errorFrom(object);
  return null;
}

/** Some servers write the member always: null, a code of 0, or a list or object whose members are all of that kind, or empty themselves. */
function saysSomething(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return Boolean(value);
  return Object.values(value).some((member: unknown) =>
    typeof member === 'object' && member !== null ? Object.keys(member).length > 0 : Boolean(member),
  );
}

/** The error of an `event: error` frame, whatever its data is. */
export function errorFrame(object: JsonObject | null, data: string): StreamDelta {
  if (object === null) return errorFrom(data);
  return errorOf(object) ?? errorFrom(object);
}

/**
 * The error in a line that a gateway wrote into a stream as it would have written a body, or that a server put into a field `error`; null
 * for any other line.
 */
export function bareErrorLine(line: string): StreamDelta | null {
  const field = /^error(?::\s*(.*))?$/s.exec(line);
  if (field !== null) return errorFrame(parseObject(field[1] ?? ''), field[1] ?? '');
  const object = parseObject(line);
  return object === null ? null : errorOf(object);
}

/**
 * The error in a body that is no answer of any API: in a list (gateways before Gemini), or a bare `detail` or `message` (web frameworks and
 * proxies). Null where it says nothing.
 */
export function bareError(body: string): ServerError | null {
  const value = parseJson(body);
  const object = asObject(value) ?? asObject(asList(value)[0]);
  if (object === null) return null;
  const error = errorOf(object);
  if (error !== null) return error;
  const { detail } = object;
  if (typeof detail === 'object' && detail !== null) return errorFrom(textOf(detail));
  return MESSAGES.every((name) => asText(object[name]) === null) ? null : errorFrom(object);
}

/**
 * The error that the last event of a stream stands for: one of the above, an object that names a failure in its own way, or bare words. Null
 * for an object that names none: timings, sources and the like are no errors.
 */
export function strayError(data: string): ServerError | null {
  const error = bareError(data);
  if (error !== null) return error;
  const object = parseObject(data);
  if (object === null) return errorFrom(data.trim());
  return Object.entries(object).some(namesFailure) ? errorFrom(object) : null;
}

/** A member named after an error that says something, or a status that is one. */
function namesFailure([name, value]: readonly [string, unknown]): boolean {
  if (/^(?:code|status|status_?code)$/i.test(name))
    return Number(value) >= 400 || value === 'error' || value === 'failed';
  return /error|exception|failure/i.test(name) && saysSomething(value);
}

function errorFrom(error: unknown): ServerError {
  const object = asObject(error);
  if (object === null) return { kind: 'error', code: null, message: shortened(textOf(error) || NO_MESSAGE) };
  const named = MESSAGES.find((name) => asText(object[name]) !== null) ?? 'type';
  const message = asText(object[named]) ?? wordsOf(object);
  const code = object['code'] ?? object['type'] ?? object['status'];
  const codeText = typeof code === 'number' || (typeof code === 'string' && code !== '') ? String(code) : null;
  return { kind: 'error', code: codeText === null ? null : shortened(codeText), message: shortened(message) };
}

/** What an error says that has no text where it is looked for: all of it but its code. */
function wordsOf({ code: _code, ...rest }: JsonObject): string {
  return saysSomething(rest) ? textOf(rest) : NO_MESSAGE;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : jsonText(value);
}

function shortened(text: string): string {
  return text.length <= MESSAGE_MAX ? text : `${text.slice(0, MESSAGE_MAX)}...`;
}
