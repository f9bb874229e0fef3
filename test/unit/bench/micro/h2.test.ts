import { expect, it } from 'vitest';
import { h2Benches } from '../../../../bench/micro/h2.ts';
import { measure } from '../../../../bench/micro/runner.ts';

it.each(h2Benches.map((bench) => [bench.name, bench] as const))(
  '%s ends every request in smoke mode',
  (_name, bench) => {
    expect(measure(bench, { smoke: true, rounds: 1 }).hash).toBe(`${bench.smokeCount} ok`);
  },
);
