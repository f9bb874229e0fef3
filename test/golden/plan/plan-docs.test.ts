import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { planSchema, planTables } from '../../../shared/plan/plan-schema.ts';

const docs = (name: string): URL => new URL(`../../../docs/${name}`, import.meta.url);

describe('docs/plan.schema.json', () => {
  it('is the schema of the grammar (update with vitest run test/golden/plan --update)', async () => {
    await expect(`${JSON.stringify(planSchema(), null, 2)}\n`).toMatchFileSnapshot('../../../docs/plan.schema.json');
  });

  it('is a valid JSON Schema in strict mode', () => {
    expect(() => new Ajv2020({ strict: true, allowUnionTypes: true }).compile(planSchema())).not.toThrow();
  });
});

/** The page with the tables filled in between its markers. */
function filledPage(page: string): string {
  const names = new Set<string>();
  const filled = page.replace(/(<!-- table: (\S+) -->\n)(?:(?:\|.*\n)*)/g, (_all, marker: string, name: string) => {
    names.add(name);
    const table = planTables().get(name);
    if (table === undefined) throw new Error(`docs/plan.md asks for the unknown table ${name}`);
    return `${marker}${table}\n`;
  });
  expect([...names].sort()).toEqual([...planTables().keys()].sort());
  return filled;
}

describe('docs/plan.md', () => {
  it('has a table for every section, made from the grammar (update with vitest run test/golden/plan --update)', async () => {
    const page = readFileSync(docs('plan.md'), 'utf8');
    await expect(filledPage(page)).toMatchFileSnapshot('../../../docs/plan.md');
  });
});
