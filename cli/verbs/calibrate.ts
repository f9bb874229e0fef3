/** `loadfleet calibrate`: its flags. What it does is `calibration/run-calibration.ts`, loaded only when it is asked for. */

import { type Command, InvalidArgumentError } from 'commander';
import { FleetError } from '../../shared/fleet-error.ts';
import { parseDuration } from '../../shared/time/duration.ts';
import type { VerbContext } from '../verb-context.ts';
import type { CalibrateFlags } from '../calibration/calibrate-flags.ts';

/** Clients that a plan can ask for; the last is that of plans with `http: 2`. */
const CLIENTS = ['wire', 'undici', 'h2'];

/** Adds the verb `calibrate`. */
export function addCalibrateVerb(program: Command, context: VerbContext): void {
  program
    .command('calibrate')
    .description('measure up to which rate this machine’s workers are clean, and store it for plans and verdicts')
    .option(
      '--rate <per-second>',
      'rate per worker that plans will ask for; the ladder ends at 1.5 times it',
      aboveZero,
      1000,
    )
    .option('--step <duration>', 'length of each of the ladder’s seven steps', duration, 5e9)
    .option('--workers <count>', 'workers that run at the same time', wholeFrom1, 1)
    .option(
      '--service <duration>',
      'service time of every request: the response times that plans will see',
      duration,
      20e6,
    )
    .option(
      '--client <name>',
      `client to calibrate, may be repeated (${CLIENTS.join(', ')}; default: ${CLIENTS[0] ?? ''})`,
      oneMoreClient,
      [],
    )
    .option('--out <file>', 'where the calibration goes (default: the user’s state folder, or LOADFLEET_CALIBRATION)')
    .action(async (flags: CalibrateFlags) => {
      const { calibrate } = await import('../calibration/run-calibration.ts');
      const clients = flags.client.length > 0 ? flags.client : CLIENTS.slice(0, 1);
      await calibrate({ ...flags, client: clients }, context);
    });
}

function aboveZero(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 1e7)) throw new InvalidArgumentError('It must be above 0 and at most 10000000.');
  return value;
}

function wholeFrom1(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 1024) throw new InvalidArgumentError('It must be in 1..1024.');
  return value;
}

function duration(text: string): number {
  let ns: number;
  try {
    ns = parseDuration(text);
  } catch (error) {
    throw new InvalidArgumentError(error instanceof FleetError ? error.message : String(error));
  }
  if (ns < 1e6 || ns > 600e9) throw new InvalidArgumentError('It must be in 1ms..10m.');
  return ns;
}

function oneMoreClient(text: string, before: readonly string[]): readonly string[] {
  if (!CLIENTS.includes(text)) throw new InvalidArgumentError(`It must be one of ${CLIENTS.join(', ')}.`);
  return [...before, text];
}
