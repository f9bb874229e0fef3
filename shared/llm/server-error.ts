/**
 * Errors inside an answer whose status was 200 (R042): an `error` member, an object of kind error, an `event: error` frame whose data
 * may be plain text. `error: null` and a text that only mentions errors are none.
 */

import { asObject, asText, type JsonObject } from './json-value.ts';
import type { StreamDelta } from './stream-delta.ts';

/** Longest message kept of a server's error. */
const MESSAGE_MAX = 200;

/** The error that `object` reports, or null. */
export function errorOf(object: JsonObject): StreamDelta | null {
  const { error } = object;
  if (error !== undefined && error !== null && error !== false && error !== '') return errorFrom(error);
  if (object['object'] === 'error' || object['type'] === 'error') return errorFrom(object);
  return null;
}

/** The error of an `event: error` frame, whatever its data is. */
export function errorFrame(object: JsonObject | null, data: string): StreamDelta {
  if (object === null) return errorFrom(data);
  return errorOf(object) ?? errorFrom(object);
}

function errorFrom(error: unknown): StreamDelta {
  const object = asObject(error);
  if (object === null) return { kind: 'error', code: null, message: shortened(textOf(error)) };
  const message = asText(object['message']) ?? asText(object['detail']) ?? asText(object['type']) ?? 'no message';
  const code = object['code'] ?? object['type'] ?? object['status'];
  const codeText = typeof code === 'number' || (typeof code === 'string' && code !== '') ? String(code) : null;
  return { kind: 'error', code: codeText === null ? null : shortened(codeText), message: shortened(message) };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function shortened(text: string): string {
  return text.length <= MESSAGE_MAX ? text : `${text.slice(0, MESSAGE_MAX)}...`;
}
