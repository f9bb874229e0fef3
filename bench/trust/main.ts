/**
 * `npm run bench:trust -- [alarms|theory] [--runs 20] [--seconds 6] [--rate 100] [--requests 3000] [--minutes 40] [--smoke]`: how often the
 * verdict alarms without reason and how often it misses, and textbook queues through the real stack. It says first how long that takes;
 * after `--minutes` no further run begins, and the tables say how many were made.
 */
import { parseArgs } from 'node:util';
import { alarmLines, countAlarms, secondsForAlarms } from './alarms.ts';
import { SABOTAGES } from './sabotage.ts';
import { secondsForTheory, THEORY_SYSTEMS, theoryLines, theoryRow } from './theory.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '6' },
    rate: { type: 'string', default: '100' },
    requests: { type: 'string', default: '3000' },
    minutes: { type: 'string', default: '40' },
    smoke: { type: 'boolean', default: false },
  },
});

function number(name: 'runs' | 'seconds' | 'rate' | 'requests' | 'minutes', most: number): number {
  const value = Number(values[name]);
  if (!Number.isInteger(value) || value < 1 || value > most) throw new Error(`--${name} must be in 1..${most}`);
  return value;
}

const print = (line: string): void => console.log(line);
const wants = (part: string): boolean => positionals.length === 0 || positionals.includes(part);
const endMs = performance.now() + number('minutes', 1000) * 60_000;
const mayGoOn = (): boolean => performance.now() < endMs;

const alarms = {
  kinds: values.smoke ? (['none', 'stopped'] as const) : SABOTAGES,
  runs: values.smoke ? 1 : number('runs', 1000),
  seconds: values.smoke ? 3 : number('seconds', 10),
};
const systems = values.smoke ? THEORY_SYSTEMS.slice(0, 1) : THEORY_SYSTEMS;
const requests = values.smoke ? 100 : number('requests', 1_000_000);
const estimates = [
  ...(wants('alarms') ? [secondsForAlarms(alarms)] : []),
  ...(wants('theory') ? systems.map((system) => secondsForTheory(system, requests)) : []),
];
const minutes = estimates.reduce((sum, seconds) => sum + seconds, 0) / 60;
print(
  `this takes about ${minutes.toFixed(1)} minutes on a quiet machine; no run begins after ${values.minutes} minutes`,
);

if (wants('alarms')) {
  const counts = await countAlarms({ ...alarms, ratePerSecond: number('rate', 100_000), print, mayGoOn });
  for (const line of alarmLines(counts)) print(line);
}
if (wants('theory')) {
  const rows = [];
  for (const system of systems) if (mayGoOn()) rows.push(await theoryRow(system, requests));
  for (const line of theoryLines(rows)) print(line);
  if (rows.length < systems.length)
    print(`${systems.length - rows.length} systems were left out: the time was used up`);
}
