/**
 * `loadfleet target`: runs the reference target (or the null target) as a process until it is told to stop.
 * The first line on stdout is `listening http://HOST:PORT` for whoever started it; the last is `counts {...}`.
 */

import type { Command } from 'commander';
import { FleetError } from '../../shared/fleet-error.ts';
import { parseSeed } from '../../shared/random/seed.ts';
import { FAULT_KINDS } from '../../target/fault.ts';
import { startNullTarget } from '../../target/null-target.ts';
import { startTarget, type TargetOptions } from '../../target/reference-target.ts';

/** The flags as commander gives them: text or presence. */
interface TargetFlags {
  readonly listen: string;
  readonly service?: string;
  readonly servers?: string;
  readonly seed?: string;
  readonly bodyBytes?: string;
  readonly fault: readonly string[];
  readonly keepIdentities?: true;
  readonly null?: true;
  readonly quiet?: true;
}

/** Adds the verb `target` to the command line. */
export function addTargetVerb(program: Command): void {
  program
    .command('target')
    .description('run the reference server: known service times, faults on command, its own counts')
    .option('--listen <host:port>', 'loopback address; port 0 takes a free one', '127.0.0.1:0')
    .option('--service <law>', 'service time: instant, constant:20ms or exponential:20ms (default: instant)')
    .option('--servers <count>', 'servers behind one queue (default: every request is served at once)')
    .option('--seed <number>', 'seed of service times, body lengths and fault shares (default: 0)')
    .option('--body-bytes <law>', 'body length: 1000, uniform:100-2000 or exponential:1000 (default: 2)')
    .option(
      '--fault <rule>',
      `what goes wrong, e.g. stall:5s,from=100 or status:503,share=0.1; may be repeated (kinds: ${FAULT_KINDS.join(', ')})`,
      (rule: string, rules: readonly string[]) => [...rules, rule],
      [],
    )
    .option('--keep-identities', 'keep the identity and the instants of every request')
    .option('--null', 'the leanest server instead: a fixed 200, for calibration')
    .option('--quiet', 'do not tell on stderr what happens on command')
    .action(async (flags: TargetFlags) => {
      await serveUntilStopped(flags);
    });
}

/** What both targets can do. */
interface Serving {
  readonly url: string;
  counts(): object;
  close(): Promise<void>;
}

async function serveUntilStopped(flags: TargetFlags): Promise<void> {
  const target = await start(flags);
  process.stdout.write(`listening ${target.url}\n`);
  await new Promise<void>((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
  const counts = JSON.stringify(target.counts());
  await target.close();
  process.stdout.write(`counts ${counts}\n`);
}

async function start(flags: TargetFlags): Promise<Serving> {
  if (flags.null === true) {
    refuseBesideNull(flags);
    return startNullTarget({ listen: flags.listen, bodyBytes: readNullBody(flags.bodyBytes) });
  }
  const log = flags.quiet === true ? undefined : (line: string) => void process.stderr.write(`target: ${line}\n`);
  const options: TargetOptions = {
    listen: flags.listen,
    ...(flags.service !== undefined && { service: flags.service }),
    ...(flags.servers !== undefined && { servers: readServers(flags.servers) }),
    ...(flags.seed !== undefined && { seed: parseSeed(flags.seed) }),
    ...(flags.bodyBytes !== undefined && { bodyBytes: flags.bodyBytes }),
    ...(log !== undefined && { log }),
    faults: flags.fault,
    keepIdentities: flags.keepIdentities === true,
  };
  return startTarget(options);
}

function readServers(text: string): number {
  if (!/^[0-9]{1,7}$/.test(text)) throw new FleetError('usage', `--servers "${text}" is not a whole number of servers`);
  return Number(text);
}

function readNullBody(text = '2'): number {
  if (!/^[0-9]{1,7}$/.test(text) || Number(text) > 1_000_000) {
    throw new FleetError('usage', `--body-bytes "${text}": with --null it is a whole number up to 1000000`);
  }
  return Number(text);
}

function refuseBesideNull(flags: TargetFlags): void {
  const given: [flag: string, isGiven: boolean][] = [
    ['service', flags.service !== undefined],
    ['servers', flags.servers !== undefined],
    ['seed', flags.seed !== undefined],
    ['fault', flags.fault.length > 0],
    ['keep-identities', flags.keepIdentities === true],
  ];
  const clashing = given.find(([, isGiven]) => isGiven);
  if (clashing === undefined) return;
  throw new FleetError('usage', `--${clashing[0]} has no meaning with --null: that target only answers 200`);
}
