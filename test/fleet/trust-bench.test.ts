/** The trust bench in its smallest size: it must run, count every run once, and find every request of a theory run. */
import { expect, it } from 'vitest';
import { alarmLines, countAlarms, secondsForAlarms } from '../../bench/trust/alarms.ts';
import { theoryLines, theoryRow, THEORY_SYSTEMS } from '../../bench/trust/theory.ts';

it('counts clean and sabotaged runs; a stopped agent is never called valid', async () => {
  const counts = await countAlarms({
    kinds: ['none', 'stopped'],
    runs: 1,
    seconds: 5,
    ratePerSecond: 60,
    print: () => undefined,
    mayGoOn: () => true,
  });
  for (const one of counts) expect(one.valid + one.degraded + one.invalid + one.failed).toBe(one.runs);
  const [, stopped] = counts;
  expect(stopped).toMatchObject({ sabotage: 'stopped', misses: 0, valid: 0 });
  expect(stopped?.gates.join()).toMatch(/excess-bound|wake-lag/);
  expect(alarmLines(counts).length).toBe(5);
});

it('says how long it takes, and begins no run when its time is used up', async () => {
  const options = { kinds: ['none', 'stopped'], runs: 20, seconds: 6 } as const;
  expect(secondsForAlarms(options)).toBeGreaterThan(2 * 20 * 6);
  const counts = await countAlarms({ ...options, ratePerSecond: 1, print: () => undefined, mayGoOn: () => false });
  expect(counts.map(({ runs }) => runs)).toEqual([0, 0]);
});

it('finds every request of an M/M/1 run at the target and knows its expected response', async () => {
  const row = await theoryRow(THEORY_SYSTEMS[0] as (typeof THEORY_SYSTEMS)[number], 100);
  expect(row.requests).toBeGreaterThan(50);
  expect(row.matched).toBe(row.requests);
  // The two time axes are tied at the least delay, so no request can be much earlier than it must be.
  expect(row.errors[0]).toBeGreaterThan(-0.5);
  expect(theoryLines([row])).toHaveLength(3);
});
