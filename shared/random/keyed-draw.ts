/**
 * Random words for the payload of one arrival, keyed by the arrival's identity: who sends it, when and in which order of
 * draws does not matter, so a re-dealt arrival carries the same request (M§1.3, R008). Not for the instants themselves.
 */

import { counterWord, indexedDomainOffset } from './counter-domain.ts';
import { philox4x32 } from './philox.ts';
import type { Seed } from './seed.ts';

/** Identity of an arrival of the lanes law inside its trial and phase. */
export interface LaneIdentity {
  readonly lane: number;
  readonly block: number;
  readonly rank: number;
}

/**
 * Four words for an arrival of the lanes law: counter [rank, block, lane, domain | trialField << 8].
 * `domain` is one of `counterDomain` (3..127); `trialField` comes from `trialFieldOf`.
 */
export function drawForLane(
  seed: Seed,
  trialField: number,
  identity: LaneIdentity,
  domain: number,
  into: Uint32Array,
): void {
  philox4x32(identity.rank, identity.block, identity.lane, counterWord(domain, trialField), seed.lo, seed.hi, into);
}

/**
 * Four words for arrival `index` (0-based, below 2^53) of an indexed law: counter
 * [index lo, index hi, 0, (128 + domain) | trialField << 8]. `domain` is the same number as for lanes.
 */
export function drawForIndex(seed: Seed, trialField: number, index: number, domain: number, into: Uint32Array): void {
  const word = counterWord(domain + indexedDomainOffset, trialField);
  philox4x32(index, Math.floor(index / 4_294_967_296), 0, word, seed.lo, seed.hi, into);
}
