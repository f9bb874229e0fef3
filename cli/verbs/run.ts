/** `loadfleet run`: its flags. What it does is `run-plan.ts`, loaded only when a run is asked for. */

import type { Command } from 'commander';
import { coreListText } from '../../agent/session/core-list.ts';
import { FleetError } from '../../shared/fleet-error.ts';
import { readHostPort } from '../host-port.ts';
import { readCores } from '../read-cores.ts';
import { readRepeat } from '../read-repeat.ts';
import { addPlanOptions, planFlagsOf } from '../plan-options.ts';
import type { VerbContext } from '../verb-context.ts';

/** Adds the verb `run`. */
export function addRunVerb(program: Command, context: VerbContext): void {
  const run = program
    .command('run')
    .description('run a plan and report; without --coordinator with a fleet on this machine')
    .argument('[plan]', 'plan file; without it the flags are the plan (--url, --rate, --duration)')
    .option('--coordinator <host:port>', 'run on the fleet of this coordinator')
    .option(
      '--recheck-calibration',
      'check this machine before and after the run, about 10 s each: floor, and whether the plan’s rate per worker is clean',
    )
    .option(
      '--worker-cores <list>',
      'cores for the worker threads of all agents, one each, such as 2-5; the rest of the fleet keeps off them (Linux)',
      readCores,
    )
    .option('--repeat <count>', 'run it so often and report what differs between the runs', readRepeat, 1);
  addPlanOptions(run).action(async (file: string | undefined, options: Readonly<Record<string, unknown>>) => {
    const given = {
      file: file ?? null,
      flags: planFlagsOf(options),
      environment: process.env,
      workingFolder: process.cwd(),
    };
    const coordinator = options['coordinator'];
    const address = typeof coordinator === 'string' ? readHostPort(coordinator, '--coordinator') : null;
    const { runPlan } = await import('../run-plan.ts');
    const isRechecked = options['recheckCalibration'] === true;
    if (isRechecked && address !== null) {
      throw new FleetError(
        'usage',
        '--recheck-calibration checks this machine; with --coordinator the agents are elsewhere',
      );
    }
    const repeat = options['repeat'] as number;
    // What this process starts later would begin without these cores, and what it learns of the machine would be without them.
    const workerCores = (options['workerCores'] as readonly number[] | undefined) ?? null;
    if (workerCores !== null && (address !== null || isRechecked || repeat > 1)) {
      throw new FleetError(
        'usage',
        `--worker-cores ${coreListText(workerCores)} is for one fleet that run starts: leave out --coordinator (agents have the option too), --recheck-calibration and --repeat`,
      );
    }
    const how = { coordinator: address, repeat, isRechecked, workerCores };
    context.end(await runPlan(given, how, context));
  });
}
