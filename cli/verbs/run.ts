/** `loadfleet run`: its flags. What it does is `run-plan.ts`, loaded only when a run is asked for. */

import type { Command } from 'commander';
import { readHostPort } from '../host-port.ts';
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
    context.end(await runPlan(given, address, options['repeat'] as number, context));
  });
}
