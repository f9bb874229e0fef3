import { describe, expect, it } from 'vitest';
import { judgeBacklog } from '../../../../shared/stats/backlog-slope.ts';
import { mm1BacklogDeviation } from '../../../../shared/stats/queue-theory.ts';
import { seededRandom } from '../../../support/seeded-random.ts';

/** Means over six equal blocks of the number in an M/M/1 system at `ratePerSecond` arrivals and service of 10/s. */
function blockMeans(seed: number, ratePerSecond: number, seconds: number): number[] {
  const random = seededRandom(seed);
  const blocks = new Float64Array(6);
  const blockSeconds = seconds / blocks.length;
  // A stable queue begins in its steady state, an overloaded one empty.
  const utilisation = ratePerSecond / 10;
  let waiting = utilisation < 1 ? Math.floor(random.exponential(-1 / Math.log(utilisation))) : 0;
  for (let now = 0; now < seconds; ) {
    const total = ratePerSecond + (waiting > 0 ? 10 : 0);
    const gap = random.exponential(1 / total);
    const block = Math.min(blocks.length - 1, Math.floor(now / blockSeconds));
    blocks[block] = (blocks[block] as number) + (waiting * gap) / blockSeconds;
    now += gap;
    waiting += random.uniform() < ratePerSecond / total ? 1 : -1;
  }
  return Array.from(blocks);
}

describe('judgeBacklog', () => {
  it('finds an overload of 20 %, in every one of 20 runs', () => {
    const runs = Array.from({ length: 20 }, (_, seed) =>
      judgeBacklog(blockMeans(seed, 12, 300), mm1BacklogDeviation(0.9)),
    );
    expect(runs.map(({ kind }) => kind)).toEqual(runs.map(() => 'unstable'));
  });

  it('hardly ever calls a stable queue unstable: at most 2 of 200 runs at utilisation 0.9', () => {
    const runs = Array.from({ length: 200 }, (_, seed) =>
      judgeBacklog(blockMeans(seed, 9, 120), mm1BacklogDeviation(0.9)),
    );
    expect(runs.filter(({ kind }) => kind === 'unstable').length).toBeLessThanOrEqual(2);
  });

  it('gives slope, growth and t', () => {
    const judged = judgeBacklog([0, 10.5, 19.5, 30, 40, 50], 1);
    expect(judged).toMatchObject({ kind: 'unstable' });
    expect(judged.kind === 'unstable' ? judged.slopePerBlock : 0).toBeCloseTo(9.971, 3);
    expect(judged.kind === 'unstable' ? judged.growth : 0).toBeCloseTo(49.857, 3);
  });

  it('needs growth beyond the swing of a stable queue, however clear the slope', () => {
    expect(judgeBacklog([0, 1, 2, 3, 4, 5], 1)).toEqual({ kind: 'unstable', slopePerBlock: 1, growth: 5, t: null });
    expect(judgeBacklog([0, 1, 2, 3, 4, 5], 2)).toMatchObject({ kind: 'stable' });
  });

  it('never calls a falling or constant backlog unstable', () => {
    expect(judgeBacklog([9, 8, 7, 6, 5, 4], 0)).toMatchObject({ kind: 'stable', t: null });
    expect(judgeBacklog([3, 3, 3, 3, 3, 3], 0)).toMatchObject({ kind: 'stable', growth: 0 });
  });

  it('needs six blocks', () => {
    expect(judgeBacklog([1, 2, 3, 4, 5], 0)).toEqual({ kind: 'too-few-blocks', count: 5 });
  });
});
