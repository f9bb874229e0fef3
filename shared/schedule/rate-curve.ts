/**
 * A piecewise-linear rate curve λ(t), its cumulative mass L(t) and the inverse: where in time a given mass lies.
 * The arithmetic is the "exact reading of lanes v1" (M§1.3), operation for operation, in doubles: schedules on different
 * machines agree bit for bit only while the order of operations here stays as it is. Rate shapes: `rate-shapes.ts`.
 */

import { FleetError } from '../fleet-error.ts';
import type { Knot } from './arrival-law.ts';

const nsPerSecond = 1e9;

/** Segments tried one after the other before a binary search pays. */
const walkMax = 8;

/** Highest rate: instants are integer ns, so more than one arrival per ns has no meaning. */
export const ratePerSecondMax = 1e9;

/** Lowest rate above 0: once in 30,000 years. Below, squares of rates come near the smallest double. */
const ratePerSecondMin = 1e-12;

/** A compiled rate curve. Immutable; build it with `compileRateCurve`. */
export class RateCurve {
  /** Number of segments; segment i lies between knots i and i + 1. */
  readonly segmentCount: number;
  /** L(T): the expected number of arrivals of the whole curve. */
  readonly totalMass: number;
  /** T: the last knot, in seconds. */
  readonly endSeconds: number;
  /** Largest intended instant this curve may give, in ns: ceil(T * 1e9) - 1, or less if the phase ends before. */
  readonly lastNs: number;
  /** The last segment with mass of its own (0 if there is none): no mass is ever placed after it. */
  readonly #lastSegment: number;
  readonly #seconds: Float64Array;
  readonly #rates: Float64Array;
  readonly #slopes: Float64Array;
  readonly #masses: Float64Array;

  /** `durationNs` is the phase's length: a curve read in decimal seconds never places an arrival in the next phase. */
  constructor(knots: readonly Knot[], durationNs: number) {
    const count = knots.length - 1;
    this.segmentCount = count;
    this.#seconds = Float64Array.from(knots, (knot) => knot.tSeconds);
    this.#rates = Float64Array.from(knots, (knot) => knot.ratePerSecond);
    this.#slopes = new Float64Array(count);
    this.#masses = new Float64Array(count + 1);
    for (let i = 0; i < count; i++) {
      const h = this.#secondsAt(i + 1) - this.#secondsAt(i);
      const r0 = this.#rateAtKnot(i);
      const r1 = this.#rateAtKnot(i + 1);
      this.#slopes[i] = h === 0 ? 0 : (r1 - r0) / h;
      this.#masses[i + 1] = this.massAtKnot(i) + ((r0 + r1) / 2) * h;
    }
    let last = count - 1;
    while (last > 0 && this.massAtKnot(last) === this.massAtKnot(count)) last--;
    this.#lastSegment = last;
    this.totalMass = this.massAtKnot(count);
    this.endSeconds = this.#secondsAt(count);
    this.lastNs = Math.min(Math.ceil(this.endSeconds * nsPerSecond), durationNs) - 1;
  }

  /** L at knot i, i = 0..segmentCount. */
  massAtKnot(i: number): number {
    return this.#masses[i] as number;
  }

