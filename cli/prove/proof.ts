/**
 * The value of a proof experiment (M§9.3) and how its arms are compared: by equivalence (two one-sided tests), never by the absence
 * of a significant difference. Pure.
 */

import { createHash } from 'node:crypto';
import { shareText, table, timeText } from '../../coordinator/report/text-format.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import { compareBlocks, type Equivalence } from '../../shared/stats/equivalence.ts';
import { type BetweenRuns, betweenRuns, betweenRunsText } from '../between-runs.ts';
import { EXIT_CODES } from '../exit-code.ts';
import type { Experiment } from './experiments.ts';

/** Names the shape and its version. */
const PROOF_SCHEMA = 'loadfleet/proof/v1';

/** Risk of each one-sided test: a 90 % interval. */
const RISK = 0.05;

/** Decimals of a percentile that are looked at: what is left of 100 - 99.9 behind them is rounding. */
const DECIMALS_MOST = 10;

/** Values on each side below which nothing can be concluded. */
const VALUES_LEAST = 3;

/** One run of an arm. Times in ns. */
export interface ArmRun {
  readonly runId: string;
  readonly seed: string;
  /** The verdict on the harness. */
  readonly status: string;
  readonly ok: number;
  readonly failureShare: number | null;
  /** Of the response of ok requests. */
  readonly percentiles: Readonly<Record<string, number | null>>;
  /** The compared percentile, block by block. */
  readonly blocks: readonly number[];
  /** At most this much of the compared percentile can be the fleet; null = not measured. */
  readonly excessBound: number | null;
}

/** Agents and workers that a run really had. */
export interface RunFleet {
  readonly agents: number;
  /** Over all agents. */
  readonly workerSlots: number;
}

/** One side of the comparison. */
export interface Arm {
  readonly name: string;
  readonly agents: number;
  readonly workersPerAgent: number;
  /** Of what fixes the schedule: equal digests have the same arrivals. */
  readonly scheduleDigest: string;
  readonly runs: readonly ArmRun[];
}

/** What differs between the runs of one arm. */
export interface ArmStatistic extends BetweenRuns {
  readonly arm: string;
}

/** What came out. */
export type ProofVerdict = 'equivalent' | 'different' | 'cannot-conclude';

/** The value of a proof. */
export interface Proof {
  readonly schema: typeof PROOF_SCHEMA;
  readonly experiment: Experiment;
  /** 0..100. */
  readonly percentile: number;
  /** Ratios within 1 / (1 + margin) .. 1 + margin are equivalent. */
  readonly margin: number;
  readonly verdict: ProofVerdict;
  readonly reason: string;
  /** Second arm over first, of blocks or, with three runs or more of each, of runs. */
  readonly comparison:
    | (Omit<Equivalence, 'kind'> & { readonly of: 'blocks' | 'runs'; readonly values: readonly [number, number] })
    | null;
  readonly arms: readonly [Arm, Arm];
  readonly betweenRuns: readonly ArmStatistic[];
}

/** Digest of what fixes the schedule of a plan (P3): seed, lanes and the laws of its phases. */
export function scheduleDigest(plan: Plan): string {
  const { seed, laneCount, phases } = plan;
  const basis = [
    String(seed),
    laneCount,
    phases.map(({ startNs, durationNs, arrivals }) => [startNs, durationNs, arrivals]),
  ];
  return createHash('sha256').update(JSON.stringify(basis)).digest('hex');
}

/** Compares two arms. */
export function proofOf(
  experiment: Experiment,
  question: { readonly percentile: number; readonly margin: number },
  arms: readonly [Arm, Arm],
): Proof {
  const { percentile, margin } = question;
  const of = arms.every((arm) => arm.runs.length >= VALUES_LEAST) ? 'runs' : 'blocks';
  const [first, second] = arms.map((arm) => valuesOf(arm, of, percentile)) as [number[], number[]];
  const enough = first.length >= VALUES_LEAST && second.length >= VALUES_LEAST;
  const found = enough ? compareBlocks(first, second, margin, RISK) : null;
  const values: readonly [number, number] = [first.length, second.length];
  const comparison =
    found === null
      ? null
      : ({ ratio: found.ratio, degrees: found.degrees, low: found.low, high: found.high, of, values } as const);
  const { verdict, reason } = conclude(experiment, question, arms, found, { of, values });
  return {
    schema: PROOF_SCHEMA,
    experiment,
    percentile,
    margin,
    verdict,
    reason,
    comparison,
    arms,
    betweenRuns: arms.flatMap(betweenRunsOf),
  };
}

