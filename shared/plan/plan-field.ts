/**
 * The building blocks of the plan's grammar. A field reads one kind of value from the tree and describes itself: the parser, the
 * published JSON Schema and the reference page all come from the same fields, so they cannot disagree. A field never throws for
 * what the user wrote: it adds a problem and returns INVALID, and reading goes on, so that all faults are listed at once.
 */

import { FleetError } from '../fleet-error.ts';
import { knownNamesHint } from '../nearest-name.ts';
import { formatDuration, MAX_DURATION_NS, parseDuration } from '../time/duration.ts';
import type { JsonSchema } from '../json-schema.ts';
import { isNothing, type Origin, type PlanNode, type ScalarNode } from './plan-node.ts';
import { type ProblemList, quoted } from './problem-list.ts';

/** What a field returns after it has added a problem. */
export const INVALID: unique symbol = Symbol('invalid');
export type Invalid = typeof INVALID;

/** Where a value stands, for problems found later by comparing values. */
export interface Place {
  readonly path: string;
  readonly origin: Origin;
}

/** One kind of value. */
export interface Field<T> {
  /** Reads `node`, which stands at `path`; INVALID after a problem. */
  read(node: PlanNode, path: string, problems: ProblemList): T | Invalid;
  /** For editors. */
  readonly schema: JsonSchema;
  /** Kind, unit and range in words, for the reference page. */
  readonly words: string;
}

/** What a node is, for a message. */
export function kindWords(node: PlanNode): string {
  switch (node.kind) {
    case 'scalar':
      return isNothing(node) ? 'empty' : 'a single value';
    case 'sequence':
      return 'a list';
    case 'mapping':
      return 'a mapping';
  }
}

/** A text that stands for a variable, which any scalar may be. */
const VARIABLE: JsonSchema = { type: 'string', pattern: '\\$\\{.+\\}' };

/** Adds a problem and returns INVALID. */
export function refuse(problems: ProblemList, place: Place, message: string): Invalid {
  problems.add(place.path, place.origin, message);
  return INVALID;
}

/** The value of a scalar for a message: never a secret one. */
function shown(node: ScalarNode): string {
  if (node.secret) return `the secret from ${node.variables.join(', ')}`;
  const from = node.variables.length === 0 ? '' : ` (from ${node.variables.join(', ')})`;
  return `${quoted(node.text)}${from}`;
}

/**
 * A field of one text: checks that a text is there and lets `parse` read it. `parse` returns the value or throws a FleetError
 * whose message ends the sentence; the value itself is named in front unless the message holds it already.
 */
export function scalarField<T>(
  words: string,
  schema: JsonSchema,
  parse: (text: string, node: ScalarNode) => T,
): Field<T> {
  const read = (node: PlanNode, path: string, problems: ProblemList): T | Invalid => {
    const place = { path, origin: node.origin };
    if (node.kind !== 'scalar') return refuse(problems, place, `is ${kindWords(node)}, expected ${words}`);
    if (node.unresolved) return INVALID;
    if (isNothing(node)) {
      const what = node.text === '' ? 'has no value' : `is ${node.text}`;
      return refuse(problems, place, `${what}; expected ${words} (leave the key out for its default)`);
    }
    try {
      return parse(node.text, node);
    } catch (error) {
      if (!(error instanceof FleetError)) throw error;
      const message = node.secret ? `${shown(node)} is not valid; expected ${words}` : error.message;
      const from = node.variables.length === 0 || node.secret ? '' : ` (from ${node.variables.join(', ')})`;
      return refuse(problems, place, `${message}${from}`);
    }
  };
  return { read, schema: anyOf(schema, VARIABLE), words };
}

/** Both kinds, unless the first takes every text already. */
function anyOf(schema: JsonSchema, other: JsonSchema): JsonSchema {
  const takesAllText = schema['type'] === 'string' && schema['pattern'] === undefined && schema['enum'] === undefined;
  return takesAllText ? schema : { anyOf: [schema, other] };
}

/** A `FleetError` for `parse` functions. */
export function valueError(message: string): FleetError {
  return new FleetError('plan', message);
}

const DECIMAL = /^[+-]?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?$/;

/** A finite decimal number, or null for text that is none: no octal, hexadecimal, underscores, spaces, NaN or infinity. */
export function readDecimal(text: string): number | null {
  const value = DECIMAL.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : null;
}

/**
 * The number that `text` times 10^`exponent` is, as near as a double comes to it, or null as `readDecimal` does. `readScaled('99.9', -2)` is
 * 0.999, which 99.9 / 100 is not: a bound that is a hair off fails a run that meets it exactly.
 */
export function readScaled(text: string, exponent: number): number | null {
  if (readDecimal(text) === null) return null;
  const [digits = '', own = '0'] = text.toLowerCase().split('e');
  const value = Number(`${digits}e${Number(own) + exponent}`);
  return Number.isFinite(value) ? value : null;
}

