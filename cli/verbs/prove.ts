/** `loadfleet prove EXPERIMENT PLAN`: its flags. What it does is `prove/run-proof.ts`, loaded only when it is asked for. */

import { Argument, type Command, InvalidArgumentError } from 'commander';
import { readHostPort } from '../host-port.ts';
import { readRepeat } from '../read-repeat.ts';
import { addPlanOptions, planFlagsOf } from '../plan-options.ts';
import { EXPERIMENTS, type Experiment } from '../prove/experiments.ts';
import type { VerbContext } from '../verb-context.ts';

/** Adds the verb `prove`. */
export function addProveVerb(program: Command, context: VerbContext): void {
  const prove = program
    .command('prove')
    .description(
      'show by experiment that the fleet is not in the numbers: equivalent 0, different 3, cannot conclude 1',
    )
    .addArgument(
      new Argument(
        '<experiment>',
        'doubling (twice the workers), half (half the load) or probe (an idle agent with a few of the lanes)',
      ).choices(EXPERIMENTS),
    )
    .argument('[plan]', 'plan file; without it the flags are the plan')
    .option('--coordinator <host:port>', 'run on the fleet of this coordinator; doubling takes twice the agents then')
    .option('--percentile <p>', 'percentile of the response that is compared', percentile, 99)
    .option('--margin <share>', 'largest relative difference that counts as none', margin, 0.05)
    .option('--repeat <count>', 'runs of each arm; from 3 on runs are compared instead of blocks', readRepeat, 1)
    .option('--probe-share <share>', 'lanes that the probe has, as a share of the plan’s', share, 0.05)
    .option('--proof-out <file>', 'write the proof as JSON')
    .option('--json', 'print JSON');
  addPlanOptions(prove).action(
    async (experiment: Experiment, file: string | undefined, options: Readonly<Record<string, unknown>>) => {
      const coordinator = options['coordinator'];
      const address = typeof coordinator === 'string' ? readHostPort(coordinator, '--coordinator') : null;
      const { prove: runProof } = await import('../prove/run-proof.ts');
      const given = {
        file: file ?? null,
        flags: planFlagsOf(options),
        environment: process.env,
        workingFolder: process.cwd(),
      };
      context.end(
        await runProof(
          {
            experiment,
            given,
            coordinator: address,
            percentile: options['percentile'] as number,
            margin: options['margin'] as number,
            repeat: options['repeat'] as number,
            probeShare: options['probeShare'] as number,
            isJson: options['json'] === true,
            out: typeof options['proofOut'] === 'string' ? options['proofOut'] : null,
          },
          context,
        ),
      );
    },
  );
}

function between(text: string, low: number, high: number): number {
  const value = Number(text);
  if (text.trim() === '' || !(value > low && value < high)) {
    throw new InvalidArgumentError(`It must be between ${low} and ${high}.`);
  }
  return value;
}

function percentile(text: string): number {
  return between(text, 0, 100);
}

function share(text: string): number {
  return text.endsWith('%') ? between(text.slice(0, -1), 0, 100) / 100 : between(text, 0, 1);
}

function margin(text: string): number {
  return share(text);
}