function conclude(
  experiment: Experiment,
  { percentile, margin }: { readonly percentile: number; readonly margin: number },
  [first, second]: readonly [Arm, Arm],
  found: Equivalence | null,
  used: { readonly of: 'blocks' | 'runs'; readonly values: readonly [number, number] },
): { readonly verdict: ProofVerdict; readonly reason: string } {
  if (experiment === 'doubling' && first.scheduleDigest !== second.scheduleDigest) {
    return { verdict: 'cannot-conclude', reason: 'the arms had different schedules' };
  }
  const failing = failingArm([first, second], percentile);
  if (failing !== null) return { verdict: 'cannot-conclude', reason: failing };
  if (found === null) {
    const [a, b] = used.values;
    const reason = `p${percentile} of only ${a} and ${b} ${used.of}, the least is ${VALUES_LEAST}: run longer or more often`;
    return { verdict: 'cannot-conclude', reason };
  }
  const ratio = `p${percentile} of ${second.name} / ${first.name} = ${found.ratio.toFixed(4)}, 90 % interval ${found.low.toFixed(4)} to ${found.high.toFixed(4)}`;
  const within = `±${shareText(margin)}`;
  // The probe and the loaded agents are one run; of others the blocks of one do not swing as two runs do.
  const unseen =
    used.of === 'blocks' && experiment !== 'probe'
      ? '; by blocks within runs, which do not show what differs between runs: --repeat 3 compares runs'
      : '';
  const noted = `${unseen}${harnessNote([first, second])}`;
  switch (found.kind) {
    case 'equivalent':
      return { verdict: 'equivalent', reason: `${ratio}: within ${within}${noted}` };
    case 'different':
      return { verdict: 'different', reason: `${ratio}: outside ${within}${noted}` };
    case 'open':
      return {
        verdict: 'cannot-conclude',
        reason: `${ratio}: neither within nor outside ${within}; run longer or more often${noted}`,
      };
  }
}

/** Two arms can agree on what the fleet itself did: no conclusion stands without what is known against its runs (P7). */
function harnessNote(arms: readonly Arm[]): string {
  const runs = arms.flatMap((arm) => arm.runs);
  const invalid = runs.filter(({ status }) => status === 'invalid').length;
  return invalid === 0 ? '' : `; the harness was invalid in ${invalid} of ${runs.length} runs`;
}

/**
 * Why failures leave nothing to compare; null when they do not. With failures as infinite (R058) the percentile of an arm in which more
 * than 1 - p failed has no value, however fast the others were.
 */
function failingArm(arms: readonly [Arm, Arm], percentile: number): string | null {
  // As the decimal it was written as: 1 - 99.9 / 100 is a hair below 0.001.
  const most = Number(`${(100 - percentile).toFixed(DECIMALS_MOST)}e-2`);
  for (const { name, runs } of arms) {
    const worst = Math.max(0, ...runs.map(({ failureShare }) => failureShare ?? 0));
    if (worst > most) {
      return `${shareText(worst)} of ${name} failed, the limit for p${percentile} is ${shareText(most)}: with failures as infinite it has no value`;
    }
  }
  return null;
}

function valuesOf(arm: Arm, of: 'blocks' | 'runs', percentile: number): number[] {
  const values =
    of === 'blocks'
      ? arm.runs.flatMap((run) => run.blocks)
      : arm.runs.flatMap((run) => run.percentiles[String(percentile)] ?? []);
  return values.filter((value) => value > 0);
}

/** Intervals between the runs of one arm, for every percentile; none with a single run. */
function betweenRunsOf(arm: Arm): ArmStatistic[] {
  if (arm.runs.length < 2) return [];
  const keys = Object.keys(arm.runs[0]?.percentiles ?? {}).sort((a, b) => Number(a) - Number(b));
  const found = [
    ...keys.map((key) =>
      betweenRuns(
        `p${key}(response)`,
        'ns',
        arm.runs.map((run) => run.percentiles[key] ?? null),
      ),
    ),
    betweenRuns(
      'failureShare',
      'share',
      arm.runs.map((run) => run.failureShare),
    ),
  ];
  return found.map((one) => ({ arm: arm.name, ...one }));
}

/** equivalent 0, different 3 (the harness shows), cannot-conclude 1 (no data). */
export function exitCodeOfProof({ verdict }: Pick<Proof, 'verdict'>): number {
  switch (verdict) {
    case 'equivalent':
      return EXIT_CODES.ok;
    case 'different':
      return EXIT_CODES.verdict;
    case 'cannot-conclude':
      return EXIT_CODES.missed;
  }
}

/** For people. Ends in a newline. */
export function proofText(proof: Proof): string {
  const key = String(proof.percentile);
  const rows = proof.arms.flatMap((arm) =>
    arm.runs.map((run) => [
      `${arm.name} ${run.runId}`,
      `${arm.agents} x ${arm.workersPerAgent}`,
      String(run.ok),
      timeText(run.percentiles['50'] ?? null),
      timeText(run.percentiles[key] ?? null),
      timeText(run.excessBound),
      run.status,
    ]),
  );
  const between = proof.betweenRuns.map((one) => `  ${one.arm} ${betweenRunsText(one)}`);
  return [
    `PROOF ${proof.experiment}: ${proof.verdict.toUpperCase()}`,
    `  ${proof.reason}`,
    ...table([['', 'workers', 'ok', 'p50', `p${key}`, 'at most the fleet', 'harness'], ...rows], '  '),
    ...(between.length === 0 ? [] : ['between runs', ...between]),
    '',
  ].join('\n');
}
