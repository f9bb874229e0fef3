import { describe, expect, it } from 'vitest';
import { allAtOnceInstants } from '../../../../shared/schedule/all-at-once.ts';
import { basisOf, unionOf } from '../../../support/schedule-of.ts';

describe('allAtOnceInstants', () => {
  it('all lie at the phase start', () => {
    const instants = allAtOnceInstants(3);
    expect([0, 1, 2].map((i) => instants.nsOf(i))).toEqual([0, 0, 0]);
  });

  it('need no duration, and are dealt by index', () => {
    const basis = basisOf([{ startNs: 5, durationNs: 0, law: { kind: 'all-at-once', count: 40 } }]);
    const union = unionOf(basis, 7);
    expect(union.map((arrival) => arrival.index)).toEqual(Array.from({ length: 40 }, (_, i) => i));
    expect(union.every((arrival) => arrival.intendedNs === 5 && arrival.lane === arrival.index % 16)).toBe(true);
  });

  it.each([-1, 0.5, Number.NaN, 2 ** 53])('refuses a count of %d', (count) => {
    expect(() => allAtOnceInstants(count)).toThrow(`all-at-once: count ${count} is not an integer >= 0`);
  });
});
