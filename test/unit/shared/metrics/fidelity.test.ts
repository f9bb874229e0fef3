import { describe, expect, it } from 'vitest';
import {
  addBinSums,
  binsStartingIn,
  createBinSums,
  EDGES_PER_WINDOW,
  hasPace,
  movedShare,
  pacedPhaseAt,
  plannedMoments,
  plannedWindows,
  sentMoments,
} from '../../../../shared/metrics/fidelity.ts';
import type { Phase } from '../../../../shared/plan/plan.ts';
import { momentsOf } from '../../../../shared/stats/welford.ts';
import { createPlan } from '../../../support/plan-fixture.ts';

const [load] = createPlan({ durationNs: 1.5e9 }).phases as [Phase];
const burst: Phase = { ...load, startNs: 1.5e9, durationNs: 0, arrivals: { kind: 'all-at-once', count: 9 } };
const after: Phase = { ...load, startNs: 1.5e9, durationNs: 1e9 };

describe('power sums of counts', () => {
  it('give the moments of the counts, whatever the grouping (M§3.3)', () => {
    const counts = [9, 12, 8, 11, 10, 14, 6, 10, 9, 11];
    const sums = createBinSums();
    for (const part of [counts.slice(0, 3), counts.slice(3)]) {
      addBinSums(sums, {
        bins: part.length,
        planned: part.reduce((sum, n) => sum + n, 0),
        plannedSquares: part.reduce((sum, n) => sum + n * n, 0),
        sent: 4,
        sentSquares: 10,
        moved: 1,
      });
    }
    const wanted = momentsOf(counts);
    expect(plannedMoments(sums).count).toBe(wanted.count);
    expect(plannedMoments(sums).mean).toBeCloseTo(wanted.mean, 12);
    expect(plannedMoments(sums).squares).toBeCloseTo(wanted.squares, 10);
    expect(sentMoments(sums)).toEqual({ count: 10, mean: 0.8, squares: 20 - 64 / 10 });
    expect(movedShare(sums)).toBe(0.25);
  });

  it('of no bins have no moments, and of no sends no share', () => {
    expect(plannedMoments(createBinSums())).toEqual({ count: 0, mean: 0, squares: 0 });
    expect(movedShare(createBinSums())).toBe(0);
  });
});

describe('bins, phases and windows', () => {
  it('a bin belongs to where it starts: every bin to one phase only', () => {
    expect(binsStartingIn(0, 1_500_000, 1_000_000)).toBe(2);
    expect(binsStartingIn(1_500_000, 3_000_000, 1_000_000)).toBe(1);
    expect(binsStartingIn(1_200_000, 1_900_000, 1_000_000)).toBe(0);
    expect(EDGES_PER_WINDOW).toBe(10);
  });

  it('what asks for everything at once has no pace', () => {
    expect([load, burst, after].map(hasPace)).toEqual([true, false, true]);
    expect(pacedPhaseAt([load, burst, after], 1.5e9)).toBe(2);
    expect(pacedPhaseAt([load, burst, after], 1.5e9 - 1)).toBe(0);
    expect(pacedPhaseAt([load, burst, after], 2.5e9)).toBeNull();
  });

  it('a plan has as many windows as it reaches into', () => {
    expect(plannedWindows([load, burst, after])).toBe(3);
    expect(plannedWindows([burst])).toBe(2);
    expect(plannedWindows([{ ...burst, startNs: 0 }])).toBe(0);
  });
});
