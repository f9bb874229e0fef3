import { describe, expect, it } from 'vitest';
import { planFromJson, planToJson } from '../../../../shared/plan/plan-json.ts';
import { createPlan } from '../../../support/plan-fixture.ts';

const bytesOf = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const looseOf = (): Record<string, unknown> =>
  JSON.parse(new TextDecoder().decode(planToJson(createPlan()))) as Record<string, unknown>;

describe('plan as JSON', () => {
  it('comes back as it went, the 64-bit seed included', () => {
    const plan = createPlan({ overrides: { seed: 0xffff_ffff_ffff_ffffn, slo: [{ metric: 'response', maxNs: 2e8 }] } });
    expect(planFromJson(planToJson(plan))).toEqual(plan);
  });

  it.each([{}, { count: 1000 }])('keeps a gamma law with %j', (limit) => {
    const arrivals = { kind: 'gamma', ratePerSecond: 10, burstiness: 0.01, ...limit } as const;
    const plan = createPlan();
    const bursty = { ...plan, phases: plan.phases.map((phase) => ({ ...phase, arrivals })) };
    expect(planFromJson(planToJson(bursty))).toEqual(bursty);
  });

  it.each([
    ['an unknown member', { ...looseOf(), surprise: 1 }, /surprise/],
    [
      'an unknown inner member',
      { ...looseOf(), output: { directory: null, quiet: true, perRequestLimit: null, loud: 1 } },
      /output.*loud/,
    ],
    ['a number as the seed', { ...looseOf(), seed: 42 }, /seed/],
    ['a seed of 65 bits', { ...looseOf(), seed: '18446744073709551616' }, /seed/],
    ['no requests', { ...looseOf(), requests: [] }, /requests/],
    ['lanes that are no power of two', { ...looseOf(), laneCount: 100 }, /laneCount: not a power of two/],
    ['a word outside its list', { ...looseOf(), failOn: 'sometimes' }, /failOn/],
  ])('refuses %s', (_what, value, message) => {
    expect(() => planFromJson(bytesOf(value))).toThrow(message);
  });

  it('refuses phases that do not follow each other', () => {
    const plan = createPlan();
    const late = plan.phases.map((phase) => ({ ...phase, startNs: 5 }));
    expect(() => planFromJson(planToJson({ ...plan, phases: late }))).toThrow(/gap/);
  });

  it('refuses what is not JSON', () => {
    expect(() => planFromJson(new Uint8Array([0xff, 0xfe]))).toThrow(/not UTF-8 JSON/);
    expect(() => planFromJson(new TextEncoder().encode('{'))).toThrow(/not UTF-8 JSON/);
  });
});
