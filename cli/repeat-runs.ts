/** `loadfleet run --repeat N`: the same plan again and again, each run with arrivals and a folder of its own, and what differs between them. */

import { join } from 'node:path';
import { type JsonInteger, jsonInteger } from '../coordinator/report/json-integer.ts';
import type { ResultValue } from '../coordinator/report/result-value.ts';
import { FleetError } from '../shared/fleet-error.ts';
import { type BetweenRuns, betweenRuns, betweenRunsText } from './between-runs.ts';
import { EXIT_CODES, exitCodeOfError, strongestExitCode } from './exit-code.ts';
import { loadPlan, type PlanArguments } from './load-plan.ts';
import type { VerbContext } from './verb-context.ts';
import { writeFile } from './write-file.ts';

/** Names the shape and its version. */
const REPEAT_SCHEMA = 'loadfleet/repeat/v1';

/** One run, made with the given arguments. */
export type RunOnce = (
  given: PlanArguments,
) => Promise<{ readonly exitCode: number; readonly resultJson: string | null }>;

/** One round, as `repeat.json` has it; null where the round gave no result. */
interface Round {
  readonly id: string | null;
  readonly seed: JsonInteger;
  /** The verdict on its harness. */
  readonly verdict: string | null;
  readonly exitCode: number;
}

/**
 * Runs it `count` times, or until it is interrupted or a run cannot be made, and gives the strongest exit code. What was made until then
 * is kept and told; statistics are of the runs that reached their end. @throws FleetError when not even the first run could be made.
 */
export async function repeatRuns(
  given: PlanArguments,
  count: number,
  runOnce: RunOnce,
  { console }: VerbContext,
): Promise<number> {
  const { plan } = loadPlan(given, null);
  const runs: Round[] = [];
  const results: ResultValue[] = [];
  for (let round = 0; round < count; round += 1) {
    const seed = BigInt.asUintN(64, plan.seed + BigInt(round));
    const flags = new Map([...given.flags, ['seed', [String(seed)]]]);
    if (plan.output.directory !== null) flags.set('out', [join(plan.output.directory, `run-${round + 1}`)]);
    try {
      const { exitCode, resultJson } = await runOnce({ ...given, flags });
      const result = resultJson === null ? null : (JSON.parse(resultJson) as ResultValue);
      // What a run measured until it was stopped is no sample of whole runs: its rates would be those of a part.
      if (result?.run.end.kind === 'finished') results.push(result);
      runs.push({
        id: result?.run.id ?? null,
        seed: jsonInteger(seed),
        verdict: result?.verdict.status ?? null,
        exitCode,
      });
      if (exitCode === EXIT_CODES.interrupted || exitCode === EXIT_CODES.terminated) break;
    } catch (error) {
      if (!(error instanceof FleetError) || round === 0) throw error;
      console.err(`loadfleet: run ${round + 1} of ${count}: ${error.message}\n`);
      runs.push({ id: null, seed: jsonInteger(seed), verdict: null, exitCode: exitCodeOfError(error) });
      break;
    }
  }
  const statistics = statisticsOfRuns(results);
  const exitCode = strongestExitCode(runs.map((run) => run.exitCode));
  const first = results[0]?.run.id ?? 'none';
  const path = join(
    plan.output.directory ?? 'loadfleet-results',
    plan.output.directory === null ? `repeat-${first}.json` : 'repeat.json',
  );
  writeFile(path, `${JSON.stringify({ schema: REPEAT_SCHEMA, runs, statistics, exitCode }, null, 2)}\n`, 'repetition');
  const lines = statistics.map((one) => `  ${betweenRunsText(one)}`);
  await console.out(
    `between ${results.length} of ${count} runs; harness: ${verdictsText(runs)}\n${lines.join('\n')}\n\nexit code ${exitCode}\nrepetition: ${path}\n`,
  );
  return exitCode;
}

/** Between-run statistics of the headline. */
function statisticsOfRuns(results: readonly ResultValue[]): readonly BetweenRuns[] {
  const percentile = (key: '50' | '90' | '99' | '99.9'): BetweenRuns =>
    betweenRuns(
      `p${key}(response)`,
      'ns',
      results.map(({ metrics }) => metrics['response']?.percentiles[key] ?? null),
    );
  return [
    percentile('50'),
    percentile('90'),
    percentile('99'),
    percentile('99.9'),
    betweenRuns(
      'mean(response)',
      'ns',
      results.map(({ metrics }) => metrics['response']?.mean ?? null),
    ),
    betweenRuns(
      'failureShare',
      'share',
      results.map((result) => result.failureShare),
    ),
    betweenRuns(
      'rate(ok)',
      '1/s',
      results.map((result) => result.rate.okPerSecond),
    ),
    ...(results.some(({ slo }) => slo !== null)
      ? [
          betweenRuns(
            'share(goodput)',
            'share',
            results.map(({ slo }) => slo?.goodShare ?? null),
          ),
        ]
      : []),
  ];
}

/** `valid 3, invalid 1, no result 1`: no number is shown without the verdict on it (P7). */
function verdictsText(runs: readonly Round[]): string {
  const counts = new Map<string, number>();
  for (const { verdict } of runs) counts.set(verdict ?? 'no result', (counts.get(verdict ?? 'no result') ?? 0) + 1);
  return [...counts].map(([verdict, count]) => `${verdict} ${count}`).join(', ');
}
