/** Expected statuses: `200`, `2xx`, `200-299`, or a list of these. */

import { type Field, type Invalid, INVALID, refuse, scalarField, valueError } from './plan-field.ts';
import type { PlanNode } from './plan-node.ts';
import { type ProblemList, quoted } from './problem-list.ts';

/** Inclusive. */
export type StatusRange = readonly [low: number, high: number];

const WORDS = 'a status such as 200, 2xx or 200-299, or a list of these';

const one: Field<StatusRange> = scalarField(
  WORDS,
  {
    anyOf: [
      { type: 'integer', minimum: 100, maximum: 599 },
      { type: 'string', pattern: '^[1-5](xx|[0-9]{2}(-[1-5][0-9]{2})?)$' },
    ],
  },
  (text) => {
    const hundred = /^([1-5])xx$/i.exec(text)?.[1];
    if (hundred !== undefined) return [Number(hundred) * 100, Number(hundred) * 100 + 99];
    const match = /^([1-5][0-9]{2})(?:\s*-\s*([1-5][0-9]{2}))?$/.exec(text);
    const [low, high] = [Number(match?.[1]), Number(match?.[2] ?? match?.[1])];
    if (match === null || low > high) throw valueError(`${quoted(text)} is not ${WORDS}`);
    return [low, high];
  },
);

/** One status range or a list of up to 50. */
export const statusField: Field<readonly StatusRange[]> = {
  words: WORDS,
  schema: { anyOf: [one.schema, { type: 'array', items: one.schema, minItems: 1, maxItems: 50 }] },
  read: (node: PlanNode, path: string, problems: ProblemList): readonly StatusRange[] | Invalid => {
    const nodes = node.kind === 'sequence' ? node.items : [node];
    if (nodes.length < 1 || nodes.length > 50) {
      return refuse(problems, { path, origin: node.origin }, `has ${nodes.length} statuses, allowed are 1..50`);
    }
    const ranges = nodes.map((each) => one.read(each, path, problems));
    return ranges.includes(INVALID) ? INVALID : (ranges as StatusRange[]);
  },
};
