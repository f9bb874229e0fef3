/**
 * Text to tree and back: the only file that sees the YAML library. YAML is read with the failsafe schema, so every scalar is
 * the text that was written; what it means is decided by the field that reads it. Refused with line and column: duplicate
 * keys, tags, directives, several documents, keys that are not plain text, tabs as indentation, unknown or cyclic aliases,
 * and documents that are too large, too deep or grow too much by their aliases. Nothing here throws anything but FleetError.
 */

import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  parseDocument,
  stringify,
  type Document,
  type Node,
  type ScalarTag,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { FleetError } from '../fleet-error.ts';
import type { MappingEntry, MappingNode, Origin, PlanNode } from './plan-node.ts';
import { ProblemList, quoted } from './problem-list.ts';

/** Largest plan text in bytes (design §8). */
export const PLAN_BYTES_MAX = 1_048_576;
/** Most lexical tokens: some of the library's steps are quadratic, and about 15,000 lines are enough. */
const TOKENS_MAX = 100_000;
/** Most nodes with every alias written out. */
const NODES_MAX = 50_000;
/** Most characters with every alias written out. */
const CHARACTERS_MAX = 4 * PLAN_BYTES_MAX;
/** Deepest nesting. */
const DEPTH_MAX = 32;

/**
 * Reads a plan file's bytes.
 * @throws FleetError 'plan' with every syntax fault found; `source` names the file in it.
 */
export function parseYaml(bytes: Uint8Array, source: string): MappingNode {
  const whole: Origin = { source, line: null, column: null };
  const problems = new ProblemList();
  if (bytes.length > PLAN_BYTES_MAX) {
    problems.add('', whole, `the plan has ${bytes.length} bytes, the limit is ${PLAN_BYTES_MAX}`);
    problems.throwIfAny(source);
  }
  const text = decodeUtf8(bytes, whole, problems);
  problems.throwIfAny(source);
  let tokens = 0;
  for (const _token of new Lexer().lex(text)) {
    tokens += 1;
    if (tokens > TOKENS_MAX) {
      problems.add('', whole, `the plan has more than ${TOKENS_MAX} YAML tokens`);
      problems.throwIfAny(source);
    }
  }
  const lines = new LineCounter();
  const document = composeDocument(text, lines, source);
  const reader = new TreeReader(lines, source, problems);
  const root = reader.readDocument(document);
  problems.throwIfAny(source);
  if (root?.kind !== 'mapping') throw new FleetError('plan', `${source}: a plan is a mapping of keys to values`);
  return root;
}

/** A text that is written without quotes, where a text of `formatYaml` would have them: a number, or a word for a boolean. */
export class BareWord {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const bareWordTag: ScalarTag = {
  tag: '!bare',
  default: true,
  identify: (value) => value instanceof BareWord,
  resolve: (text) => text,
  stringify: ({ value }) => (value as BareWord).text,
};

/** Plain data (texts, numbers, booleans, `BareWord`s, arrays, objects) as YAML text that `parseYaml` reads. */
export function formatYaml(value: unknown): string {
  return stringify(value, {
    version: '1.2',
    schema: 'core',
    customTags: (tags) => [bareWordTag, ...tags],
    lineWidth: 0,
    aliasDuplicateObjects: false,
  });
}

function decodeUtf8(bytes: Uint8Array, whole: Origin, problems: ProblemList): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    problems.add('', whole, 'the plan is not UTF-8 text');
    return '';
  }
}

function composeDocument(text: string, lines: LineCounter, source: string): Document.Parsed {
  try {
    return parseDocument(text, {
      version: '1.2',
      schema: 'failsafe',
      merge: false,
      strict: true,
      // Checked below with a set: the library compares every pair of keys.
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: 'error',
      lineCounter: lines,
    });
  } catch (error) {
    throw new FleetError('plan', `${source}: cannot be read as YAML`, { cause: error });
  }
}

/** A node that was read, with what it weighs once its aliases are written out. */
interface Weighed {
  readonly node: PlanNode;
  readonly nodes: number;
  readonly characters: number;
  /** Levels of nesting below it. */
  readonly height: number;
}

class TreeReader {
  readonly #lines: LineCounter;
  readonly #source: string;
  readonly #problems: ProblemList;
  readonly #anchors = new Map<string, Weighed>();
  readonly #heights = new Map<PlanNode, number>();
  #nodes = 0;
  #characters = 0;

  constructor(lines: LineCounter, source: string, problems: ProblemList) {
    this.#lines = lines;
    this.#source = source;
    this.#problems = problems;
  }

