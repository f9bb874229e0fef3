import { describe, expect, it } from 'vitest';
import { mergeBenches } from '../../../../bench/micro/merge.ts';
import { measure } from '../../../../bench/micro/runner.ts';

describe('merge bench in smoke mode', () => {
  // The results are pinned: a bench that gets faster by giving another result fails here.
  it.each(mergeBenches.map((bench) => [bench.name, bench] as const))('%s gives the known result', (_, bench) => {
    const known: Record<string, string> = {
      'merge/agent-second-6-series-of-100': '6bc55b7c2',
      'merge/agent-second-6-series-of-1000': '4332cc53a8',
      'merge/agent-second-6-series-of-10000': '288e0dbd168',
      'merge/read-four-percentiles': '219250680',
      'merge/encode-total': '26620',
    };
    expect(measure(bench, { smoke: true, rounds: 1 }).hash).toBe(known[bench.name]);
  });
});
