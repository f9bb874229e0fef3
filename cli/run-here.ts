/** Runs one plan with an embedded fleet and gives back its result, for verbs that make several runs and print their own answer. */

import { runEmbedded } from '../coordinator/main.ts';
import { buildRunResult, type RunResult } from '../coordinator/report/run-result.ts';
import type { ProbeRequest } from '../coordinator/fleet/deal-slots.ts';
import type { EndedRun } from '../coordinator/run/ended-run.ts';
import { FleetError } from '../shared/fleet-error.ts';
import type { PlanBundle } from '../shared/plan/plan.ts';
import { exitCodeOfSignal } from './exit-code.ts';
import { OWN_COMMAND } from './own-command.ts';
import type { Signals } from './signals.ts';

/** A run that is over. */
export interface RunHere {
  readonly ended: EndedRun;
  readonly result: RunResult;
}

/**
 * Runs `bundle`. @throws FleetError `interrupted` when a signal came, `internal` when the run could not be run to its end.
 */
export async function runHere(
  bundle: PlanBundle,
  options: {
    readonly command: string;
    readonly signals: Signals;
    readonly onNotice: (text: string) => void;
    readonly probe?: ProbeRequest;
  },
): Promise<RunHere> {
  const { command, signals, onNotice, probe } = options;
  // Nobody publishes these runs, so nobody would take the file.
  const plan = { ...bundle.plan, output: { ...bundle.plan.output, perRequestLimit: null } };
  const ended = await runEmbedded({
    request: { bundle: { ...bundle, plan }, command, ...(probe === undefined ? {} : { probe }) },
    agentCommand: [...OWN_COMMAND, 'agent'],
    stops: signals,
    onProgress: () => undefined,
    onNotice,
  });
  if (signals.first !== null) {
    throw new FleetError('interrupted', `stopped by ${signals.first} (exit code ${exitCodeOfSignal(signals.first)})`);
  }
  const { end } = ended.record;
  if (end.kind !== 'finished') {
    throw new FleetError(
      'internal',
      `a run of this series was not finished: ${'reason' in end ? end.reason : end.signal}`,
    );
  }
  return { ended, result: buildRunResult(ended.record, ended.merge, ended.blobs) };
}
