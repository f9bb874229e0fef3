import { describe, expect, it } from 'vitest';
import {
  excessGate,
  excessLevel,
  excessSentence,
  type NamedExcess,
} from '../../../../coordinator/verdict/excess-gate.ts';

const named = (measured: number, excess: number, percentage = 99): NamedExcess => ({
  metric: 'response',
  percentage,
  bound: { measured, excess, share: measured === 0 ? null : excess / measured, alpha: 0.001 },
});

describe('excess gate', () => {
  it.each([
    [46e6, 0.92e6, 'pass'],
    [46e6, 0.921e6, 'warn'],
    [46e6, 2.3e6, 'warn'],
    [46e6, 2.31e6, 'fail'],
    [0.2e6, 0.1e6, 'pass'],
    [0.2e6, 0.101e6, 'fail'],
    [0, 0, 'pass'],
  ] as const)('of %d ns at most %d ns: %s', (measured, excess, level) => {
    const one = named(measured, excess);
    expect(one.bound && excessLevel(one.bound)).toBe(level);
    expect(excessGate([one]).kind).toBe(level);
  });

  it('says it in one sentence', () => {
    const one = named(46e6, 1e6);
    expect(one.bound && excessSentence(one, one.bound)).toBe(
      'p99 of response = 46.000 ms, of which at most 1.000 ms (2.17 %) can be the fleet',
    );
  });

  it('judges by the gravest: a failing share before a larger one that is within the slack', () => {
    const gate = excessGate([named(0.1e6, 0.09e6, 50), named(10e6, 0.6e6, 99)]);
    expect(gate).toMatchObject({ kind: 'fail', measured: 0.06, limit: 0.02 });
    expect(gate.reason).toContain('p99 of response');
  });

  it('is not measured, never passed, without a bound', () => {
    const missing: NamedExcess = { metric: 'response', percentage: 99, bound: null };
    expect(excessGate([missing])).toMatchObject({ kind: 'not-measured', measured: null });
    expect(excessGate([])).toMatchObject({ kind: 'not-measured' });
    expect(excessGate([named(46e6, 0, 50), missing]).reason).toContain('not measured for p99 of response');
  });
});
