/**
 * How the reference LLM target behaves: its options as flags say them, and the laws and limits that they mean. Everything is
 * checked before the target listens.
 */
import { FleetError } from '../../shared/fleet-error.ts';
import { seedFromBigInt, type Seed } from '../../shared/random/seed.ts';
import { parseStreamFaults, type StreamFault } from './stream-fault.ts';
import { parseTokenLaw, type TokenLaw } from './token-law.ts';

/** How the target behaves, as its flags say it; everything has a default. */
export interface LlmTargetOptions {
  /** `HOST:PORT`, loopback only. Default `127.0.0.1:0`. */
  readonly listen?: string;
  /** Law of the time from slot to first token. Default `constant:50ms`. */
  readonly firstToken?: string;
  /** Law of the gap between tokens. Default `constant:10ms`. */
  readonly gap?: string;
  /** Tokens a chunk carries after the first one. Default 1. */
  readonly tokensPerChunk?: number;
  /** Tokens of an answer whose request sets no limit, or a larger one. Default 64. */
  readonly outputTokens?: number;
  /** Sequences that run at once; null (default) = no limit. */
  readonly slots?: number | null;
  readonly seed?: bigint;
  /** Faults of all requests, `KIND[,KIND...]`. */
  readonly faults?: string;
}

/** The options, read and checked. */
export interface LlmTargetRules {
  readonly firstToken: TokenLaw;
  readonly gap: TokenLaw;
  /** Tokens a chunk carries after the first one. */
  readonly tokensPerChunk: number;
  /** Tokens of an answer whose request sets no limit, or a larger one. */
  readonly outputTokens: number;
  /** Sequences that run at once; null = no limit. */
  readonly slots: number | null;
  readonly seed: Seed;
  /** Faults of all requests. */
  readonly faults: ReadonlySet<StreamFault>;
}

/** Reads the options, with their defaults. @throws FleetError `plan` or `usage` that names the option, its value and limit. */
export function llmTargetRules(options: LlmTargetOptions): LlmTargetRules {
  const { slots = null } = options;
  return {
    firstToken: parseTokenLaw('ttft', options.firstToken ?? 'constant:50ms'),
    gap: parseTokenLaw('gap', options.gap ?? 'constant:10ms'),
    tokensPerChunk: wholeOption('chunk tokens', options.tokensPerChunk ?? 1, 1, 1000),
    outputTokens: wholeOption('output tokens', options.outputTokens ?? 64, 0, 1_000_000),
    slots: slots === null ? null : wholeOption('slots', slots, 1, 1_000_000),
    seed: seedFromBigInt(options.seed ?? 0n),
    faults: options.faults === undefined ? new Set() : parseStreamFaults(options.faults),
  };
}

function wholeOption(name: string, value: number, low: number, high: number): number {
  if (!Number.isInteger(value) || value < low || value > high)
    throw new FleetError('plan', `${name}: ${value} is not an integer in ${low}..${high}`);
  return value;
}
