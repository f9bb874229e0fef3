/**
 * Who may use which counters of the run's one Philox key. The fourth counter word is `domain | trialField << 8`, so two
 * uses with different domains, trials or phases never see the same random words (M§1.3, design §5).
 */

import { assertInvariant } from '../fleet-error.ts';

/** The purposes that draw from the counter generator, and the low byte of the fourth counter word for each. */
export const counterDomain = {
  /** Number of arrivals in a block of a lane: [0, block, lane, 0]. */
  count: 0,
  /** Positions in a block, two per call: [pair, block, lane, 1]. */
  position: 1,
  /** Mass of arrival i of an exact-N phase: [i lo, i hi, 0, 2]. */
  exactCount: 2,
  /** Which named request of the workload an arrival sends. */
  requestChoice: 3,
  /** Which data row an arrival takes. */
  dataRow: 4,
  /** Generated content of a request. */
  content: 5,
  /** Service time at the reference target. */
  targetServiceTime: 6,
  /** Gaps of the gamma renewal law: [i lo, i hi, attempt, 7]. */
  renewalGap: 7,
} as const;

/** Added to a payload domain when the identity is an index instead of (lane, block, rank). */
export const indexedDomainOffset = 128;

/** Largest trial number (16 bits of the trial field). */
export const trialMax = 65_535;

/** Largest position of a phase in the plan (8 bits of the trial field). */
export const phaseIndexMax = 255;

/** The 24-bit field trial * 256 + phase that keeps trials and phases apart in the counters. */
export function trialFieldOf(trial: number, phase: number): number {
  assertInvariant(
    Number.isInteger(trial) && trial >= 0 && trial <= trialMax,
    `trial ${trial} is not an integer in 0..${trialMax}`,
  );
  assertInvariant(
    Number.isInteger(phase) && phase >= 0 && phase <= phaseIndexMax,
    `phase ${phase} is not an integer in 0..${phaseIndexMax}`,
  );
  return trial * 256 + phase;
}

/** The fourth counter word: `domain` in the low byte, the trial field above it. */
export function counterWord(domain: number, trialField: number): number {
  return (domain | (trialField << 8)) >>> 0;
}
