import { describe, expect, it } from 'vitest';
import { middlePace } from '../../../../bench/llm/token-pace.ts';

describe('the pace in the middle of a run', () => {
  it('leaves out the start of a harness, its first and last streams and its report', () => {
    const samples = [
      { atSeconds: 0, cpuSeconds: 0, tokens: 0 },
      { atSeconds: 10, cpuSeconds: 9, tokens: 0 },
      { atSeconds: 12, cpuSeconds: 10, tokens: 250 },
      { atSeconds: 14, cpuSeconds: 11, tokens: 500 },
      { atSeconds: 16, cpuSeconds: 12, tokens: 750 },
      { atSeconds: 18, cpuSeconds: 13, tokens: 1000 },
      { atSeconds: 30, cpuSeconds: 25, tokens: 1000 },
    ];
    expect(middlePace(samples, 1000)).toEqual({ tokensPerSecond: 125, cpuShare: 0.5 });
  });

  it('is unknown where a run had no middle', () => {
    const samples = [{ atSeconds: 1, cpuSeconds: 1, tokens: 500 }];
    expect(middlePace(samples, 1000)).toEqual({ tokensPerSecond: Number.NaN, cpuShare: Number.NaN });
  });
});
