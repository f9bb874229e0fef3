import { expect, it } from 'vitest';
import { measure } from '../../../../bench/micro/runner.ts';
import { wireBenches } from '../../../../bench/micro/wire.ts';

it.each([
  ['wire/parse-length', (count: number) => `${count} ends, ${11 * count} bytes`],
  ['wire/parse-chunked', (count: number) => `${count} ends, ${11 * count} bytes`],
  ['wire/request-without-socket', (count: number) => `${count} ok`],
])('%s finds every answer in smoke mode', (name, expected) => {
  const bench = wireBenches.find((one) => one.name === name);
  if (bench === undefined) throw new Error(`no bench ${name}`);
  expect(measure(bench, { smoke: true, rounds: 1 }).hash).toBe(expected(bench.smokeCount));
});
