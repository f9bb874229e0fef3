import { describe, expect, it } from 'vitest';
import { backOffNs } from '../../../../agent/uplink/back-off.ts';

describe('R083 reconnecting backs off, with jitter', () => {
  it('doubles from 100 ms to 5 s', () => {
    const upper = [1, 2, 3, 4, 5, 6, 7, 100].map((attempt) => backOffNs(attempt, 0.999_999) / 1e6);
    expect(upper.map(Math.round)).toEqual([100, 200, 400, 800, 1600, 3200, 5000, 5000]);
  });

  it('is never below half of it: agents that lost one coordinator come back at different instants', () => {
    expect(backOffNs(7, 0)).toBe(2.5e9);
    expect(backOffNs(1, 0)).toBe(50e6);
    expect(backOffNs(7, 0.5)).toBe(3.75e9);
  });
});
