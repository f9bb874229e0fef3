import { describe, expect, it } from 'vitest';
import { isDirty, type Look, lookOf, seenBetween } from '../../../../bench/trust/host-witness.ts';

const STAT = 'cpu  100 5 50 800 10 1 4 30 7 0\ncpu0 50 2 25 400 5 0 2 15 3 0\n';
const PRESSURE =
  'some avg10=1.00 avg60=2.00 avg300=4.79 total=123456\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=9\n';

/** Looks every 100 ms from 1000 ms on, 20 ticks each; `steal` and `waitUs` are what came in each stretch. */
function looksOf(stretches: readonly { readonly steal: number; readonly waitUs: number }[]): Look[] {
  const looks: Look[] = [{ atMs: 1000, stealTicks: 5, allTicks: 1000, waitUs: 700 }];
  for (const { steal, waitUs } of stretches) {
    const before = looks.at(-1) as Look;
    looks.push({
      atMs: before.atMs + 100,
      stealTicks: (before.stealTicks ?? 0) + steal,
      allTicks: (before.allTicks ?? 0) + 20,
      waitUs: (before.waitUs ?? 0) + waitUs,
    });
  }
  return looks;
}

describe('a look at the host', () => {
  it('reads steal, all ticks without the guests, and time in which a task waited', () => {
    expect(lookOf(7, STAT, PRESSURE)).toEqual({ atMs: 7, stealTicks: 30, allTicks: 1000, waitUs: 123456 });
  });

  it('is null where the host does not tell, and accuses nobody then', () => {
    expect(lookOf(7, '', '')).toEqual({ atMs: 7, stealTicks: null, allTicks: null, waitUs: null });
    expect(lookOf(7, 'cpu  1 2 3 4\n', '')).toMatchObject({ stealTicks: null, allTicks: 10 });
    const seen = seenBetween([lookOf(0, '', ''), lookOf(100, '', '')], 0, 100);
    expect(seen).toEqual({ stealShare: null, stealWorstShare: null, waitShare: null, looks: 2 });
    expect(isDirty(seen)).toBe(false);
  });
});

describe('what was seen during a run', () => {
  const trouble = { steal: 4, waitUs: 50_000 };
  const quiet = { steal: 0, waitUs: 1000 };

  it('leaves out trouble before its start and after its end', () => {
    const looks = looksOf([trouble, trouble, quiet, quiet, quiet, trouble]);
    const during = seenBetween(looks, 1200, 1500);
    expect(during).toEqual({ stealShare: 0, stealWorstShare: 0, waitShare: 0.01, looks: 4 });
    expect(isDirty(during)).toBe(false);
    expect(isDirty(seenBetween(looks, 1000, 1600))).toBe(true);
  });

  it('shows a short steal that the mean over the run hides', () => {
    const looks = looksOf([...Array.from({ length: 99 }, () => quiet), { steal: 3, waitUs: 0 }]);
    const seen = seenBetween(looks, 1000, 11_000);
    expect(seen.stealShare).toBeCloseTo(0.0015, 12);
    expect(seen.stealWorstShare).toBeCloseTo(0.1, 12);
    expect(isDirty(seen)).toBe(true);
  });

  it('is not measured with fewer than two looks inside', () => {
    const none = { stealShare: null, stealWorstShare: null, waitShare: null };
    expect(seenBetween(looksOf([quiet]), 5000, 6000)).toEqual({ ...none, looks: 0 });
    expect(seenBetween(looksOf([quiet]), 950, 1050)).toEqual({ ...none, looks: 1 });
  });
});
