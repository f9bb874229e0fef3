/** `loadfleet agent`: joins a coordinator and serves its runs until it is dismissed. */

import type { Command } from 'commander';
import { FleetError } from '../../shared/fleet-error.ts';
import { PLAN_COUNTS } from '../../shared/plan/plan-limits.ts';
import type { VerbContext } from '../verb-context.ts';
import { readHostPort } from '../host-port.ts';
import { readCores } from '../read-cores.ts';

/** The flags as commander gives them. */
interface AgentFlags {
  readonly coordinator: string;
  readonly id?: string;
  readonly region?: string;
  readonly label: readonly string[];
  readonly workers?: string;
  readonly hostWorkers?: string;
  readonly coresApart?: string;
  readonly embedded?: true;
  readonly workerCores?: readonly number[];
}

/** Adds the verb `agent`. */
export function addAgentVerb(program: Command, context: VerbContext): void {
  program
    .command('agent')
    .description('join a coordinator and send its load from this machine')
    .requiredOption('--coordinator <host:port>', 'where the coordinator listens')
    .option('--id <name>', 'name in the report, unique in the fleet (default: made up)')
    .option('--region <name>', 'region for the report and for re-dealing')
    .option('--label <key=value>', 'label for the report; may be repeated', collect, [])
    .option('--workers <number>', 'worker threads offered (default: cores - 1)')
    .option('--host-workers <number>', 'worker threads of the run on this machine, those of other agents included')
    .option(
      '--worker-cores <list>',
      'cores for the worker threads, one each, such as 2-5; its other threads keep off them (Linux)',
      readCores,
    )
    .option('--cores-apart <number>', 'given by run: cores on this machine that workers have to themselves')
    .option('--embedded', 'started by run: signals and the end are those of the parent')
    .action(async (flags: AgentFlags) => {
      const workerCores = flags.workerCores ?? null;
      const workers = readWorkers(flags.workers, '--workers') ?? workerCores?.length ?? null;
      if (workers !== null && workerCores !== null && workers !== workerCores.length) {
        throw new FleetError(
          'usage',
          `--workers ${workers} is not the number of --worker-cores, ${workerCores.length}`,
        );
      }
      const { runAgentProcess } = await import('../../agent/agent-process.ts');
      const exitCode = await runAgentProcess({
        coordinator: readHostPort(flags.coordinator, '--coordinator'),
        agentId: readName(flags.id, '--id'),
        region: readName(flags.region, '--region'),
        labels: Object.fromEntries(flags.label.map(readLabel)),
        workers,
        hostWorkers: readWorkers(flags.hostWorkers, '--host-workers'),
        isEmbedded: flags.embedded === true,
        workerCores,
        coresApart: readWorkers(flags.coresApart, '--cores-apart'),
      });
      context.end(exitCode);
    });
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

/** A name: 1..100 letters, digits, `.`, `_`, `-`. */
function readName(text: string | undefined, flag: string): string | null {
  if (text === undefined) return null;
  if (/^[A-Za-z0-9._-]{1,100}$/.test(text)) return text;
  throw new FleetError('usage', `${flag} "${text.slice(0, 60)}" is not a name of 1..100 letters, digits, dots, _ or -`);
}

function readLabel(text: string): readonly [key: string, value: string] {
  const [, key, value] = /^([A-Za-z0-9._/-]{1,100})=(.{0,200})$/.exec(text) ?? [];
  if (key === undefined || value === undefined) {
    throw new FleetError('usage', `--label "${text.slice(0, 60)}" is not KEY=VALUE`);
  }
  return [key, value];
}

function readWorkers(text: string | undefined, flag: string): number | null {
  if (text === undefined) return null;
  const value = Number(text);
  if (/^[0-9]{1,6}$/.test(text) && value >= 1 && value <= PLAN_COUNTS.workersMax * PLAN_COUNTS.agentsMax) return value;
  throw new FleetError('usage', `${flag} "${text.slice(0, 60)}" is not a whole number of at least 1`);
}
