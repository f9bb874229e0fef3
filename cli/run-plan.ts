/**
 * What `loadfleet run` does: a plan, from its text to the result folder and the exit code. Without `--coordinator` the fleet is embedded: a
 * coordinator in this process and agents in processes of their own.
 */

import { checkAtHand, keepOff } from '../agent/session/core-affinity.ts';
import { type RemoteResult, runRemote } from '../coordinator/api/remote-run.ts';
import { runEmbedded } from '../coordinator/main.ts';
import { createProgressPrinter } from '../coordinator/report/progress.ts';
import { buildRunResult } from '../coordinator/report/run-result.ts';
import type { RunRequest } from '../coordinator/run/run-request.ts';
import { FleetError } from '../shared/fleet-error.ts';
import type { ParsedPlan } from '../shared/plan/parse-plan.ts';
import { beginKnowing } from './calibration/known-machine.ts';
import { commandText } from './command-text.ts';
import { exitCodeOfSignal } from './exit-code.ts';
import { loadPlan, type PlanArguments } from './load-plan.ts';
import { OWN_COMMAND } from './own-command.ts';
import { referenceElsewhere, type ReferenceProcess, startReferenceProcess } from './reference-process.ts';
import { type FinishedRun, publishResult, tryPublishing } from './publish-result.ts';
import { repeatRuns } from './repeat-runs.ts';
import { processSignals, Signals } from './signals.ts';
import type { VerbContext } from './verb-context.ts';

/** How a plan is run. */
export interface RunHow {
  /** `HOST:PORT`, or null for an embedded fleet. */
  readonly coordinator: string | null;
  readonly repeat: number;
  /** Check this machine before and after; only for an embedded fleet. */
  readonly isRechecked: boolean;
  /** Cores that the workers have to themselves, one each; null leaves all threads to the system. Only for one embedded run without checks. */
  readonly workerCores: readonly number[] | null;
}

/**
 * Runs the plan as often as asked and gives the exit code.
 * @throws FleetError; nothing was run then.
 */
export async function runPlan(given: PlanArguments, how: RunHow, context: VerbContext): Promise<number> {
  const { repeat } = how;
  const once = async (one: PlanArguments): Promise<RunEndHere> => await runOnce(one, how, context);
  return repeat === 1 ? (await once(given)).exitCode : await repeatRuns(given, repeat, once, context);
}

/** How one run ended for the command line. */
interface RunEndHere {
  readonly exitCode: number;
  /** Text of `result.json`; null when there is no result. */
  readonly resultJson: string | null;
}

async function runOnce(given: PlanArguments, how: RunHow, context: VerbContext): Promise<RunEndHere> {
  const written = loadPlan(given, null);
  const { reference } = written;
  if (reference !== null && how.coordinator !== null) throw referenceElsewhere();
  const signals = new Signals(processSignals);
  let target: ReferenceProcess | null = null;
  try {
    // A process begins with the cores of the thread that starts it: what is started from here on keeps off as well.
    if (how.workerCores !== null) {
      checkAtHand(how.workerCores);
      await keepOff(how.workerCores);
    }
    if (reference !== null) target = await startReferenceProcess(OWN_COMMAND, reference);
    // The URL of a reference target is known only once it listens.
    const parsed = target === null ? written : loadPlan(given, target.url);
    announce(parsed, context);
    return await runParsed(parsed, how, signals, context);
  } catch (error) {
    // A run that could not begin because it was told to stop is interrupted, not failed.
    if (signals.first === null || !(error instanceof FleetError)) throw error;
    context.console.err(`loadfleet: ${error.message}\n`);
    return { exitCode: exitCodeOfSignal(signals.first), resultJson: null };
  } finally {
    await target?.stop();
    signals.close();
  }
}

async function runParsed(
  parsed: ParsedPlan,
  { coordinator, isRechecked, workerCores }: RunHow,
  signals: Signals,
  { args, console }: VerbContext,
): Promise<RunEndHere> {
  const request: RunRequest = { bundle: parsed, command: commandText(args, parsed.secrets) };
  const { quiet, directory } = parsed.plan.output;
  await tryPublishing(directory);
  const printer = createProgressPrinter({
    write: (text) => console.err(text),
    isTerminal: console.errIsTerminal,
    quiet,
    columns: console.columns,
  });
  const shared = {
    request,
    stops: signals,
    onNotice: (text: string) => console.err(`loadfleet: ${text}\n`),
    onProgress: (state: Parameters<typeof printer.update>[0]) => printer.update(state),
  };
  let exitCode = 0;
  let resultJson: string | null = null;
  const publish = async (run: FinishedRun): Promise<void> => {
    printer.end();
    resultJson = run.files.get('result.json') ?? null;
    exitCode = await publishResult(run, { directory, console, signals });
  };
  if (coordinator === null) {
    const knowAfter = await beginKnowing({
      plan: parsed.plan,
      isRechecked,
      workerCores,
      environment: process.env,
      signals,
      say: shared.onNotice,
    });
    // The result is published before the fleet is taken down: a second Ctrl-C leaves no time after.
    await runEmbedded({
      ...shared,
      agentCommand: [...OWN_COMMAND, 'agent'],
      workerCores,
      onEnded: async ({ record, merge, blobs }) => {
        // The agents ran on this machine, so its calibration is theirs.
        await publish(embeddedRun(record.runId, buildRunResult(record, merge, blobs, await knowAfter())));
      },
    });
  } else {
    const endpoint = { address: coordinator, security: { kind: 'loopback' } as const };
    await publish(remoteRun(await runRemote({ ...shared, endpoint })));
  }
  return { exitCode, resultJson };
}

function embeddedRun(runId: string, result: ReturnType<typeof buildRunResult>): FinishedRun {
  const { summary, files, largeFiles, outcome } = result;
  return { runId, summary, files, largeFiles, exitCode: outcome.exitCode };
}

function remoteRun({ summary, files, largeFiles, missing, outcome, runId }: RemoteResult): FinishedRun {
  return { runId, summary, files, largeFiles, missing, exitCode: outcome.exitCode };
}

/** The plan as it will run, and what is worth a word, before anything is sent. */
function announce(parsed: ParsedPlan, { console }: VerbContext): void {
  if (!parsed.plan.output.quiet) console.err(`# the plan as it runs\n${parsed.effectiveYaml}\n`);
  for (const warning of parsed.warnings) console.err(`loadfleet: warning: ${warning}\n`);
}
