/**
 * The terms that our JSON Schemas (draft 2020-12) are written in, as plain data. Objects made of them are closed: every member is required,
 * and no other may stand beside them.
 */

/** A schema: keywords and their values, as JSON would have them. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** Any text. */
export const text: JsonSchema = { type: 'string' };
/** True or false. */
export const flag: JsonSchema = { type: 'boolean' };
/** A number, whole or not. */
export const number: JsonSchema = { type: 'number' };
/** A whole number of either sign. */
export const integer: JsonSchema = { type: 'integer' };
/** A whole number from 0 to 2^53 - 1. */
export const count: JsonSchema = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
/** 0 to 1. */
export const share: JsonSchema = { type: 'number', minimum: 0, maximum: 1 };
/** Only null. */
export const nothing: JsonSchema = { type: 'null' };
/** A whole number from 0 on: a number below 2^53, decimal text from there on. */
export const bigInteger: JsonSchema = { anyOf: [count, { type: 'string', pattern: '^[0-9]+$' }] };
/** An instant in UTC, such as 2026-01-31T12:00:00.000Z. */
export const utcInstant: JsonSchema = {
  type: 'string',
  pattern: '^[0-9]{4,}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z$',
};

/** What `schema` allows, or null for what is missing. */
export function nullable(schema: JsonSchema): JsonSchema {
  return { anyOf: [schema, nothing] };
}

/** A list of what `items` allows, of any length. */
export function listOf(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

/** One of these words. */
export function oneOf(...words: readonly string[]): JsonSchema {
  return { enum: words };
}

/** An object with values of one kind under any names. */
export function mapOf(values: JsonSchema): JsonSchema {
  return { type: 'object', additionalProperties: values };
}

/** An object with exactly these members. */
export function shape(members: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', properties: members, required: Object.keys(members), additionalProperties: false };
}

/** An object with exactly these names, and values of one kind. */
export function record(names: readonly string[], values: JsonSchema): JsonSchema {
  return shape(Object.fromEntries(names.map((name) => [name, values])));
}
