/**
 * Gunther's universal scalability law: throughput against the number of loads, with contention and coherence (M§6.2).
 * A description of measured points; extrapolation past the measured knee is not evidence.
 */

import { assertInvariant } from '../fleet-error.ts';

/** The law's parameters. */
export interface ScalabilityLaw {
  /** Throughput of one load, per second. */
  readonly ratePerSecond: number;
  /** Contention s, 0..1: the share that cannot run side by side. */
  readonly contention: number;
  /** Coherence k, >= 0: the cost of each pair agreeing. */
  readonly coherence: number;
}

/** X(N) = g N / (1 + s (N - 1) + k N (N - 1)). */
export function throughputAt(law: ScalabilityLaw, loads: number): number {
  const contended = law.contention * (loads - 1);
  const agreed = law.coherence * loads * (loads - 1);
  return (law.ratePerSecond * loads) / (1 + contended + agreed);
}

/** The load with the highest throughput: N* = sqrt((1 - s) / k). Without coherence cost there is none. */
export function bestLoad(law: ScalabilityLaw): number | null {
  assertInvariant(law.coherence >= 0, `coherence is ${law.coherence}, the least is 0`);
  return law.coherence === 0 ? null : Math.sqrt((1 - law.contention) / law.coherence);
}
