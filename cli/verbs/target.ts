/**
 * `loadfleet target`: runs the reference target (or the null target) as a process until it is told to stop.
 * The first line on stdout is `listening http://HOST:PORT` for whoever started it; the last is `counts {...}`.
 */

import type { Command } from 'commander';
import { assertNever } from '../../shared/assert-never.ts';
import { FleetError } from '../../shared/fleet-error.ts';
import { parseSeed } from '../../shared/random/seed.ts';
import type { VerbContext } from '../verb-context.ts';
import { FAULT_KINDS } from '../../target/fault.ts';
import type { LlmTargetOptions } from '../../target/llm/llm-target-options.ts';
import { STREAM_FAULTS } from '../../target/llm/stream-fault.ts';
import type { TargetOptions } from '../../target/reference-target.ts';

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
  readonly http2?: true;
  readonly llm?: true;
  readonly ttft?: string;
  readonly gap?: string;
  readonly chunkTokens?: string;
  readonly outputTokens?: string;
  readonly slots?: string;
  readonly llmFault: readonly string[];
  readonly quiet?: true;
}

/** The servers that this verb can be. */
type TargetKind = 'http' | 'http2' | 'llm' | 'null';

/** Flags that say nothing to some of them, and to which they belong. */
const FLAG_KINDS: readonly (readonly [flag: string, name: keyof TargetFlags, kinds: readonly TargetKind[]])[] = [
  ['service', 'service', ['http', 'http2']],
  ['servers', 'servers', ['http']],
  ['seed', 'seed', ['http', 'llm']],
  ['body-bytes', 'bodyBytes', ['http', 'null']],
  ['fault', 'fault', ['http']],
  ['keep-identities', 'keepIdentities', ['http']],
  ['ttft', 'ttft', ['llm']],
  ['gap', 'gap', ['llm']],
  ['chunk-tokens', 'chunkTokens', ['llm']],
  ['output-tokens', 'outputTokens', ['llm']],
  ['slots', 'slots', ['llm']],
  ['llm-fault', 'llmFault', ['llm']],
];

/** Adds the verb `target` to the command line. */
export function addTargetVerb(program: Command, context: VerbContext): void {
  program
    .command('target')
    .description('run the reference server (HTTP, or an LLM server): known times, faults on command, its own counts')
    .option('--listen <host:port>', 'loopback address; port 0 takes a free one', '127.0.0.1:0')
    .option('--service <law>', 'service time: instant, constant:20ms or exponential:20ms (default: instant)')
    .option('--servers <count>', 'servers behind one queue (default: every request is served at once)')
    .option('--seed <number>', 'seed of service times, body lengths and fault shares (default: 0)')
    .option('--body-bytes <law>', 'body length: 1000, uniform:100-2000 or exponential:1000 (default: 2)')
    .option(
      '--fault <rule>',
      `what goes wrong, e.g. stall:5s,from=100 or status:503,share=0.1; may be repeated (kinds: ${FAULT_KINDS.join(', ')})`,
      collect,
      [],
    )
    .option('--keep-identities', 'keep the identity and the instants of every request')
    .option('--null', 'the leanest server instead: a fixed 200, for calibration')
    .option('--http2', 'an HTTP/2 server in clear instead: a fixed 200 after a constant time, for calibration')
    .option('--llm', 'an LLM server instead: streamed chat, completions, responses and messages, and /metrics')
    .option('--ttft <law>', 'with --llm: time to the first token, e.g. exponential:80ms (default: constant:50ms)')
    .option('--gap <law>', 'with --llm: time between tokens, e.g. ar1:20ms:5ms:0.5 (default: constant:10ms)')
    .option('--chunk-tokens <count>', 'with --llm: tokens per chunk after the first one (default: 1)')
    .option(
      '--output-tokens <count>',
      'with --llm: length of an answer, unless the request asks for less (default: 64)',
    )
    .option('--slots <count>', 'with --llm: answers generated at once; others wait (default: no limit)')
    .option(
      '--llm-fault <kinds>',
      `with --llm: what goes wrong in all answers, by comma; may be repeated (kinds: ${STREAM_FAULTS.join(', ')})`,
      collect,
      [],
    )
    .option('--quiet', 'do not tell on stderr what happens on command')
    .action(async (flags: TargetFlags) => {
      await serveUntilStopped(flags, context);
    });
}

/** What both targets can do. */
interface Serving {
  readonly url: string;
  counts(): object;
  close(): Promise<void>;
}

