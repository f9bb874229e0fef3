/**
 * Values of the plan that are sent on as JSON and mean nothing to us: any tree, or one text that is JSON itself. Words and numbers
 * without quotes become JSON's own (`true`, `null`, `0.5`), numbers with every digit that is written; everything else is text.
 */

import { type Field, type INVALID, readDecimal, refuse } from './plan-field.ts';
import type { PlanNode, ScalarNode } from './plan-node.ts';
import type { ProblemList } from './problem-list.ts';

/** JSON as text, perhaps with `{{column}}` in it. */
export type JsonText = string;

/** A value for JSON; `words` says what it is. A single text must be JSON, or hold `{{column}}`. */
export function jsonField(words: string, shape: 'mapping' | 'sequence'): Field<JsonText> {
  const schema = shape === 'mapping' ? { type: ['object', 'string'] } : { type: ['array', 'string'] };
  return { words, schema, read: (node, path, problems) => readJson(node, path, problems, { words, shape }) };
}

function readJson(
  node: PlanNode,
  path: string,
  problems: ProblemList,
  expected: { readonly words: string; readonly shape: 'mapping' | 'sequence' },
): JsonText | typeof INVALID {
  if (node.kind === expected.shape) return jsonOf(node);
  if (node.kind === 'scalar' && isJsonText(node.text, expected.shape)) return node.text;
  return refuse(problems, { path, origin: node.origin }, `is not ${expected.words}`);
}

/** What holds a place for a data row can only be judged with the row. */
function isJsonText(text: string, shape: 'mapping' | 'sequence'): boolean {
  if (text.includes('{{')) return true;
  try {
    const value: unknown = JSON.parse(text);
    return shape === 'sequence'
      ? Array.isArray(value)
      : typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function jsonOf(node: PlanNode): JsonText {
  switch (node.kind) {
    case 'scalar':
      return scalarJson(node);
    case 'sequence':
      return `[${node.items.map(jsonOf).join(',')}]`;
    case 'mapping':
      return `{${node.entries.map(({ key, value }) => `${JSON.stringify(key)}:${jsonOf(value)}`).join(',')}}`;
  }
}

function scalarJson({ text, plain }: ScalarNode): JsonText {
  if (!plain) return jsonString(text);
  if (/^(?:true|True|TRUE|false|False|FALSE)$/.test(text)) return text.toLowerCase();
  if (/^(?:|~|null|Null|NULL)$/.test(text)) return 'null';
  // A seed of 64 bits has more digits than a double keeps. JSON has no plus sign.
  return readDecimal(text) === null ? jsonString(text) : text.replace(/^\+/, '');
}

/** `text` as a JSON string; the values of its places are escaped for JSON when a row fills them. */
export function jsonString(text: string): JsonText {
  return JSON.stringify(text).replace(/\{\{([^{}|]+)\}\}/g, '{{$1|json}}');
}
