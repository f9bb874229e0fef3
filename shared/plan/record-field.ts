/**
 * Mappings of the plan's grammar: each key has a field, a meaning and either a default or the demand to be there. Unknown keys
 * are problems that name the nearest known one, or the place where the key belongs (R089).
 */

import { assertInvariant } from '../fleet-error.ts';
import type { JsonSchema } from '../json-schema.ts';
import { type Field, INVALID, type Invalid, kindWords, type Place, refuse } from './plan-field.ts';
import { type MappingNode, pathOf, type PlanNode } from './plan-node.ts';
import type { ProblemList } from './problem-list.ts';

/** One key of a mapping. */
export interface Key<T> {
  readonly field: Field<T>;
  /** One or two sentences for the reference page and for editors. */
  readonly meaning: string;
  readonly presence:
    | { readonly kind: 'required' }
    /** `words` says the default where its value does not. */
    | { readonly kind: 'optional'; readonly value: T; readonly words: string };
}

/** Keys by name. */
export type Keys = Readonly<Record<string, Key<unknown>>>;

/** What reading a mapping with these keys gives. */
export type ValueOf<K extends Keys> = { readonly [Name in keyof K]: K[Name] extends Key<infer T> ? T : never };

/** A key that must be there. */
export function required<T>(field: Field<T>, meaning: string): Key<T> {
  return { field, meaning, presence: { kind: 'required' } };
}

/** A key with a default. */
export function optional<T, const D>(field: Field<T>, meaning: string, value: D, words: string): Key<T | D> {
  return { field, meaning, presence: { kind: 'optional', value, words } };
}

/** A section that may be left out: then all its keys have their defaults. Throws at start-up if one of them is required. */
export function optionalSection<K extends Keys>(section: RecordField<K>, meaning: string): Key<ValueOf<K>> {
  const defaults = Object.entries(section.keys).map(([name, { presence }]) => {
    assertInvariant(presence.kind === 'optional', `grammar: ${name} is required in an optional section`);
    return [name, presence.value] as const;
  });
  return optional(section, meaning, Object.fromEntries(defaults) as ValueOf<K>, 'the defaults of its keys');
}

/** A mapping with known keys. */
export interface RecordField<K extends Keys> extends Field<ValueOf<K>> {
  readonly keys: K;
}

/** A field that reads a mapping with exactly these keys. */
export function recordField<K extends Keys>(keys: K, words: string): RecordField<K> {
  const names = Object.keys(keys);
  const read = (node: PlanNode, path: string, problems: ProblemList): ValueOf<K> | Invalid => {
    const place = { path, origin: node.origin };
    if (node.kind !== 'mapping') {
      return refuse(problems, place, `is ${kindWords(node)}, expected a mapping with ${names.join(', ')}`);
    }
    const isKnown = refuseUnknownKeys(node, path, names, problems);
    const values = new Map<string, unknown>();
    for (const [name, key] of Object.entries(keys)) {
      const value = readKey(node, name, key, place, problems);
      if (value !== INVALID) values.set(name, value);
    }
    // With a misspelt key what the others mean together is not known either.
    return isKnown && values.size === names.length ? (Object.fromEntries(values) as ValueOf<K>) : INVALID;
  };
  return { keys, words, read, schema: schemaOf(keys) };
}

/** Adds a problem for each unknown key; true if there is none. */
function refuseUnknownKeys(node: MappingNode, path: string, names: readonly string[], problems: ProblemList): boolean {
  let isKnown = true;
  for (const { key, keyOrigin } of node.entries) {
    if (names.includes(key)) continue;
    problems.addUnknownKey(pathOf(path, key), keyOrigin, key, names);
    isKnown = false;
  }
  return isKnown;
}

function readKey(node: MappingNode, name: string, key: Key<unknown>, place: Place, problems: ProblemList): unknown {
  const entry = node.entries.find((each) => each.key === name);
  if (entry !== undefined) return key.field.read(entry.value, pathOf(place.path, name), problems);
  if (key.presence.kind === 'optional') return key.presence.value;
  return refuse(problems, { ...place, path: pathOf(place.path, name) }, `is missing; expected ${key.field.words}`);
}

function schemaOf(keys: Keys): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  const requiredNames: string[] = [];
  for (const [name, { field, meaning, presence }] of Object.entries(keys)) {
    const withDefault = presence.kind === 'optional' ? ` Default: ${presence.words}.` : '';
    properties[name] = { description: `${meaning}${withDefault}`, ...field.schema };
    if (presence.kind === 'required') requiredNames.push(name);
  }
  const demand = requiredNames.length === 0 ? {} : { required: requiredNames };
  return { type: 'object', additionalProperties: false, properties, ...demand };
}

/** A mapping with exactly one of several keys: a choice between kinds, each with its own settings. */
export function choiceField<const F extends Readonly<Record<string, Field<unknown>>>>(
  kinds: F,
  words: string,
): Field<
  {
    [Kind in keyof F & string]: F[Kind] extends Field<infer T> ? { readonly kind: Kind; readonly value: T } : never;
  }[keyof F & string]
> {
  type Choice = {
    [Kind in keyof F & string]: F[Kind] extends Field<infer T> ? { readonly kind: Kind; readonly value: T } : never;
  }[keyof F & string];
  const names = Object.keys(kinds);
  const read = (node: PlanNode, path: string, problems: ProblemList): Choice | Invalid => {
    const place = { path, origin: node.origin };
    if (node.kind !== 'mapping' || node.entries.length !== 1) {
      return refuse(problems, place, `expected a mapping with one of the keys ${names.join(', ')}`);
    }
    const [entry] = node.entries as readonly [MappingNode['entries'][number]];
    const field = Object.hasOwn(kinds, entry.key) ? kinds[entry.key] : undefined;
    if (field === undefined) {
      problems.addUnknownKey(pathOf(path, entry.key), entry.keyOrigin, entry.key, names);
      return INVALID;
    }
    const value = field.read(entry.value, pathOf(path, entry.key), problems);
    return value === INVALID ? INVALID : ({ kind: entry.key, value } as Choice);
  };
  const variants = Object.entries(kinds).map(([name, field]) => ({
    type: 'object',
    additionalProperties: false,
    properties: { [name]: field.schema },
    required: [name],
  }));
  return { words, read, schema: { anyOf: variants } };
}
