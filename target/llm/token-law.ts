/**
 * Laws of time to the first token and of the gaps between tokens, as text and as values, with keyed draws: a stream's instants follow
 * from (seed, identity), so every true value is known. Pure.
 */

import { assertNever } from '../../shared/assert-never.ts';
import { FleetError } from '../../shared/fleet-error.ts';
import { philox4x32 } from '../../shared/random/philox.ts';
import type { Seed } from '../../shared/random/seed.ts';
import { u53 } from '../../shared/random/u53.ts';
import { parseDuration } from '../../shared/time/duration.ts';
import type { RequestWords } from '../request-draw.ts';

/** A law of positive times. */
export type TokenLaw =
  | { readonly kind: 'constant'; readonly ns: number }
  | { readonly kind: 'exponential'; readonly meanNs: number }
  /** Gamma of integer shape (Erlang): coefficient of variation 1 / sqrt(shape). */
  | { readonly kind: 'gamma'; readonly meanNs: number; readonly shape: number }
  /** Lognormal with this mean and sigma of the logarithm. */
  | { readonly kind: 'lognormal'; readonly meanNs: number; readonly sigma: number }
  /** `baseNs`, plus `stallNs` with probability `share`. */
  | { readonly kind: 'stall'; readonly baseNs: number; readonly stallNs: number; readonly share: number }
  /** Normal of this mean and deviation, correlated from gap to gap by `phi` (M§10), never below zero. */
  | { readonly kind: 'ar1'; readonly meanNs: number; readonly deviationNs: number; readonly phi: number };

const EXAMPLES =
  'constant:20ms, exponential:20ms, gamma:20ms:4, lognormal:20ms:0.5, stall:10ms:500ms:0.005 or ar1:20ms:5ms:0.5';

/** Largest shape of a gamma law: each unit is one draw. */
const SHAPE_MAX = 64;

/**
 * Reads a law, e.g. `exponential:20ms`.
 * @throws FleetError 'plan' naming option, text and what is allowed.
 */
export function parseTokenLaw(option: string, text: string): TokenLaw {
  const [kind = '', first = '', second = '', third = '', ...rest] = text.split(':');
  const fail = (why: string): never => {
    throw new FleetError('plan', `${option} "${text}" is not a law of times (${why}); write ${EXAMPLES}`);
  };
  const count = text.split(':').length - 1;
  const number = (part: string, low: number, high: number, what: string): number => {
    const value = Number(part);
    return /^[0-9.]+$/.test(part) && value >= low && value <= high ? value : fail(`${what} is not in ${low}..${high}`);
  };
  if (rest.length > 0) fail('too many parts');
  switch (kind) {
    case 'constant':
      return count === 1 ? { kind, ns: parseDuration(first) } : fail('one duration is needed');
    case 'exponential':
      return count === 1 ? { kind, meanNs: parseDuration(first) } : fail('one duration is needed');
    case 'gamma':
      if (count !== 2 || !/^[0-9]+$/.test(second)) fail('a mean and a whole shape are needed');
      return { kind, meanNs: parseDuration(first), shape: number(second, 1, SHAPE_MAX, 'the shape') };
    case 'lognormal':
      return { kind, meanNs: parseDuration(first), sigma: number(second, 0, 5, 'sigma') };
    case 'stall':
      return {
        kind,
        baseNs: parseDuration(first),
        stallNs: parseDuration(second),
        share: number(third, 0, 1, 'the share'),
      };
    case 'ar1':
      return {
        kind,
        meanNs: parseDuration(first),
        deviationNs: parseDuration(second),
        phi: number(third, 0, 1, 'phi'),
      };
    default:
      return fail('unknown kind');
  }
}

/** What a draw is for: the two never share a word. */
export const DRAW_PURPOSE = { firstToken: 1, gap: 2 } as const;

/** Domain 6 with all trial bits set: a counter no arrival's own draws reach. */
const TOKEN_WORD = 0xffff_ff06;

/** One stream's draws in order: `next` gives the times of one law, the same for the same (seed, words, purpose). */
export class TokenDraws {
  readonly #law: TokenLaw;
  readonly #seed: Seed;
  readonly #keyHigh: number;
  readonly #keyLow: number;
  readonly #words = new Uint32Array(4);
  #index = 0;
  /** Standard normal state of the AR(1) law. */
  #state: number | null = null;

  constructor(law: TokenLaw, seed: Seed, words: RequestWords, purpose: number) {
    this.#law = law;
    this.#seed = seed;
    this.#keyHigh = words[2] as number;
    this.#keyLow = ((words[3] as number) ^ Math.imul(purpose, 0x9e37_79b9)) >>> 0;
  }

  /** The next time, integer ns >= 0. */
  next(): number {
    const law = this.#law;
    switch (law.kind) {
      case 'constant':
        return law.ns;
      case 'exponential':
        return Math.floor(-Math.log(1 - this.#unit()) * law.meanNs);
      case 'gamma': {
        let sum = 0;
        for (let part = 0; part < law.shape; part += 1) sum -= Math.log(1 - this.#unit());
        return Math.floor((sum * law.meanNs) / law.shape);
      }
      case 'lognormal':
        return Math.floor(law.meanNs * Math.exp(law.sigma * this.#normal() - (law.sigma * law.sigma) / 2));
      case 'stall':
        return law.baseNs + (this.#unit() < law.share ? law.stallNs : 0);
      case 'ar1': {
        const fresh = this.#normal();
        this.#state = this.#state === null ? fresh : law.phi * this.#state + Math.sqrt(1 - law.phi * law.phi) * fresh;
        return Math.max(0, Math.floor(law.meanNs + law.deviationNs * this.#state));
      }
      default:
        return assertNever(law);
    }
  }

  #unit(): number {
    philox4x32(this.#index, this.#keyHigh, this.#keyLow, TOKEN_WORD, this.#seed.lo, this.#seed.hi, this.#words);
    this.#index += 1;
    return u53(this.#words[0] as number, this.#words[1] as number);
  }

  /** Box and Muller, one of the pair. */
  #normal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.#unit()));
    return radius * Math.cos(2 * Math.PI * this.#unit());
  }
}
