/**
 * Does the verdict alarm when it should, and only then? Clean and sabotaged runs against a target of known service times; an alarm is a
 * verdict that is not valid. False alarms are counted over clean runs of which the outside witness says that the host was quiet.
 */
import { startTarget } from '../../target/reference-target.ts';
import { benchRun, type BenchRun, RUN_OVERHEAD_SECONDS } from './one-run.ts';
import { SABOTAGE_TEXT, type Sabotage } from './sabotage.ts';

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
    const runs: BenchRun[] = [];
    for (let run = 0; run < options.runs && options.mayGoOn(); run += 1) {
      // A target of its own for each run, so that nothing is left over.
      const target = await startTarget({ service: serviceFor(sabotage) });
      const rate = [
        '--rate',
        String(options.ratePerSecond),
        '--duration',
        `${options.seconds}s`,
        '--seed',
        String(run),
      ];
      try {
        runs.push(
          await benchRun(
            ['--url', target.url, '--agents', '1', '--workers', '1', '--timeout', '5s', ...rate],
            sabotage,
          ),
        );
      } finally {
        await target.close();
      }
      const last = runs.at(-1);
      options.print(
        `  ${sabotage} ${run + 1}: ${last?.result?.verdict.status ?? 'no result'}${last?.dirty === true ? ' (host not quiet)' : ''}`,
      );
    }
    counts.push(countOf(sabotage, runs));
  }
  return counts;
}

/** How long the runs will take, seconds; a run's start, drain and report take some besides. */
export function secondsForAlarms({ kinds, runs, seconds }: Pick<AlarmOptions, 'kinds' | 'runs' | 'seconds'>): number {
  return kinds.length * runs * (seconds + RUN_OVERHEAD_SECONDS);
}

/** Too few handles hurt only where many requests are open at once. */
function serviceFor(sabotage: Sabotage): string {
  return sabotage === 'handles' ? 'constant:1s' : 'constant:20ms';
}

/** Counts the runs of one kind. */
export function countOf(sabotage: Sabotage, runs: readonly BenchRun[]): AlarmCounts {
  const of = (status: string): number => runs.filter((run) => run.result?.verdict.status === status).length;
  const isClean = sabotage === 'none';
  const quietAlarms = runs.filter((run) => !run.dirty && run.result?.verdict.status !== 'valid').length;
  const named = new Map<string, number>();
  for (const run of runs) {
    for (const gate of run.result?.verdict.gates ?? []) {
      if (gate.kind === 'warn' || gate.kind === 'fail') named.set(gate.name, (named.get(gate.name) ?? 0) + 1);
    }
  }
  return {
    sabotage,
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
      [
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