async function serveUntilStopped(flags: TargetFlags, { console }: VerbContext): Promise<void> {
  const target = await start(flags);
  try {
    // Who cannot be told the address cannot use the server: it must not run on unseen.
    await console.out(`listening ${target.url}\n`);
  } catch (error) {
    await target.close();
    throw error;
  }
  await new Promise<void>((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
    process.once('SIGHUP', () => resolve());
    // Started by another verb, which is gone: nobody would stop it any more.
    process.once('disconnect', () => resolve());
    if (process.channel !== undefined && !process.connected) resolve();
  });
  const counts = JSON.stringify(target.counts());
  await target.close();
  await console.out(`counts ${counts}\n`);
}

async function start(flags: TargetFlags): Promise<Serving> {
  const kind = kindOf(flags);
  refuseForeignFlags(flags, kind);
  // Loaded when asked for: every other verb, and each agent of a fleet, starts without them.
  switch (kind) {
    case 'null': {
      const { startNullTarget } = await import('../../target/null-target.ts');
      return await startNullTarget({ listen: flags.listen, bodyBytes: readNullBody(flags.bodyBytes) });
    }
    case 'http2': {
      const { startH2Target } = await import('../../target/h2-target.ts');
      return await startH2Target({
        listen: flags.listen,
        ...(flags.service !== undefined && { service: flags.service }),
      });
    }
    case 'llm': {
      const { startLlmTarget } = await import('../../target/llm/llm-target.ts');
      return await startLlmTarget(llmOptions(flags));
    }
    case 'http': {
      const { startTarget } = await import('../../target/reference-target.ts');
      return await startTarget(httpOptions(flags));
    }
    default:
      return assertNever(kind);
  }
}

function kindOf(flags: TargetFlags): TargetKind {
  const asked = (['null', 'llm', 'http2'] as const).filter((kind) => flags[kind] === true);
  if (asked.length > 1) {
    const names = asked.map((kind) => `--${kind}`).join(' and ');
    throw new FleetError('usage', `${names} are ${asked.length === 2 ? 'two' : 'three'} different servers; give one`);
  }
  return asked[0] ?? 'http';
}

const KIND_WORDS: Readonly<Record<TargetKind, string>> = {
  http: 'without --llm',
  http2: 'with --http2: that target only answers 200 after --service constant:TIME',
  llm: 'with --llm: that server has laws and faults of its own',
  null: 'with --null: that target only answers 200',
};

function refuseForeignFlags(flags: TargetFlags, kind: TargetKind): void {
  for (const [flag, name, kinds] of FLAG_KINDS) {
    const value = flags[name];
    const isGiven = Array.isArray(value) ? value.length > 0 : value !== undefined;
    if (isGiven && !kinds.includes(kind)) throw new FleetError('usage', `--${flag} has no meaning ${KIND_WORDS[kind]}`);
  }
}

function httpOptions(flags: TargetFlags): TargetOptions {
  const log = flags.quiet === true ? undefined : (line: string) => void process.stderr.write(`target: ${line}\n`);
  return {
    listen: flags.listen,
    ...(flags.service !== undefined && { service: flags.service }),
    ...(flags.servers !== undefined && { servers: readWhole('servers', flags.servers) }),
    ...(flags.seed !== undefined && { seed: parseSeed(flags.seed) }),
    ...(flags.bodyBytes !== undefined && { bodyBytes: flags.bodyBytes }),
    ...(log !== undefined && { log }),
    faults: flags.fault,
    keepIdentities: flags.keepIdentities === true,
  };
}

function llmOptions(flags: TargetFlags): LlmTargetOptions {
  return {
    listen: flags.listen,
    ...(flags.ttft !== undefined && { firstToken: flags.ttft }),
    ...(flags.gap !== undefined && { gap: flags.gap }),
    ...(flags.chunkTokens !== undefined && { tokensPerChunk: readWhole('chunk-tokens', flags.chunkTokens) }),
    ...(flags.outputTokens !== undefined && { outputTokens: readWhole('output-tokens', flags.outputTokens) }),
    ...(flags.slots !== undefined && { slots: readWhole('slots', flags.slots) }),
    ...(flags.seed !== undefined && { seed: parseSeed(flags.seed) }),
    ...(flags.llmFault.length > 0 && { faults: flags.llmFault.join(',') }),
  };
}

function readWhole(flag: string, text: string): number {
  if (!/^[0-9]{1,7}$/.test(text)) throw new FleetError('usage', `--${flag} "${text}" is not a whole number`);
  return Number(text);
}

function readNullBody(text = '2'): number {
  if (!/^[0-9]{1,7}$/.test(text) || Number(text) > 1_000_000) {
    throw new FleetError('usage', `--body-bytes "${text}": with --null it is a whole number up to 1000000`);
  }
  return Number(text);
}

/** A flag that may be repeated. */
function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}
