import { describe, expect, it } from 'vitest';
import { rateLengthNs } from '../../../../shared/plan/rate-length.ts';
import { traceOf } from '../../../support/schedule-of.ts';

describe('the length that a rate is taken over', () => {
  it('is the scheduled length', () => {
    expect(rateLengthNs({ arrivals: traceOf([0, 5e9]).law, durationNs: 5e9 + 1 })).toBe(5e9 + 1);
    expect(rateLengthNs({ arrivals: { kind: 'poisson', knots: [] }, durationNs: 1 })).toBe(1);
  });

  it('is nothing where all is due at one instant', () => {
    expect(rateLengthNs({ arrivals: traceOf([0, 0]).law, durationNs: 1 })).toBe(0);
    expect(rateLengthNs({ arrivals: { kind: 'all-at-once', count: 3 }, durationNs: 0 })).toBe(0);
  });
});
