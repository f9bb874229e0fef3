/**
 * The arrival laws a phase can follow, as plain data: what the plan holds, what travels to the agents, and what the
 * schedule is computed from. Rate shapes are already knots here; files are already blobs.
 */

import type { BlobRef } from '../plan/blob-ref.ts';

/**
 * A vertex of a piecewise-linear rate curve: `tSeconds` from the phase start, `ratePerSecond` arrivals per second there.
 * A step is two knots with equal `tSeconds`.
 */
export interface Knot {
  readonly tSeconds: number;
  readonly ratePerSecond: number;
}

/** The law of one phase (design §5). */
export type ArrivalLaw =
  /** Poisson by lanes v1 (M§1.3): every worker computes its own lanes only. */
  | { readonly kind: 'poisson'; readonly knots: readonly Knot[] }
  /** Exactly `count` arrivals, each placed by the rate curve: a Poisson process given its count. Indexed. */
  | { readonly kind: 'poisson-count'; readonly knots: readonly Knot[]; readonly count: number }
  /** Evenly spaced: arrival i where the curve's mass reaches i + 1/2; at a constant rate t = (i + 1/2) / rate. Indexed. */
  | { readonly kind: 'even'; readonly knots: readonly Knot[] }
  /** Recorded instants: `count` float64 little-endian integers, ns from the phase start, ascending. Indexed. */
  | { readonly kind: 'trace'; readonly instants: BlobRef; readonly count: number }
  /** `count` arrivals at the phase start. Indexed. */
  | { readonly kind: 'all-at-once'; readonly count: number }
  | GammaLaw
  | ClosedLaw;

/** Renewal process with Gamma(shape = burstiness, mean 1 / rate) gaps: SCV 1 / burstiness (M§1.5). Indexed. */
export interface GammaLaw {
  readonly kind: 'gamma';
  readonly ratePerSecond: number;
  readonly burstiness: number;
  /** Arrivals at most; absent = as many as the phase has time for. */
  readonly count?: number;
}

/**
 * No arrivals of the schedule: slot c < `concurrency` sends its k-th request (index c + k * concurrency) `thinkNs` after the end of the
 * one before, the first at the phase start. With a `count` only indexes below it are sent. A slot belongs to whoever has the lane of
 * its number (design §5).
 */
export interface ClosedLaw {
  readonly kind: 'closed';
  /** C, 1..S. */
  readonly concurrency: number;
  readonly thinkNs: number;
  readonly count: number | null;
}

/** One phase as the schedule sees it: its place in the run, in integer ns, and its law. */
export interface PhaseSchedule {
  /** Phase start in ns from T0. */
  readonly startNs: number;
  /** Scheduled length in ns; 0 only for all-at-once, and for a closed loop that ends with its count. */
  readonly durationNs: number;
  readonly law: ArrivalLaw;
}

/** How an arrival is named: by (lane, block, rank) or by its place in one global sequence. */
export type IdentityForm = 'lanes' | 'indexed';

/** The identity form of a law's arrivals. */
export function identityOf(law: ArrivalLaw): IdentityForm {
  return law.kind === 'poisson' ? 'lanes' : 'indexed';
}
