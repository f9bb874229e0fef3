/**
 * Runs a proof experiment: one plan twice, on this machine or on the fleet of a coordinator, in two arms that differ in the fleet and
 * not in what the target is asked. Doubling: twice the workers (of a coordinator's fleet twice the agents), same schedule. Half: half the
 * load, same fleet. Probe: one run in which an agent of its own has a few of the plan's lanes and is idle otherwise; it sees the same
 * target (PASTA), so the difference is the loaded fleet's.
 */

import { availableParallelism } from 'node:os';
import { workersPerAgent } from '../../coordinator/main.ts';
import { FleetError } from '../../shared/fleet-error.ts';
import type { ParsedPlan } from '../../shared/plan/parse-plan.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import { scaleLoad } from '../../shared/plan/scale-load.ts';
import { loadPlan, type PlanArguments } from '../load-plan.ts';
import { OWN_COMMAND } from '../own-command.ts';
import { referenceElsewhere, type ReferenceProcess, startReferenceProcess } from '../reference-process.ts';
import { type RunHere, runHere } from '../run-here.ts';
import { processSignals, Signals } from '../signals.ts';
import type { VerbContext } from '../verb-context.ts';
import { tryFile, writeFile } from '../write-file.ts';
import type { ProbeRequest } from '../../coordinator/fleet/deal-slots.ts';
import { armRunOf, probeArmRuns } from './arm-run.ts';
import type { Experiment } from './experiments.ts';
import { type RemoteArm, runThere } from './remote-arm.ts';
import { type Arm, type ArmRun, exitCodeOfProof, proofOf, proofText, scheduleDigest } from './proof.ts';

/** What is to be proved, and how. */
export interface ProofRequest {
  readonly experiment: Experiment;
  readonly given: PlanArguments;
  /** `HOST:PORT` of a coordinator whose agents are used, or null for a fleet on this machine. */
  readonly coordinator: string | null;
  /** 0..100, ends excluded. */
  readonly percentile: number;
  /** Relative, above 0. */
  readonly margin: number;
  /** Runs of each arm. */
  readonly repeat: number;
  /** Share of the plan's lanes that the probe has, 0..1. */
  readonly probeShare: number;
  readonly isJson: boolean;
  readonly out: string | null;
}

/** Runs it and gives the exit code. @throws FleetError when a run could not be made. */
export async function prove(request: ProofRequest, { console }: VerbContext): Promise<number> {
  const signals = new Signals(processSignals);
  let target: ReferenceProcess | null = null;
  try {
    if (request.out !== null) tryFile(request.out, PROOF_FLAG);
    if (request.coordinator !== null && request.experiment === 'probe') {
      throw new FleetError(
        'usage',
        'probe needs the sums of each agent apart, which a coordinator elsewhere does not send: without --coordinator, or doubling or half',
      );
    }
    const { reference } = loadPlan(request.given, null);
    if (reference !== null && request.coordinator !== null) throw referenceElsewhere();
    if (reference !== null) target = await startReferenceProcess(OWN_COMMAND, reference);
    const parsed = loadPlan(request.given, target?.url ?? null);
    const onNotice = (text: string): void => console.err(`loadfleet: ${text}\n`);
    const arms = await runArms(request, parsed, signals, onNotice);
    const proof = proofOf(request.experiment, request, arms);
    const json = `${JSON.stringify(proof, null, 2)}\n`;
    if (request.out !== null) writeFile(request.out, json, PROOF_FLAG);
    await console.out(request.isJson ? json : proofText(proof));
    return exitCodeOfProof(proof);
  } finally {
    await target?.stop();
    signals.close();
  }
}

/** Where the proof goes, for messages. */
const PROOF_FLAG = '--proof-out';

/** For the report of each run. */
const COMMAND = 'loadfleet prove';

/** Id of the agent that is the probe. */
const PROBE_ID = 'probe';

interface ArmPlan {
  readonly name: string;
  readonly plan: Plan;
  /** Agents and workers of this arm where they are not the plan's. */
  readonly fleet?: { readonly agents: number; readonly workers: number };
}

