import { describe, expect, it } from 'vitest';
import { recorderBenches } from '../../../../bench/micro/recorder.ts';
import { measure } from '../../../../bench/micro/runner.ts';

describe('recorder bench in smoke mode', () => {
  // The results are pinned: a bench that gets faster by giving another result fails here.
  it.each(recorderBenches.map((bench) => [bench.name, bench] as const))('%s gives the known result', (_, bench) => {
    const known: Record<string, string> = {
      'recorder/record': '20000/5067/3744043983347',
      'recorder/record-hdr-histogram-js': '5000/3600000000000',
      'recorder/record-1000-then-clear': '4449',
      'recorder/add-window-of-10000': '10b76d68e2a2',
      'recorder/encode-window-of-10000': '8227',
    };
    expect(measure(bench, { smoke: true, rounds: 1 }).hash).toBe(known[bench.name]);
  });
});
