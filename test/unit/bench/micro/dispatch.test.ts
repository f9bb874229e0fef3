import { expect, it } from 'vitest';
import { dispatchBenches } from '../../../../bench/micro/dispatch.ts';
import { measure } from '../../../../bench/micro/runner.ts';

it.each(dispatchBenches.map((bench) => [bench.name, bench] as const))('%s runs in smoke mode', (_name, bench) => {
  const result = measure(bench, { smoke: true, rounds: 1 });
  expect(Number(result.hash)).toBeGreaterThanOrEqual(bench.smokeCount);
  expect(result.bestNs).toBeGreaterThan(0);
});
