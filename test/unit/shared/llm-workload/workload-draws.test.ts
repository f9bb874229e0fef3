import { describe, expect, it } from 'vitest';
import { WORKLOAD_PURPOSE, WorkloadDraws } from '../../../../shared/llm-workload/workload-draws.ts';
import { seedFromBigInt } from '../../../../shared/random/seed.ts';

const drawsOf = (seed: bigint, purpose: number): number[] => {
  const draws = new WorkloadDraws(seedFromBigInt(seed), purpose);
  return Array.from({ length: 5 }, () => draws.unit());
};

describe('draws for workloads', () => {
  it('follow from seed and purpose', () => {
    const { inputLength, outputLength } = WORKLOAD_PURPOSE;
    expect(drawsOf(1n, inputLength)).toEqual(drawsOf(1n, inputLength));
    expect(drawsOf(1n, inputLength)).not.toEqual(drawsOf(2n, inputLength));
    expect(drawsOf(1n, inputLength)).not.toEqual(drawsOf(1n, outputLength));
  });

  it('give whole numbers evenly on both ends of a range', () => {
    const draws = new WorkloadDraws(seedFromBigInt(1n), WORKLOAD_PURPOSE.sample);
    const counts = new Map<number, number>();
    for (let draw = 0; draw < 6000; draw += 1) {
      const value = draws.whole(3, 5);
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    expect([...counts.keys()].sort()).toEqual([3, 4, 5]);
    // 2000 expected, deviation 37.
    expect(Math.min(...counts.values())).toBeGreaterThan(1800);
  });

  it('put a list in every order equally often', () => {
    const draws = new WorkloadDraws(seedFromBigInt(1n), WORKLOAD_PURPOSE.shuffle);
    const counts = new Map<string, number>();
    for (let draw = 0; draw < 6000; draw += 1) {
      const order = draws.shuffled(['a', 'b', 'c']).join('');
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    expect(counts.size).toBe(6);
    expect(Math.min(...counts.values())).toBeGreaterThan(850);
  });
});
