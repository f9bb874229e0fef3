/**
 * Evenly spaced arrivals: arrival i lies where the curve's mass reaches i + 1/2. At a constant rate that is
 * (i + 1/2) / rate, in closed form; under a ramp or a sine the spacing follows the rate. The half keeps two phases, or two
 * runs, from both firing at their very first instant, and makes the count the mass rounded to the nearest integer.
 */

import type { IndexedInstants } from './indexed-instants.ts';
import type { RateCurve } from './rate-curve.ts';

/** The evenly spaced instants of a curve: as many as there are i with i + 1/2 < L(T). */
export function evenInstants(curve: RateCurve): IndexedInstants {
  return {
    count: Math.max(0, Math.ceil(curve.totalMass - 0.5)),
    nsOf: (index) => curve.nsOf(index + 0.5),
  };
}
