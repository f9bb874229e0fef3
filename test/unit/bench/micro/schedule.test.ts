import { describe, expect, it } from 'vitest';
import { measure } from '../../../../bench/micro/runner.ts';
import { scheduleBenches } from '../../../../bench/micro/schedule.ts';

describe('schedule bench in smoke mode', () => {
  // The results are pinned: a bench that gets faster by giving other arrivals fails here.
  it.each(scheduleBenches.map((bench) => [bench.name, bench] as const))('%s gives the known result', (_, bench) => {
    const known: Record<string, string> = {
      'schedule/lanes-4096-of-4096': '6519ecce',
      'schedule/lanes-64-of-4096': '4ad3462c',
      'schedule/lanes-65536-of-65536': 'f6b52ae1',
      'schedule/lanes-ramp': 'a0c50786',
      'schedule/exact-count': '937d2c93',
      'schedule/even': '92414a40',
      'schedule/gamma': '41ab5711',
      'schedule/count-arrivals': '001e78f1',
      'random/philox4x32': 'dc6f9a3e',
    };
    expect(measure(bench, { smoke: true, rounds: 1 }).hash).toBe(known[bench.name]);
  });
});
