import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { resultSchema } from '../../../../coordinator/report/result-schema.ts';
import { GATES } from '../../../../coordinator/verdict/thresholds-table.ts';

const document = (name: string): string => readFileSync(new URL(`../../../../docs/${name}`, import.meta.url), 'utf8');

/** Every member name that the schema knows. */
function membersOf(schema: unknown): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap(membersOf);
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]: [string, unknown]) =>
    key === 'properties' && typeof value === 'object' && value !== null
      ? [...Object.keys(value), ...Object.values(value).flatMap(membersOf)]
      : membersOf(value),
  );
}

describe('docs/results.md', () => {
  const text = document('results.md') + document('verdict.md');
  const members = [...new Set(membersOf(resultSchema))];

  it('names every field of result.json', () => {
    expect(members.length).toBeGreaterThan(100);
    expect(members.filter((name) => !text.includes(name))).toEqual([]);
  });
});

describe('docs/verdict.md', () => {
  const text = document('verdict.md');

  it('has every gate with what it measures', () => {
    for (const [name, row] of Object.entries(GATES)) {
      const line = text.split('\n').find((one) => one.startsWith(`| \`${name}\` |`)) ?? '';
      const measures = row.measures.replace('the books (P4)', 'the [books](results.md#the-books)');
      expect(line, name).toContain(measures);
    }
  });
});
