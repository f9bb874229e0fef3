import { describe, expect, it } from 'vitest';
import { measure } from '../../../../bench/micro/runner.ts';
import { runMergeBenches } from '../../../../bench/micro/run-merge.ts';

describe('run-merge bench in smoke mode', () => {
  it.each(runMergeBenches.map((bench) => [bench.name, bench] as const))('%s gives the known result', (_, bench) => {
    const known: Record<string, string> = {
      'run-merge/second-of-100-agents-6-series-of-100': '966fa093',
      'run-merge/second-of-100-agents-6-series-of-1000': '5eaa8087a',
    };
    expect(measure(bench, { smoke: true, rounds: 1 }).hash).toBe(known[bench.name]);
  });
});
