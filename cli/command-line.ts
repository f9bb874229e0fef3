/**
 * The `loadfleet` command as a function: reads the arguments, hands over to one verb, and turns whatever is thrown into a message
 * and an exit code (design §10). The process around it is `main.ts`.
 */

import { Command, CommanderError } from 'commander';
import { FleetError } from '../shared/fleet-error.ts';
import { LOADFLEET_VERSION } from '../shared/version.ts';
import { EXIT_CODES, exitCodeOfError } from './exit-code.ts';
import { refuseRepeated } from './refuse-repeated.ts';
import type { Console } from './console.ts';
import type { VerbContext } from './verb-context.ts';
import { addAgentVerb } from './verbs/agent.ts';
import { addCalibrateVerb } from './verbs/calibrate.ts';
import { addCoordinatorVerb } from './verbs/coordinator.ts';
import { addPlanVerb } from './verbs/plan.ts';
import { addProveVerb } from './verbs/prove.ts';
import { addRunVerb } from './verbs/run.ts';
import { addTargetVerb } from './verbs/target.ts';

/** Errors that are no errors: the user asked for the help or the version. */
const ANSWERS = ['commander.helpDisplayed', 'commander.version'];

/** Runs the command line `args` (without program and script) and gives the exit code. */
export async function runCommandLine(args: readonly string[], console: Console): Promise<number> {
  let exitCode: number = EXIT_CODES.ok;
  const context = {
    args,
    console,
    end: (code: number) => {
      exitCode = code;
    },
  };
  const answers: Promise<void>[] = [];
  try {
    try {
      await createProgram(context, answers).parseAsync([...args], { from: 'user' });
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
      exitCode = ANSWERS.includes(error.code) ? EXIT_CODES.ok : EXIT_CODES.usage;
    }
    // A help that cannot be written was not given.
    await Promise.all(answers);
    return exitCode;
  } catch (error) {
    console.err(describeError(error));
    return exitCodeOfError(error);
  }
}

/** @param answers receives what is still being written of the help or the version. */
function createProgram(context: VerbContext, answers: Promise<void>[]): Command {
  const program = new Command('loadfleet')
    .description('A fleet of load generators that measures a server without lying about it.')
    .version(LOADFLEET_VERSION)
    .configureOutput({
      writeOut: (text) => void answers.push(context.console.out(text)),
      writeErr: (text) => context.console.err(text),
    })
    .showSuggestionAfterError()
    .showHelpAfterError('(loadfleet VERB --help shows all flags)')
    .exitOverride();
  addRunVerb(program, context);
  addPlanVerb(program, context);
  addCoordinatorVerb(program, context);
  addAgentVerb(program, context);
  addTargetVerb(program, context);
  addCalibrateVerb(program, context);
  addProveVerb(program, context);
  refuseRepeated(program);
  return program;
}

/** A thrown error for the user: the sentence alone where it was foreseen, all we know where it was not. */
export function describeError(error: unknown): string {
  if (error instanceof FleetError && error.code !== 'internal') return `loadfleet: ${error.message}\n`;
  const details = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `loadfleet: internal error, please report it: ${details}\n`;
}
