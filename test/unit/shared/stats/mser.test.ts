import { describe, expect, it } from 'vitest';
import { adviseWarmup, batchMeans, mserStatistic } from '../../../../shared/stats/mser.ts';

/** The vector of M§4.3: a start that fades as 0.9^i, with a small regular ripple. */
const fading = Array.from({ length: 100 }, (_, i) => {
  const value = 10 + 40 * 0.9 ** i + (((37 * i) % 11) - 5) * 0.3;
  return Number(value.toFixed(6));
});

describe('MSER-5', () => {
  it('gives the statistics of M§4.3 for d = 0..10', () => {
    const batches = batchMeans(fading);
    const statistics = Array.from({ length: 11 }, (_, d) => Number(mserStatistic(batches, d).toFixed(6)));
    expect(statistics).toEqual([
      3.280828, 1.290734, 0.479641, 0.201244, 0.068193, 0.028619, 0.014, 0.008711, 0.006931, 0.006496, 0.006569,
    ]);
  });

  it('leaves out 45 raw values: the mean goes from 13.984894 to 10.063283', () => {
    const whole = fading.reduce((sum, value) => sum + value, 0) / fading.length;
    expect(whole).toBeCloseTo(13.984894, 6);
    const advice = adviseWarmup(fading);
    expect(advice).toMatchObject({ kind: 'found', leaveOut: 45 });
    expect(advice.kind === 'found' ? advice.mean : undefined).toBeCloseTo(10.063283, 6);
  });

  it('says that a run is too short when it is still falling at its half', () => {
    expect(adviseWarmup(Array.from({ length: 60 }, (_, i) => 1000 - i))).toEqual({ kind: 'too-short' });
    expect(adviseWarmup([1, 2, 3])).toEqual({ kind: 'too-short' });
    expect(adviseWarmup([])).toEqual({ kind: 'too-short' });
  });

  it('leaves nothing out of a steady run, and does not use a last batch that is not full', () => {
    const steady = Array.from({ length: 52 }, (_, i) => (i % 2 === 0 ? 9 : 11));
    expect(batchMeans(steady)).toHaveLength(10);
    expect(adviseWarmup(steady)).toMatchObject({ kind: 'found', leaveOut: 0 });
  });
});
