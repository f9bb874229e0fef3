/**
 * `npm run bench:trust -- [alarms|theory] [--runs 20] [--seconds 6] [--rate 100] [--requests 3000] [--smoke]`: how often the verdict alarms
 * without reason and how often it misses, and textbook queues through the real stack. Bounded: the default takes about a quarter
 * of an hour on a quiet machine.
 */
import { parseArgs } from 'node:util';
import { alarmLines, countAlarms } from './alarms.ts';
import { SABOTAGES } from './sabotage.ts';
import { THEORY_SYSTEMS, theoryLines, theoryRow } from './theory.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '6' },
    rate: { type: 'string', default: '100' },
    requests: { type: 'string', default: '3000' },
    smoke: { type: 'boolean', default: false },
  },
});

function number(name: 'runs' | 'seconds' | 'rate' | 'requests', most: number): number {
  const value = Number(values[name]);
  if (!Number.isInteger(value) || value < 1 || value > most) throw new Error(`--${name} must be in 1..${most}`);
  return value;
}

const print = (line: string): void => console.log(line);
const wants = (part: string): boolean => positionals.length === 0 || positionals.includes(part);

if (wants('alarms')) {
  const counts = await countAlarms({
    kinds: values.smoke ? ['none', 'stopped'] : SABOTAGES,
    runs: values.smoke ? 1 : number('runs', 1000),
    seconds: values.smoke ? 3 : number('seconds', 600),
    ratePerSecond: number('rate', 100_000),
    print,
  });
  for (const line of alarmLines(counts)) print(line);
}
if (wants('theory')) {
  const rows = [];
  for (const system of values.smoke ? THEORY_SYSTEMS.slice(0, 1) : THEORY_SYSTEMS) {
    rows.push(await theoryRow(system, values.smoke ? 100 : number('requests', 1_000_000)));
  }
  for (const line of theoryLines(rows)) print(line);
}
