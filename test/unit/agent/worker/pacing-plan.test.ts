import { describe, expect, it } from 'vitest';
import { BLOCK_MARGIN, blockNs, sleepMs, TIMER_MARGIN, WakeMargin } from '../../../../agent/worker/pacing-plan.ts';

const MS = 1e6;

describe('sleepMs', () => {
  it('sleeps to the margin before an arrival under hybrid, and not at all inside it', () => {
    expect(sleepMs('hybrid', 0, 10 * MS, Infinity, 1.5 * MS)).toBe(8);
    expect(sleepMs('hybrid', 0, 2.4 * MS, Infinity, 1.5 * MS)).toBe(0);
    expect(sleepMs('hybrid', 0, 2.5 * MS, Infinity, 1.5 * MS)).toBe(1);
    expect(sleepMs('hybrid', 5, 0, Infinity, 1.5 * MS)).toBe(0);
  });

  it('never sleeps under spin', () => {
    expect(sleepMs('spin', 0, 1e15, 1e15, MS)).toBe(0);
  });

  it('wakes at or after the arrival under timer, never before', () => {
    expect(sleepMs('timer', 0, 10 * MS, Infinity, 0)).toBe(10);
    expect(sleepMs('timer', 0, 10 * MS + 1, Infinity, 0)).toBe(11);
    expect(sleepMs('timer', 10 * MS, 10 * MS, Infinity, 0)).toBe(0);
  });

  it('wakes for housekeeping, at least one millisecond on', () => {
    expect(sleepMs('hybrid', 0, Infinity, 300 * MS, MS)).toBe(300);
    expect(sleepMs('timer', 0, 100 * MS, 20.2 * MS, 0)).toBe(21);
    expect(sleepMs('hybrid', 10, Infinity, 5, MS)).toBe(1);
  });

  it('R013 cuts what a timer cannot hold and is asked again: never a timer of one millisecond', () => {
    const longest = 2 ** 31 - 1;
    for (const waitMs of [2 ** 31 - 2, 2 ** 31 - 1, 2 ** 31, 2 ** 32 + 5000, 30 * 86_400_000]) {
      const delay = sleepMs('timer', 0, waitMs * MS, Infinity, 0);
      expect(delay).toBe(Math.min(waitMs, longest));
    }
    expect(sleepMs('hybrid', 0, Infinity, Infinity, MS)).toBe(longest);
  });
});

describe('blockNs', () => {
  it('blocks to the margin before an arrival, at most a millisecond at once', () => {
    expect(blockNs('hybrid', 0, 0.9 * MS, Infinity, 0.3 * MS)).toBe(0.6 * MS);
    expect(blockNs('hybrid', 0, 9 * MS, Infinity, 0.3 * MS)).toBe(MS);
    expect(blockNs('hybrid', 0, Infinity, Infinity, 0.3 * MS)).toBe(MS);
  });

  it('does not block beyond housekeeping, nor for less than it is worth', () => {
    expect(blockNs('hybrid', 0, 0.9 * MS, 0.2 * MS, 0.3 * MS)).toBe(0.2 * MS);
    expect(blockNs('hybrid', 0, 0.9 * MS, 0, 0.3 * MS)).toBe(0);
    expect(blockNs('hybrid', 0, 0.34 * MS, Infinity, 0.3 * MS)).toBe(0);
    expect(blockNs('hybrid', MS, 0.5 * MS, Infinity, 0.3 * MS)).toBe(0);
  });

  it('is for hybrid only', () => {
    expect(blockNs('spin', 0, MS, Infinity, 0)).toBe(0);
    expect(blockNs('timer', 0, MS, Infinity, 0)).toBe(0);
  });
});

describe('WakeMargin', () => {
  it('settles so that about one wake-up in four hundred comes later than it', () => {
    const margin = new WakeMargin(TIMER_MARGIN);
    let state = 12_345;
    const next = (): number => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return state / 2 ** 32;
    };
    let late = 0;
    for (let n = 0; n < 60_000; n += 1) {
      const errorNs = next() * MS;
      if (n >= 10_000 && errorNs > margin.marginNs) late += 1;
      margin.observe(errorNs);
    }
    expect(late / 50_000).toBeGreaterThan(0.001);
    expect(late / 50_000).toBeLessThan(0.004);
  });

  it.each([TIMER_MARGIN, BLOCK_MARGIN])('stays between its bounds', (bounds) => {
    const margin = new WakeMargin(bounds);
    expect(margin.marginNs).toBe(bounds.startNs);
    for (let n = 0; n < 20_000; n += 1) margin.observe(-MS);
    expect(margin.marginNs).toBe(bounds.minNs);
    for (let n = 0; n < 20_000; n += 1) margin.observe(1e9);
    expect(margin.marginNs).toBe(bounds.maxNs);
  });
});
