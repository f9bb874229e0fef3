/**
 * The identity that a request carries in its `loadfleet-id` header (design §5), read back at the target.
 * It keys every random choice the target makes, so that what a request met does not depend on who sent it or when.
 */

import { phaseIndexMax, trialMax } from '../shared/random/counter-domain.ts';

/** The header of an answer that tells the true service time in integer ns. */
export const SERVICE_HEADER = 'loadfleet-service-ns';

/** Who a request is: an arrival of the lanes law or of an indexed law. */
export type RequestIdentity =
  | {
      readonly kind: 'lanes';
      readonly trial: number;
      readonly phase: number;
      readonly lane: number;
      readonly block: number;
      readonly rank: number;
    }
  | { readonly kind: 'indexed'; readonly trial: number; readonly phase: number; readonly index: number };

const WORD_MAX = 0xffff_ffff;

/**
 * Reads `trial.phase.lane.block.rank` or `trial.phase.index`, plain decimal integers.
 * @returns null for anything else, also for numbers out of range: such a request is served, but as one without identity.
 */
export function parseRequestIdentity(text: string): RequestIdentity | null {
  if (!/^(?:0|[1-9][0-9]{0,15})(?:\.(?:0|[1-9][0-9]{0,15})){2,4}$/.test(text)) return null;
  const [trial = 0, phase = 0, third = 0, block, rank] = text.split('.').map(Number);
  if (trial > trialMax || phase > phaseIndexMax) return null;
  if (block === undefined) {
    return third <= Number.MAX_SAFE_INTEGER ? { kind: 'indexed', trial, phase, index: third } : null;
  }
  if (rank === undefined || third > WORD_MAX || block > WORD_MAX || rank > WORD_MAX) return null;
  return { kind: 'lanes', trial, phase, lane: third, block, rank };
}

/** The identity under which a request without one is drawn: its place among all requests, 0-based, as an index of trial 0, phase 0. */
export function identityByNumber(requestNumber: number): RequestIdentity {
  return { kind: 'indexed', trial: 0, phase: 0, index: requestNumber };
}
