/**
 * JSON whose numbers can also be had as they are written: a double holds some 16 digits, and a time stamp in ns since 1970, or in seconds
 * with nine places, has 19. Not for what servers send (`llm/json-value.ts`).
 */

/** Numbers of an object that are written otherwise than a double of their value would be, by name. */
type Written = ReadonlyMap<string, string>;

/** A value read from JSON. */
export interface ExactJson {
  readonly value: unknown;
  /** The text of the number `name` of `holder`, an object inside `value`; null where it is no number. */
  numberText(holder: object, name: string): string | null;
}

/** Fewer characters of a number in a row have no more digits than a double keeps. */
const longNumber = /[0-9.]{15}/;

/** Reads JSON text. @throws SyntaxError for text that is none. */
export function parseExactJson(text: string): ExactJson {
  const written = new Map<object, Map<string, string>>();
  const value: unknown = longNumber.test(text) ? JSON.parse(text, noteInto(written)) : JSON.parse(text);
  return { value, numberText: (holder, name) => textOf(holder, name, written.get(holder)) };
}

function textOf(holder: object, name: string, written: Written | undefined): string | null {
  const value: unknown = Object.hasOwn(holder, name) ? (holder as Record<string, unknown>)[name] : undefined;
  return typeof value === 'number' ? (written?.get(name) ?? String(value)) : null;
}

type Reviver = (this: object, name: string, value: unknown, context?: { readonly source?: string }) => unknown;

function noteInto(written: Map<object, Map<string, string>>): Reviver {
  return function note(name, value, context) {
    const source = context?.source;
    if (typeof value !== 'number' || source === undefined || source === String(value) || Array.isArray(this))
      return value;
    const ofHolder = written.get(this) ?? new Map<string, string>();
    written.set(this, ofHolder.set(name, source));
    return value;
  };
}

/** Makes a part of JSON that is written as `text`; TypeScript does not know it yet. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => object };

/**
 * Reads JSON text that is to be written again by JSON.stringify: numbers that a double would change are no numbers in the value, but are
 * written as they were read. @throws SyntaxError for text that is none.
 */
export function parseForWriting(text: string): unknown {
  return longNumber.test(text) ? JSON.parse(text, keepAsWritten) : JSON.parse(text);
}

const keepAsWritten: Reviver = (_name, value, context) =>
  typeof value === 'number' && context?.source !== undefined && context.source !== String(value)
    ? rawJSON(context.source)
    : value;