  /** L(t) for t in seconds; 0 before the curve and L(T) after it. */
  massAt(tSeconds: number): number {
    if (!(tSeconds > 0)) return 0;
    if (tSeconds >= this.endSeconds) return this.totalMass;
    let low = 0;
    let high = this.segmentCount - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#secondsAt(middle) <= tSeconds) low = middle;
      else high = middle - 1;
    }
    const x = tSeconds - this.#secondsAt(low);
    return this.massAtKnot(low) + this.#rateAtKnot(low) * x + ((this.#slopes[low] as number) * x * x) / 2;
  }

  /** The segment that holds `mass`: the first whose end lies above it (so never an empty one), else the last that is not empty. */
  segmentOf(mass: number): number {
    let low = 0;
    let high = this.#lastSegment;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (mass < this.massAtKnot(middle + 1)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** The same segment as `segmentOf`, found fast when it is `near` or close behind it. */
  segmentNear(mass: number, near: number): number {
    if (mass < this.massAtKnot(near)) return this.segmentOf(mass);
    const limit = Math.min(this.#lastSegment, near + walkMax);
    let segment = near;
    while (segment < limit && mass >= this.massAtKnot(segment + 1)) segment++;
    return segment === limit && segment < this.#lastSegment ? this.segmentOf(mass) : segment;
  }

  /**
   * The time in seconds at which L reaches `mass`, a mass of `segment`:
   * t = t0 + 2 d / (r0 + sqrt(max(0, r0^2 + 2 s d))), d = mass - L0, s the slope; t0 if d = 0.
   */
  secondsIn(segment: number, mass: number): number {
    const d = mass - this.massAtKnot(segment);
    const t0 = this.#secondsAt(segment);
    if (d === 0) return t0;
    const r0 = this.#rateAtKnot(segment);
    const slope = this.#slopes[segment] as number;
    // The general form gives the same double here: sqrt(r0 * r0) is r0 exactly, and doubling is exact.
    if (slope === 0) return t0 + d / r0;
    return t0 + (2 * d) / (r0 + Math.sqrt(Math.max(0, r0 * r0 + 2 * slope * d)));
  }

  /** The intended instant of `mass`, a mass of `segment`: integer ns from the phase start, below the phase's end. */
  nsIn(segment: number, mass: number): number {
    const ns = Math.floor(this.secondsIn(segment, mass) * nsPerSecond);
    return ns < this.lastNs ? ns : this.lastNs;
  }

  /** The time in seconds at which L reaches `mass`. */
  secondsOf(mass: number): number {
    return this.secondsIn(this.segmentOf(mass), mass);
  }

  /** The intended instant of `mass`: integer ns from the phase start, below the phase's end. */
  nsOf(mass: number): number {
    return this.nsIn(this.segmentOf(mass), mass);
  }

  #secondsAt(i: number): number {
    return this.#seconds[i] as number;
  }

  #rateAtKnot(i: number): number {
    return this.#rates[i] as number;
  }
}

/** Most knots of one curve: what fits a plan of 1 MiB with room to spare. */
export const knotsMax = 16_384;

/** Largest mass of one curve: counters and block numbers stay exact, and nobody sends this many. */
const massMax = 1e15;

/**
 * Compiles knots to a curve for a phase of `durationNs`.
 * @throws FleetError 'plan' unless the knots start at 0, ascend, end within the phase and have rates in range.
 */
export function compileRateCurve(knots: readonly Knot[], durationNs: number): RateCurve {
  if (knots.length < 2 || knots.length > knotsMax) {
    throw new FleetError('plan', `rate curve: ${knots.length} knots, allowed are 2..${knotsMax}`);
  }
  let before = 0;
  for (const [i, { tSeconds, ratePerSecond }] of knots.entries()) {
    if (ratePerSecond !== 0 && !(ratePerSecond >= ratePerSecondMin && ratePerSecond <= ratePerSecondMax)) {
      const allowed = `0 or ${ratePerSecondMin}..${ratePerSecondMax}/s`;
      throw new FleetError('plan', `rate curve: knot ${i} has rate ${ratePerSecond}/s, allowed is ${allowed}`);
    }
    if (!(tSeconds >= before) || !Number.isFinite(tSeconds) || (i === 0 && tSeconds !== 0)) {
      const limit = i === 0 ? 'the first is at 0' : `not before ${before} s`;
      throw new FleetError('plan', `rate curve: knot ${i} at ${tSeconds} s is out of order (${limit})`);
    }
    before = tSeconds;
  }
  // One ns of slack: durations in decimal seconds do not always come back from ns unchanged.
  if (before * nsPerSecond > durationNs + 1) {
    throw new FleetError(
      'plan',
      `rate curve: its last knot at ${before} s lies after the phase's end at ${durationNs / 1e9} s`,
    );
  }
  const curve = new RateCurve(knots, durationNs);
  if (!(curve.totalMass <= massMax)) {
    throw new FleetError('plan', `rate curve: ${curve.totalMass} expected arrivals, the limit is ${massMax}`);
  }
  return curve;
}
