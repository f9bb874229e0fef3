/** `loadfleet coordinator`: waits for agents and runs the plans that are submitted to it, one at a time, until it is stopped. */

import type { Command } from 'commander';
import { parseLoopbackListen } from '../../shared/listen-address.ts';
import { exitCodeOfSignal, type StopSignalName } from '../exit-code.ts';
import type { VerbContext } from '../verb-context.ts';
import { processSignals } from '../signals.ts';

/** The flags as commander gives them. */
interface CoordinatorFlags {
  readonly listen: string;
}

/** Adds the verb `coordinator`. */
export function addCoordinatorVerb(program: Command, context: VerbContext): void {
  program
    .command('coordinator')
    .description('wait for agents and run submitted plans, one at a time')
    .requiredOption('--listen <host:port>', 'loopback address; port 0 takes a free one')
    .action(async (flags: CoordinatorFlags) => {
      context.end(await serveUntilStopped(flags, context));
    });
}

async function serveUntilStopped(flags: CoordinatorFlags, { console }: VerbContext): Promise<number> {
  const { startCoordinator } = await import('../../coordinator/main.ts');
  const coordinator = await startCoordinator({
    listen: parseLoopbackListen(flags.listen),
    onNotice: (text) => console.err(`coordinator: ${text}\n`),
  });
  // The first line is for whoever started it.
  await console.out(`listening ${coordinator.address}\n`);
  const signal = await new Promise<StopSignalName>((resolve) => {
    const unlisten = processSignals.listen((first) => {
      // A second signal ends the process in the platform's way.
      unlisten();
      resolve(first);
    });
  });
  await coordinator.close(`the coordinator was stopped by ${signal}`);
  return exitCodeOfSignal(signal);
}