async function runArms(
  request: ProofRequest,
  parsed: ParsedPlan,
  signals: Signals,
  onNotice: (text: string) => void,
): Promise<readonly [Arm, Arm]> {
  const [first, second] = armPlans(request, parsed.plan);
  if (request.coordinator !== null) {
    return await runArmsThere(request, request.coordinator, parsed, [first, second], { signals, onNotice });
  }
  const probe = request.experiment === 'probe' ? probeOf(parsed.plan, request.probeShare) : undefined;
  const runs: [ArmRun[], ArmRun[]] = [[], []];
  for (let round = 0; round < request.repeat; round += 1) {
    const run = async (arm: ArmPlan): Promise<RunHere> => {
      onNotice(`${arm.name}, run ${round + 1} of ${request.repeat}`);
      const options = { command: COMMAND, signals, onNotice, ...(probe === undefined ? {} : { probe }) };
      return await runHere(bundleOf(parsed, arm, round), options);
    };
    const one = await run(first);
    if (probe === undefined) {
      runs[0].push(armRunOf(one, request.percentile));
      runs[1].push(armRunOf(await run(second), request.percentile));
    } else {
      const [idle, loaded] = probeArmRuns(one, request.percentile);
      runs[0].push(idle);
      runs[1].push(loaded);
    }
  }
  return [armOf(first, runs[0]), armOf(second, runs[1])];
}

/** The same on the fleet of a coordinator: each arm has the agents and workers that its first run had. */
async function runArmsThere(
  { percentile, repeat }: ProofRequest,
  coordinator: string,
  parsed: ParsedPlan,
  arms: readonly [ArmPlan, ArmPlan],
  how: { readonly signals: Signals; readonly onNotice: (text: string) => void },
): Promise<readonly [Arm, Arm]> {
  const made: [RemoteArm[], RemoteArm[]] = [[], []];
  for (let round = 0; round < repeat; round += 1) {
    for (const place of [0, 1] as const) {
      const arm = arms[place];
      how.onNotice(`${arm.name}, run ${round + 1} of ${repeat}`);
      const options = { ...how, coordinator, command: COMMAND };
      made[place].push(await runThere(bundleOf(parsed, arm, round), percentile, options));
    }
  }
  const armThere = (place: 0 | 1): Arm => {
    const { agents, workerSlots } = made[place][0]?.fleet ?? { agents: 0, workerSlots: 0 };
    const { name, plan } = arms[place];
    const fleet = { agents, workers: agents === 0 ? 0 : workerSlots / agents };
    return armOf(
      { name, plan, fleet },
      made[place].map(({ run }) => run),
    );
  };
  return [armThere(0), armThere(1)];
}

/** The plan of an arm for one round: every round has arrivals of its own; within a round the arms of a doubling share theirs. */
function bundleOf(parsed: ParsedPlan, { plan }: ArmPlan, round: number): ParsedPlan {
  return { ...parsed, plan: { ...plan, seed: BigInt.asUintN(64, plan.seed + BigInt(round)) } };
}

/** The probe of a plan: `share` of its lanes, at least one and not all. */
export function probeOf({ laneCount }: Plan, share: number): ProbeRequest {
  if (laneCount < 2) throw new FleetError('plan', 'lanes: 1 is too few for a probe, the least is 2');
  return { agentId: PROBE_ID, lanes: Math.min(laneCount - 1, Math.max(1, Math.round(share * laneCount))) };
}

/**
 * The two plans of an experiment. On this machine workers are written out, so that both arms mean the same by them; a coordinator's
 * agents offer what they have, so there twice the workers are twice the agents.
 */
export function armPlans(
  { experiment, coordinator }: Pick<ProofRequest, 'experiment' | 'coordinator'>,
  plan: Plan,
): readonly [ArmPlan, ArmPlan] {
  const { agents } = plan.fleet;
  const isHere = coordinator === null;
  const here = workersPerAgent(plan.fleet.workers, agents, availableParallelism());
  const workers = isHere ? here : plan.fleet.workers;
  const withFleet = (base: Plan, change: Partial<Plan['fleet']>): Plan => ({
    ...base,
    fleet: { ...base.fleet, workers, ...change },
  });
  const asPlanned = withFleet(plan, {});
  switch (experiment) {
    case 'doubling':
      return [
        { name: 'as-planned', plan: asPlanned },
        { name: 'doubled', plan: withFleet(plan, isHere ? { workers: here * 2 } : { agents: agents * 2 }) },
      ];
    case 'half':
      return [
        { name: 'full-load', plan: asPlanned },
        { name: 'half-load', plan: scaleLoad(asPlanned, 0.5) },
      ];
    case 'probe':
      // One run of one plan: the probe has some of its lanes, the planned fleet the others.
      return [
        { name: 'probe', plan: asPlanned, fleet: { agents: 1, workers: 1 } },
        { name: 'loaded', plan: asPlanned },
      ];
  }
}

function armOf({ name, plan, fleet }: ArmPlan, runs: readonly ArmRun[]): Arm {
  const { agents, workers } = fleet ?? plan.fleet;
  return { name, agents, workersPerAgent: workers ?? 1, scheduleDigest: scheduleDigest(plan), runs };
}
