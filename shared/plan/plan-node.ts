/**
 * A plan before it has meaning: a tree of texts with their places. YAML, flags and the environment all become this one tree,
 * and every scalar stays the text the user wrote until a field reads it. So `010`, `on` or `1:30` mean nothing by themselves,
 * and a number from a variable is read exactly like one from the file (R087).
 */

/** Where a text was written. `line` and `column` are 1-based; null for flags and the environment. */
export interface Origin {
  /** File name as given, flag (`--rate`) or environment variable. */
  readonly source: string;
  readonly line: number | null;
  readonly column: number | null;
}

/** One text. */
export interface ScalarNode {
  readonly kind: 'scalar';
  readonly text: string;
  /** Written without quotes: only then do an empty text, `~` and `null` mean "nothing". */
  readonly plain: boolean;
  /** Variables whose values are part of the text, for messages. */
  readonly variables: readonly string[];
  /** Some part of the text came from a secret source: never echo it. */
  readonly secret: boolean;
  /** A variable in it could not be replaced; that is a problem already, so nothing more is said of the text. */
  readonly unresolved: boolean;
  readonly origin: Origin;
}

/** An ordered list. */
export interface SequenceNode {
  readonly kind: 'sequence';
  readonly items: readonly PlanNode[];
  readonly origin: Origin;
}

/** Keys with values, in the order written; no key twice. */
export interface MappingNode {
  readonly kind: 'mapping';
  readonly entries: readonly MappingEntry[];
  readonly origin: Origin;
}

/** One key of a mapping, with the place that it was written at. */
export interface MappingEntry {
  readonly key: string;
  readonly keyOrigin: Origin;
  readonly value: PlanNode;
}

export type PlanNode = ScalarNode | SequenceNode | MappingNode;

/** A text from outside a file, e.g. a flag's value: always meant as text, never "nothing". */
export function createScalar(text: string, source: string): ScalarNode {
  const origin: Origin = { source, line: null, column: null };
  return { kind: 'scalar', text, plain: false, variables: [], secret: false, unresolved: false, origin };
}

/** True for `key:` with nothing behind it, `~` and `null` without quotes. */
export function isNothing(node: PlanNode): boolean {
  return node.kind === 'scalar' && node.plain && /^(?:|~|null|Null|NULL)$/.test(node.text);
}

/** The value at `key`, or null when the mapping has none. */
export function valueAt(mapping: MappingNode, key: string): PlanNode | null {
  return mapping.entries.find((entry) => entry.key === key)?.value ?? null;
}

/** The mapping with `key` set to `value`: replaced in its place, or added at the end. */
export function withValue(mapping: MappingNode, key: string, value: PlanNode): MappingNode {
  const found = mapping.entries.some((entry) => entry.key === key);
  const entries = found
    ? mapping.entries.map((entry) => (entry.key === key ? { ...entry, value } : entry))
    : [...mapping.entries, { key, keyOrigin: value.origin, value }];
  return { ...mapping, entries };
}

/** The mapping without `key`. */
export function withoutValue(mapping: MappingNode, key: string): MappingNode {
  return { ...mapping, entries: mapping.entries.filter((entry) => entry.key !== key) };
}

/** The path of a member: `load` + 0 = `load[0]`, `load[0]` + `rate` = `load[0].rate`, odd keys quoted. */
export function pathOf(parent: string, member: string | number): string {
  if (typeof member === 'number') return `${parent}[${member}]`;
  if (!/^[A-Za-z_][A-Za-z0-9_-]*$/.test(member)) return `${parent}[${JSON.stringify(member)}]`;
  return parent === '' ? member : `${parent}.${member}`;
}
