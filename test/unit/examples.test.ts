import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadPlan } from '../../cli/load-plan.ts';
import { explainPlan } from '../../shared/plan/explain-plan.ts';
import { planSchema } from '../../shared/plan/plan-schema.ts';

const folder = fileURLToPath(new URL('../../examples', import.meta.url));
const names = readdirSync(folder).filter((name) => name.endsWith('.yaml'));

describe('examples', () => {
  it('are the ones the documents name', () => {
    expect(names).toEqual(expect.arrayContaining(['quickstart.yaml', 'ramp.yaml', 'spike.yaml', 'trace-replay.yaml']));
  });

  it.each(names)('%s is a plan without a warning, with arrivals, and points editors to the schema', (name) => {
    const text = readFileSync(join(folder, name), 'utf8');
    expect(text.split('\n')[0]).toBe('# yaml-language-server: $schema=../docs/plan.schema.json');
    const given = { file: join(folder, name), flags: new Map(), environment: {}, workingFolder: folder };
    const explanation = explainPlan(loadPlan(given, null), { cores: 2 });
    expect(explanation.warnings).toEqual([]);
    expect(explanation.totalScheduled).toBeGreaterThan(100);
  });

  it.each(names)('%s satisfies the published schema, as an editor reads it', (name) => {
    const validate = new Ajv2020({ allowUnionTypes: true }).compile(planSchema());
    const isValid = validate(parse(readFileSync(join(folder, name), 'utf8')));
    expect(validate.errors ?? []).toEqual([]);
    expect(isValid).toBe(true);
  });

  it('the schema refuses what the parser refuses', () => {
    const validate = new Ajv2020({ allowUnionTypes: true }).compile(planSchema());
    const base = { target: { url: 'http://h' }, load: [{ rate: 1, duration: '1s' }] };
    expect(validate(base)).toBe(true);
    for (const wrong of [
      { ...base, threshholds: [] },
      { ...base, limits: { timeout: 5 } },
      { ...base, load: [{ rate: -1, duration: '1s' }] },
      { ...base, failOn: 'maybe' },
      { ...base, fleet: { agents: 0 } },
      { load: base.load },
    ]) {
      expect(validate(wrong), JSON.stringify(wrong)).toBe(false);
    }
    expect(validate({ ...base, fleet: { agents: '${AGENTS}' } })).toBe(true);
  });
});
