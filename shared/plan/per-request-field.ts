/** The plan's `output.perRequest`: whether, and for how many requests, a line each is written. */

import { booleanField, type Field, INVALID, integerField, scalarOrElse } from './plan-field.ts';
import { PLAN_COUNTS } from './plan-limits.ts';
import { optional, recordField } from './record-field.ts';

/** Requests of a run that are written where the plan gives no limit. */
const RECORDS_DEFAULT = 100_000;

const limitKeys = {
  limit: optional(
    integerField(1, PLAN_COUNTS.recordsMax),
    'Most requests of the run that are written.',
    RECORDS_DEFAULT,
    String(RECORDS_DEFAULT),
  ),
};

const given = scalarOrElse(booleanField(), recordField(limitKeys, 'a mapping with limit'));

/** The limit, or null for `false`. */
export const perRequestField: Field<number | null> = {
  ...given,
  read: (node, path, problems) => {
    const value = given.read(node, path, problems);
    if (value === INVALID) return INVALID;
    if (typeof value !== 'boolean') return value.limit;
    return value ? RECORDS_DEFAULT : null;
  },
};
