import { describe, expect, it } from 'vitest';
import { identityOf } from '../../../../shared/schedule/arrival-law.ts';
import { knotsOf, poisson, traceOf } from '../../../support/schedule-of.ts';

describe('identityOf', () => {
  it('is by lane for Poisson, by index for all other laws', () => {
    expect(identityOf(poisson([0, 1], [1, 1]))).toBe('lanes');
    expect(identityOf({ kind: 'poisson-count', knots: knotsOf([0, 1], [1, 1]), count: 1 })).toBe('indexed');
    expect(identityOf({ kind: 'even', knots: knotsOf([0, 1], [1, 1]) })).toBe('indexed');
    expect(identityOf(traceOf([1]).law)).toBe('indexed');
    expect(identityOf({ kind: 'all-at-once', count: 1 })).toBe('indexed');
    expect(identityOf({ kind: 'gamma', ratePerSecond: 1, burstiness: 1 })).toBe('indexed');
  });
});
