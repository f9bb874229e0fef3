/** Headers of a request: a mapping of names to a value, or to a list of values for a header that is sent more than once. */

import { FleetError } from '../fleet-error.ts';
import { checkHeaderName } from './http-syntax.ts';
import { type Field, INVALID, type Invalid, type Place, refuse, textField } from './plan-field.ts';
import { PLAN_COUNTS } from './plan-limits.ts';
import { pathOf, type PlanNode } from './plan-node.ts';
import type { ProblemList } from './problem-list.ts';

/** One header as written; the value may hold `{{column}}`. */
export interface HeaderText {
  readonly name: string;
  readonly value: string;
  readonly place: Place;
}

const valueField = textField({ min: 0, max: 16_384, what: 'a header value' });

/** Headers in the order written; names keep their case. */
export const headersField: Field<readonly HeaderText[]> = {
  words: `a mapping of up to ${PLAN_COUNTS.headersMax} header names to values (or lists of values)`,
  schema: {
    type: 'object',
    additionalProperties: {
      anyOf: [
        { type: ['string', 'number', 'boolean'] },
        { type: 'array', items: { type: ['string', 'number', 'boolean'] } },
      ],
    },
  },
  read: readHeaders,
};

function readHeaders(node: PlanNode, path: string, problems: ProblemList): readonly HeaderText[] | Invalid {
  const place = { path, origin: node.origin };
  if (node.kind !== 'mapping') return refuse(problems, place, `is not a mapping of header names to values`);
  const headers: HeaderText[] = [];
  const seen = new Map<string, string>();
  let valid = true;
  for (const { key, keyOrigin, value } of node.entries) {
    const at = { path: pathOf(path, key), origin: keyOrigin };
    const twin = seen.get(key.toLowerCase());
    if (twin !== undefined)
      valid = fail(problems, at, `the same header as ${twin}; give a list to send it more than once`);
    seen.set(key.toLowerCase(), key);
    if (!isHeaderName(key, at, problems)) valid = false;
    for (const each of value.kind === 'sequence' ? value.items : [value]) {
      const text = valueField.read(each, at.path, problems);
      if (text === INVALID) valid = false;
      else headers.push({ name: key, value: text, place: { path: at.path, origin: each.origin } });
    }
  }
  if (headers.length > PLAN_COUNTS.headersMax) {
    return refuse(problems, place, `has ${headers.length} headers, the limit is ${PLAN_COUNTS.headersMax}`);
  }
  return valid ? headers : INVALID;
}

function isHeaderName(name: string, place: Place, problems: ProblemList): boolean {
  try {
    checkHeaderName(name);
    return true;
  } catch (error) {
    if (!(error instanceof FleetError)) throw error;
    return fail(problems, place, error.message);
  }
}

function fail(problems: ProblemList, place: Place, message: string): false {
  problems.add(place.path, place.origin, message);
  return false;
}
