import { describe, expect, it } from 'vitest';
import { type MicroBench, measure, runFromCommandLine } from '../../../../bench/micro/runner.ts';

function benchOf(name: string, results: string[] = ['same']): MicroBench & { counts: number[] } {
  const counts: number[] = [];
  return {
    name,
    unit: 'things',
    count: 1000,
    smokeCount: 10,
    counts,
    run: (count) => {
      counts.push(count);
      return results[Math.min(counts.length, results.length) - 1] ?? '';
    },
  };
}

describe('measure', () => {
  it('does the full count in every round, the small one once in smoke mode', () => {
    const bench = benchOf('a');
    expect(measure(bench, { smoke: false, rounds: 3 })).toMatchObject({ name: 'a', count: 1000, hash: 'same' });
    expect(bench.counts).toEqual([1000, 1000, 1000]);
    expect(measure(bench, { smoke: true, rounds: 3 }).count).toBe(10);
    expect(bench.counts.length).toBe(4);
  });

  it('refuses rounds that differ: then the time means nothing', () => {
    expect(() => measure(benchOf('a', ['x', 'y']), { smoke: false, rounds: 2 })).toThrow(
      'a: rounds of the same work gave x, y',
    );
  });
});

describe('runFromCommandLine', () => {
  it('runs the benches that are named, and prints name and result', () => {
    const [a, b] = [benchOf('one/a'), benchOf('two/b')];
    const lines: string[] = [];
    runFromCommandLine([a, b], ['two', '--rounds', '2'], (line) => lines.push(line));
    expect(a.counts).toEqual([]);
    expect(b.counts).toEqual([1000, 1000]);
    expect(lines[1]).toMatch(/^two\/b +1e\+3 things .*result same$/);
  });

  it('refuses rounds that are no count', () => {
    expect(() => runFromCommandLine([], ['--rounds', 'many'], () => undefined)).toThrow(
      '--rounds many is not an integer >= 1',
    );
  });
});
