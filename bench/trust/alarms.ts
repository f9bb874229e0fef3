/**
 * Does the verdict alarm when it should, and only then? Clean and sabotaged runs against a plain target of long service; an alarm is a
 * verdict that is not valid. False alarms are counted over clean runs of which the outside witness says that the host was quiet.
 */
import type { Gate } from '../../coordinator/verdict/verdict.ts';
import { witnessText } from './host-witness.ts';
import { benchRun, type BenchRun, RUN_OVERHEAD_SECONDS } from './one-run.ts';
import { startPlainTarget } from './plain-target.ts';
import { SABOTAGE_TEXT, type Sabotage, whyNotPossible } from './sabotage.ts';

/** How many runs of each kind, and how long. */
export interface AlarmOptions {
  readonly kinds: readonly Sabotage[];
  readonly runs: number;
  readonly seconds: number;
  readonly ratePerSecond: number;
  readonly print: (line: string) => void;
  /** False when no further run may begin: its time is used up. */
  readonly mayGoOn: () => boolean;
}

/** What became of the runs of one kind. */
export interface AlarmCounts {
  readonly sabotage: Sabotage;
  /** Why this host does not allow the kind; null when it does. Then nothing was run and nothing is shown. */
  readonly notPossible: string | null;
  readonly runs: number;
  /** Runs of which the witness saw trouble on the host. */
  readonly dirty: number;
  readonly valid: number;
  readonly degraded: number;
  readonly invalid: number;
  /** Runs that gave no result: they alarm by themselves. */
  readonly failed: number;
  /** Clean runs on a quiet host that were not valid; of a sabotaged kind 0. */
  readonly falseAlarms: number;
  /** Sabotaged runs that were valid; of the clean kind 0. */
  readonly misses: number;
  /** Gates that warned or failed, most frequent first. */
  readonly gates: readonly string[];
}

/** Makes all runs and counts. */
export async function countAlarms(options: AlarmOptions): Promise<readonly AlarmCounts[]> {
  const counts: AlarmCounts[] = [];
  for (const sabotage of options.kinds) {
    const notPossible = whyNotPossible(sabotage);
    const runs: BenchRun[] = [];
    for (let run = 0; notPossible === null && run < options.runs && options.mayGoOn(); run += 1) {
      const one = await runOf(sabotage, run, options);
      runs.push(one);
      for (const line of runLines(sabotage, run, one)) options.print(line);
    }
    counts.push(countOf(sabotage, runs, notPossible));
  }
  return counts;
}

/** How long the runs will take, seconds; a run's start, drain and report take some besides. */
export function secondsForAlarms({ kinds, runs, seconds }: Pick<AlarmOptions, 'kinds' | 'runs' | 'seconds'>): number {
  return kinds.length * runs * (WARMUP_SECONDS + seconds + RUN_OVERHEAD_SECONDS);
}

/**
 * Service of a run, ms: long, so that what a common host takes now and then, 5 to 10 ms, is no share of it that anybody minds; and so that
 * many requests are open at once, which too few handles do not allow.
 */
const SERVICE_MS = 1000;
/** Before the measured time: the first requests of a run open connections and meet code that is not yet compiled. */
const WARMUP_SECONDS = 2;

/** One run with a target of its own, so that nothing is left over from another. */
async function runOf(sabotage: Sabotage, run: number, { ratePerSecond, seconds }: AlarmOptions): Promise<BenchRun> {
  const target = await startPlainTarget(SERVICE_MS);
  const phases = ['--warmup', `${WARMUP_SECONDS}s`, '--duration', `${seconds}s`];
  const load = ['--rate', String(ratePerSecond), '--seed', String(run), ...phases];
  try {
    const fleet = ['--agents', '1', '--workers', '1', '--timeout', '5s'];
    return await benchRun(['--url', target.url, ...fleet, ...load], sabotage);
  } finally {
    await target.close();
  }
}

/** A run for people: its verdict, what the witness saw, and which gates alarmed; of a clean run also why. */
export function runLines(
  sabotage: Sabotage,
  run: number,
  { result, dirty, witness }: Pick<BenchRun, 'result' | 'dirty' | 'witness'>,
): readonly string[] {
  const quiet = dirty ? 'host not quiet' : 'host quiet';
  const head = `  ${sabotage} ${run + 1}: ${result?.verdict.status ?? 'no result'} (${quiet}: ${witnessText(witness)})`;
  const alarmed = alarmedGates(result);
  if (sabotage !== 'none') return [`${head} ${alarmed.map(({ kind, name }) => `${kind} ${name}`).join(', ')}`];
  return [head, ...alarmed.map(({ kind, name, reason }) => `    ${kind} ${name}: ${reason}`)];
}

function alarmedGates(result: BenchRun['result']): readonly Gate[] {
  return (result?.verdict.gates ?? []).filter(({ kind }) => kind === 'warn' || kind === 'fail');
}

/** Counts the runs of one kind. */
export function countOf(
  sabotage: Sabotage,
  runs: readonly Pick<BenchRun, 'result' | 'dirty'>[],
  notPossible: string | null,
): AlarmCounts {
  const of = (status: string): number => runs.filter((run) => run.result?.verdict.status === status).length;
  const isClean = sabotage === 'none';
  const quietAlarms = runs.filter((run) => !run.dirty && run.result?.verdict.status !== 'valid').length;
  const named = new Map<string, number>();
  for (const run of runs) {
    for (const { name } of alarmedGates(run.result)) named.set(name, (named.get(name) ?? 0) + 1);
  }
  return {
    sabotage,
    notPossible,
    runs: runs.length,
    dirty: runs.filter((run) => run.dirty).length,
    valid: of('valid'),
    degraded: of('degraded'),
    invalid: of('invalid'),
    failed: runs.filter((run) => run.result === null).length,
    falseAlarms: isClean ? quietAlarms : 0,
    misses: isClean ? 0 : of('valid'),
    gates: [...named].sort((a, b) => b[1] - a[1]).map(([name, count]) => `${name} ${count}`),
  };
}

/** The counts as lines of a table. */
export function alarmLines(counts: readonly AlarmCounts[]): readonly string[] {
  const head = 'kind      runs  host not quiet  valid  degraded  invalid  no result  false alarms  misses  gates';
  return [
    head,
    ...counts.map((one) =>
      one.notPossible !== null
        ? `${one.sabotage.padEnd(8)}  not possible here: ${one.notPossible}`
        : [
            one.sabotage.padEnd(8),
            String(one.runs).padStart(6),
            String(one.dirty).padStart(16),
            String(one.valid).padStart(7),
            String(one.degraded).padStart(10),
            String(one.invalid).padStart(9),
            String(one.failed).padStart(11),
            String(one.falseAlarms).padStart(14),
            String(one.misses).padStart(8),
            `  ${one.gates.join(', ')}`,
          ].join(''),
    ),
    ...counts.map((one) => `${one.sabotage}: ${SABOTAGE_TEXT[one.sabotage]}`),
  ];
}