  readDocument(document: Document.Parsed): PlanNode | null {
    // Tags the library does not know are only warnings to it; the walk finds all of them.
    const warnings = document.warnings.filter((warning) => warning.code !== 'TAG_RESOLVE_FAILED');
    for (const fault of [...document.errors, ...warnings]) {
      this.#problems.add('', this.#originAt(fault.pos[0]), syntaxSentence(fault.code, fault.message));
    }
    if (this.#problems.count > 0) return null;
    if (document.directives.yaml.explicit === true) {
      this.#problems.add('', this.#originAt(0), 'directives such as %YAML are not used in plans; YAML 1.2 is assumed');
      return null;
    }
    return this.#read(document.contents, 0, 0);
  }

  #read(node: Node | null, depth: number, atOffset: number): PlanNode | null {
    const origin = this.#originAt(node?.range?.[0] ?? atOffset);
    if (depth > DEPTH_MAX) return this.#fail(origin, `nested deeper than ${DEPTH_MAX} levels`);
    if (isAlias(node)) return this.#readAlias(node.source, depth, origin);
    if (node?.tag !== undefined) return this.#fail(origin, `tags such as ${quoted(node.tag)} are not used in plans`);
    const [nodesBefore, charactersBefore] = [this.#nodes, this.#characters];
    const read = this.#readPlain(node, depth, origin);
    if (read === null || !this.#weigh(1, read.kind === 'scalar' ? read.text.length : 0, origin)) return null;
    const height = this.#heightOf(read);
    this.#heights.set(read, height);
    const anchor = isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined;
    if (anchor !== undefined) {
      // Known only from its end on, so an alias inside its own anchor is an unknown one.
      const weighed = { nodes: this.#nodes - nodesBefore, characters: this.#characters - charactersBefore };
      this.#anchors.set(anchor, { node: read, ...weighed, height });
    }
    return read;
  }

  #readPlain(node: Node | null, depth: number, origin: Origin): PlanNode | null {
    if (isMap(node)) return this.#readMapping(node as YAMLMap<Node, Node | null>, depth, origin);
    if (isSeq(node)) return this.#readSequence(node as YAMLSeq<Node | null>, depth, origin);
    const text = isScalar(node) ? node.value : '';
    if (text !== null && typeof text !== 'string')
      return this.#fail(origin, 'this kind of YAML value is not used in plans');
    if (text?.isWellFormed() === false) return this.#fail(origin, 'the text holds half of a surrogate pair');
    const plain = !isScalar(node) || node.type === 'PLAIN';
    return { kind: 'scalar', text: text ?? '', plain, variables: [], secret: false, unresolved: false, origin };
  }

  #readMapping(map: YAMLMap<Node, Node | null>, depth: number, origin: Origin): MappingNode {
    const entries: MappingEntry[] = [];
    const lineByKey = new Map<string, number | null>();
    for (const pair of map.items) {
      const keyOrigin = this.#originAt(pair.key.range?.[0] ?? 0);
      const key = isScalar(pair.key) && pair.key.tag === undefined ? pair.key.value : null;
      if (typeof key !== 'string' || !key.isWellFormed()) {
        this.#fail(keyOrigin, 'a key must be plain text');
        continue;
      }
      const firstLine = lineByKey.get(key);
      if (firstLine !== undefined) {
        this.#fail(keyOrigin, `the key ${quoted(key)} is written twice, first on line ${String(firstLine)}`);
        continue;
      }
      if (key === '<<') {
        this.#fail(keyOrigin, 'merge keys (<<) are not used in plans; an alias can stand for a whole value');
        continue;
      }
      lineByKey.set(key, keyOrigin.line);
      const value = this.#read(pair.value, depth + 1, pair.key.range?.[1] ?? 0);
      if (value !== null) entries.push({ key, keyOrigin, value });
    }
    return { kind: 'mapping', entries, origin };
  }

  #readSequence(list: YAMLSeq<Node | null>, depth: number, origin: Origin): PlanNode {
    const items = list.items.map((item) => this.#read(item, depth + 1, list.range?.[0] ?? 0));
    return { kind: 'sequence', items: items.filter((item) => item !== null), origin };
  }

  #heightOf(node: PlanNode): number {
    if (node.kind === 'scalar') return 0;
    const children = node.kind === 'mapping' ? node.entries.map((entry) => entry.value) : node.items;
    let height = 0;
    for (const child of children) height = Math.max(height, 1 + (this.#heights.get(child) ?? 0));
    return height;
  }

  #readAlias(name: string, depth: number, origin: Origin): PlanNode | null {
    const target = this.#anchors.get(name);
    if (target === undefined) return this.#fail(origin, `the alias *${name} has no anchor &${name} before it`);
    if (depth + target.height > DEPTH_MAX) return this.#fail(origin, `nested deeper than ${DEPTH_MAX} levels`);
    return this.#weigh(target.nodes, target.characters, origin) ? target.node : null;
  }

  /** Counts what was read; false, with one problem, once it is too much. */
  #weigh(nodes: number, characters: number, origin: Origin): boolean {
    const wasWithin = this.#nodes <= NODES_MAX && this.#characters <= CHARACTERS_MAX;
    this.#nodes += nodes;
    this.#characters += characters;
    if (this.#nodes <= NODES_MAX && this.#characters <= CHARACTERS_MAX) return true;
    if (wasWithin) {
      this.#fail(
        origin,
        `with its aliases written out the plan has more than ${NODES_MAX} values or ${CHARACTERS_MAX} characters`,
      );
    }
    return false;
  }

  #originAt(offset: number): Origin {
    const { line, col } = this.#lines.linePos(offset);
    return { source: this.#source, line, column: col };
  }

  #fail(origin: Origin, message: string): null {
    this.#problems.add('', origin, message);
    return null;
  }
}

/** The library's faults in our words where its own are terse. */
function syntaxSentence(code: string, message: string): string {
  switch (code) {
    case 'TAB_AS_INDENT':
      return 'a tab is used as indentation; YAML allows only spaces';
    case 'MULTIPLE_DOCS':
      return 'a second document starts here; a plan is one document';
    case 'RESOURCE_EXHAUSTION':
      return 'nested too deeply';
    default:
      return `${message.charAt(0).toLowerCase()}${message.slice(1, 200)}`;
  }
}