/** A number in [min, max], optionally above `min`. */
export function numberField(range: {
  readonly min: number;
  readonly max: number;
  readonly aboveMin?: boolean;
  readonly what?: string;
}): Field<number> {
  const { min, max, aboveMin = false, what = 'a number' } = range;
  const words = `${what} ${aboveMin ? `> ${min}` : `>= ${min}`} and <= ${max}`;
  const bounds: JsonSchema = aboveMin ? { exclusiveMinimum: min, maximum: max } : { minimum: min, maximum: max };
  return scalarField(words, { type: 'number', ...bounds }, (text) => {
    const value = readDecimal(text);
    if (value === null) throw valueError(`${quoted(text)} is not a decimal number; expected ${words}`);
    if (value > max || value < min || (aboveMin && value === min)) throw valueError(`${quoted(text)} is not ${words}`);
    return value;
  });
}

/** A whole number in [min, max]. `1e6` and `1000.0` are whole numbers too. */
export function integerField(min: number, max: number): Field<number> {
  const words = `a whole number in ${min}..${max}`;
  return scalarField(words, { type: 'integer', minimum: min, maximum: max }, (text) => {
    const value = readDecimal(text);
    if (value === null || !Number.isSafeInteger(value)) {
      throw valueError(`${quoted(text)} is not a whole number; expected ${words}`);
    }
    if (value < min || value > max) throw valueError(`${quoted(text)} is outside ${min}..${max}`);
    return value;
  });
}

/** `true` or `false`, and no other word. */
export function booleanField(): Field<boolean> {
  return scalarField('true or false', { type: 'boolean' }, (text) => {
    if (text === 'true') return true;
    if (text === 'false') return false;
    throw valueError(`${quoted(text)} is neither true nor false`);
  });
}

/** One word of a closed list. */
export function wordField<const W extends string>(list: readonly W[]): Field<W> {
  const words = `one of ${list.join(', ')}`;
  return scalarField(words, { type: 'string', enum: list }, (text) => {
    const found = list.find((word) => word === text);
    if (found === undefined)
      throw valueError(`${quoted(text)} is not known${knownNamesHint(text.slice(0, 100), list)}`);
    return found;
  });
}

/** Any text, within a length. */
export function textField(range: {
  readonly min?: number;
  readonly max: number;
  readonly what?: string;
}): Field<string> {
  const { min = 1, max, what = 'text' } = range;
  const words = `${what} of ${min}..${max} characters`;
  return scalarField(words, { type: 'string' }, (text) => {
    if (text.length < min || text.length > max) throw valueError(`has ${text.length} characters; expected ${words}`);
    return text;
  });
}

/** The name of a file; whether there is one is for whoever reads it. */
export const fileNameField: Field<string> = textField({ max: 4096, what: 'a file name' });

/** A duration with its unit (R086), in ns. */
export function durationField(range: { readonly minNs: number; readonly maxNs?: number }): Field<number> {
  const { minNs, maxNs = MAX_DURATION_NS } = range;
  const words = `a duration such as 30s, ${formatDuration(minNs)} to ${formatDuration(maxNs)}`;
  return scalarField(words, { type: 'string', pattern: '^[0-9]' }, (text) => {
    const ns = parseDuration(text);
    if (ns < minNs || ns > maxNs) {
      throw valueError(`${quoted(text)} is outside ${formatDuration(minNs)}..${formatDuration(maxNs)}`);
    }
    return ns;
  });
}

/** A duration, or a word that means there is none (null). */
export function durationOrWordField(word: string, minNs: number): Field<number | null> {
  const duration = durationField({ minNs });
  const words = `${duration.words}, or ${word}`;
  return {
    words,
    schema: { anyOf: [{ const: word }, duration.schema] },
    read: (node, path, problems) =>
      node.kind === 'scalar' && node.text === word ? null : duration.read(node, path, problems),
  };
}

/** A list of values of one kind; faults in one item do not hide those in the next. */
export function listField<T>(
  item: Field<T>,
  range: { readonly min: number; readonly max: number },
): Field<readonly T[]> {
  const { min, max } = range;
  const words = `a list of ${min}..${max} items (${item.words})`;
  return {
    words,
    schema: { type: 'array', items: item.schema, minItems: min, maxItems: max },
    read: (node, path, problems) => {
      const place = { path, origin: node.origin };
      if (node.kind !== 'sequence') return refuse(problems, place, `is ${kindWords(node)}, expected ${words}`);
      const length = node.items.length;
      if (length < min || length > max)
        return refuse(problems, place, `has ${length} items, allowed are ${min}..${max}`);
      const values = node.items.map((each, index) => item.read(each, `${path}[${index}]`, problems));
      return values.includes(INVALID) ? INVALID : (values as T[]);
    },
  };
}

/** The value together with its place. */
export function placed<T>(field: Field<T>): Field<{ readonly value: T; readonly place: Place }> {
  return {
    ...field,
    read: (node, path, problems) => {
      const value = field.read(node, path, problems);
      return value === INVALID ? INVALID : { value, place: { path, origin: node.origin } };
    },
  };
}

/** Scalars go to one field, everything else to another. */
export function scalarOrElse<S, E>(scalar: Field<S>, other: Field<E>): Field<S | E> {
  return {
    words: `${scalar.words}; or ${other.words}`,
    schema: { anyOf: [scalar.schema, other.schema] },
    read: (node, path, problems) =>
      node.kind === 'scalar' ? scalar.read(node, path, problems) : other.read(node, path, problems),
  };
}
