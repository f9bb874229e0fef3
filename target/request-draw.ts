/**
 * The random choices of the reference target for one request, all keyed by (seed, identity) in counter domain 6 (design §5):
 * the service time is the one whose law tests pin; body length and fault shares come from the same words by a second step.
 * Pure: the same identity gives the same draw in any order and on any target with the same seed.
 */

import { counterDomain, counterWord, trialFieldOf } from '../shared/random/counter-domain.ts';
import { drawForIndex, drawForLane } from '../shared/random/keyed-draw.ts';
import { philox4x32 } from '../shared/random/philox.ts';
import { type Seed, seedFromBigInt } from '../shared/random/seed.ts';
import { u53 } from '../shared/random/u53.ts';
import type { RequestIdentity } from './request-identity.ts';
import { type ServiceLaw, serviceNsOf } from './service-law.ts';

/** The four counter words of a request; [0] and [1] make its service time, [2] and [3] key everything else. */
export type RequestWords = Uint32Array;

/** The fourth counter word of the second step: domain 6 of the last phase of the last trial, which no arrival reaches. */
const SECOND_STEP_WORD = counterWord(counterDomain.targetServiceTime, 0xff_ffff);

/** Draws the words of a request into `into` (length 4). */
export function drawRequestWords(seed: Seed, identity: RequestIdentity, into: RequestWords): void {
  const trialField = trialFieldOf(identity.trial, identity.phase);
  if (identity.kind === 'lanes') drawForLane(seed, trialField, identity, counterDomain.targetServiceTime, into);
  else drawForIndex(seed, trialField, identity.index, counterDomain.targetServiceTime, into);
}

/** The uniform draw on [0, 1) that makes a request's service time. */
export function serviceUnit(words: RequestWords): number {
  return u53(words[0] as number, words[1] as number);
}

/** The purpose (see furtherUnit) that makes a request's body length. */
export const BODY_PURPOSE = 0;

const scratch = new Uint32Array(4);

/**
 * A further uniform draw on [0, 1) of the same request, independent of the others.
 * @param purpose an integer in 0..2^32-1 that names the use; equal purposes give equal draws.
 */
export function furtherUnit(seed: Seed, words: RequestWords, purpose: number): number {
  philox4x32(words[2] as number, words[3] as number, purpose, SECOND_STEP_WORD, seed.lo, seed.hi, scratch);
  return u53(scratch[0] as number, scratch[1] as number);
}

/**
 * The true service time in ns that a target with this seed and law gives to a request.
 * For tests of theory: with the planned instants it fixes what every request of a run must see.
 */
export function serviceTimeNs(seed: bigint, identity: RequestIdentity, law: ServiceLaw): number {
  const words = new Uint32Array(4);
  drawRequestWords(seedFromBigInt(seed), identity, words);
  return serviceNsOf(law, serviceUnit(words));
}
