/**
 * Runs a proof experiment: one plan twice on this machine, in two arms that differ in the fleet and not in what the target is
 * asked. Doubling: twice the workers, same schedule. Half: half the load, same fleet. Probe: beside the loaded fleet an agent
 * of its own sends a small share of the same load; it sees the same target, so the difference is the loaded fleet's.
 */

import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { workersPerAgent } from '../../coordinator/main.ts';
import { blockPercentiles } from '../../coordinator/report/block-percentiles.ts';
import { excessOf, observedWorkerNs, receiveDelayOf } from '../../coordinator/report/excess-part.ts';
import { FleetError } from '../../shared/fleet-error.ts';
import type { ParsedPlan } from '../../shared/plan/parse-plan.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import { scaleLoad } from '../../shared/plan/scale-load.ts';
import { loadPlan, type PlanArguments } from '../load-plan.ts';
import { OWN_COMMAND } from '../own-command.ts';
import { type ReferenceProcess, startReferenceProcess } from '../reference-process.ts';
import { type RunHere, runHere } from '../run-here.ts';
import { processSignals, Signals } from '../signals.ts';
import type { VerbContext } from '../verb-context.ts';
import type { Experiment } from './experiments.ts';
import { type Arm, type ArmRun, exitCodeOfProof, proofOf, proofText, scheduleDigest } from './proof.ts';

/** What is to be proved, and how. */
export interface ProofRequest {
  readonly experiment: Experiment;
  readonly given: PlanArguments;
  /** 0..100, ends excluded. */
  readonly percentile: number;
  /** Relative, above 0. */
  readonly margin: number;
  /** Runs of each arm. */
  readonly repeat: number;
  /** Share of the load that the probe sends besides, 0..1. */
  readonly probeShare: number;
  readonly isJson: boolean;
  readonly out: string | null;
}

/** Runs it and gives the exit code. @throws FleetError when a run could not be made. */
export async function prove(request: ProofRequest, { console }: VerbContext): Promise<number> {
  const signals = new Signals(processSignals);
  let target: ReferenceProcess | null = null;
  try {
    const { reference } = loadPlan(request.given, null);
    if (reference !== null) target = await startReferenceProcess(OWN_COMMAND, reference);
    const parsed = loadPlan(request.given, target?.url ?? null);
    const onNotice = (text: string): void => console.err(`loadfleet: ${text}\n`);
    const arms = await runArms(request, parsed, signals, onNotice);
    const proof = proofOf(request.experiment, request, arms);
    const json = `${JSON.stringify(proof, null, 2)}\n`;
    if (request.out !== null) writeProof(request.out, json);
    await console.out(request.isJson ? json : proofText(proof));
    return exitCodeOfProof(proof);
  } finally {
    await target?.stop();
    signals.close();
  }
}

interface ArmPlan {
  readonly name: string;
  readonly plan: Plan;
}

async function runArms(
  request: ProofRequest,
  parsed: ParsedPlan,
  signals: Signals,
  onNotice: (text: string) => void,
): Promise<readonly [Arm, Arm]> {
  const [first, second] = armPlans(request, parsed.plan);
  const runs: [ArmRun[], ArmRun[]] = [[], []];
  for (let round = 0; round < request.repeat; round += 1) {
    const run = async ({ name, plan }: ArmPlan): Promise<ArmRun> => {
      onNotice(`${name}, run ${round + 1} of ${request.repeat}`);
      // Every round has arrivals of its own; within a round the arms of a doubling share theirs.
      const bundle = { ...parsed, plan: { ...plan, seed: BigInt.asUintN(64, plan.seed + BigInt(round)) } };
      return armRunOf(await runHere(bundle, { command: 'loadfleet prove', signals, onNotice }), request.percentile);
    };
    if (request.experiment === 'probe') {
      const both = await Promise.all([run(first), run(second)]);
      for (const [index, one] of both.entries()) runs[index]?.push(one);
    } else {
      runs[0].push(await run(first));
      runs[1].push(await run(second));
    }
  }
  return [armOf(first, runs[0]), armOf(second, runs[1])];
}

/** The two plans of an experiment. Workers are written out, so that both arms mean the same by them. */
export function armPlans(
  { experiment, probeShare }: Pick<ProofRequest, 'experiment' | 'probeShare'>,
  plan: Plan,
): readonly [ArmPlan, ArmPlan] {
  const { agents } = plan.fleet;
  const workers = workersPerAgent(plan.fleet.workers, agents, availableParallelism());
  const withFleet = (base: Plan, change: Partial<Plan['fleet']>): Plan => ({
    ...base,
    fleet: { ...base.fleet, workers, ...change },
  });
  const asPlanned = withFleet(plan, {});
  switch (experiment) {
    case 'doubling':
      return [
        { name: 'as-planned', plan: asPlanned },
        { name: 'doubled', plan: withFleet(plan, { workers: workers * 2 }) },
      ];
    case 'half':
      return [
        { name: 'full-load', plan: asPlanned },
        { name: 'half-load', plan: scaleLoad(asPlanned, 0.5) },
      ];
    case 'probe': {
      // Lanes are independent Poisson processes, so a share of the load with a seed of its own is as good as a few lanes.
      const probe = { ...scaleLoad(plan, probeShare), seed: BigInt.asUintN(64, ~plan.seed) };
      return [
        { name: 'probe', plan: withFleet(probe, { agents: 1, workers: 1 }) },
        { name: 'loaded', plan: asPlanned },
      ];
    }
  }
}

function armOf({ name, plan }: ArmPlan, runs: readonly ArmRun[]): Arm {
  const { agents, workers } = plan.fleet;
  return { name, agents, workersPerAgent: workers ?? 1, scheduleDigest: scheduleDigest(plan), runs };
}

function armRunOf({ ended, result }: RunHere, percentile: number): ArmRun {
  const { record, merge } = ended;
  const { value, measured } = result;
  const receiveDelay = receiveDelayOf(
    measured,
    observedWorkerNs(
      record,
      record.plan.phases.filter((phase) => !phase.warmup),
      0,
    ),
  );
  return {
    runId: value.run.id,
    seed: String(value.run.seed),
    status: value.verdict.status,
    ok: value.measured.accounting.ok,
    failureShare: value.failureShare,
    percentiles: {
      ...value.metrics['response']?.percentiles,
      [String(percentile)]: measured.histogram('response', 'ok').percentile(percentile),
    },
    blocks: blockPercentiles(record.plan, merge, percentile),
    excessBound: excessOf(measured, 'response', percentile, receiveDelay)?.excess ?? null,
  };
}

function writeProof(path: string, json: string): void {
  try {
    writeFileSync(path, json);
  } catch (error) {
    throw new FleetError('io', `--out ${path} cannot be written: ${(error as Error).message}`, { cause: error });
  }
}
