/**
 * Gamma renewal arrivals ("burstiness" b): gaps Gamma(shape b, scale 1 / (rate * b)), mean 1 / rate, SCV 1 / b; b = 1 is
 * Poisson, small b is bursty, large b nearly even. Not rescaled to end on time (M§1.5). A bursty renewal process cannot be
 * split into independent parts without losing its bursts (M§0 T3), so every worker walks the whole sequence and keeps its
 * lanes' arrivals: that is why the rate has a limit.
 */

import { FleetError } from '../fleet-error.ts';
import { GammaDraws } from '../random/gamma-draw.ts';
import type { Seed } from '../random/seed.ts';
import type { GammaLaw } from './arrival-law.ts';
import type { Arrival, ArrivalStream } from './arrival-stream.ts';

/** Highest rate of the gamma law, per second: about 2 % of a core in every worker. */
export const gammaRatePerSecondMax = 50_000;

/** Burstiness outside this range gives gaps that doubles cannot tell apart, or that never end. */
const burstinessMin = 0.001;
const burstinessMax = 1e9;

/** How far ahead of the next own arrival the walk goes, ns: two windows. */
const aheadNs = 2e9;

/** Gaps (0.3 to 0.4 us each) per piece of work: below 0.1 ms. */
const gapsPerPiece = 200;

/** Own arrivals kept ahead at most. */
const aheadArrivalsMax = 262_144;

/** Walks the instants of a gamma phase, one after the other. */
export class GammaWalk {
  readonly #draws: GammaDraws;
  readonly #gapScale: number;
  readonly #durationNs: number;
  readonly #indexEnd: number;
  #seconds = 0;
  #index = 0;

  /**
   * `trialField` is trial * 256 + phase.
   * @throws FleetError 'plan' for a rate or burstiness out of range.
   */
  constructor(seed: Seed, trialField: number, law: Omit<GammaLaw, 'kind'>, durationNs: number) {
    const { ratePerSecond, burstiness, count = Infinity } = law;
    if (!(ratePerSecond >= 0 && ratePerSecond <= gammaRatePerSecondMax)) {
      throw new FleetError('plan', `gamma arrivals: rate ${ratePerSecond}/s, allowed is 0..${gammaRatePerSecondMax}/s`);
    }
    if (!(burstiness >= burstinessMin && burstiness <= burstinessMax)) {
      throw new FleetError(
        'plan',
        `gamma arrivals: burstiness ${burstiness}, allowed is ${burstinessMin}..${burstinessMax}`,
      );
    }
    this.#draws = new GammaDraws(seed, trialField, burstiness);
    this.#gapScale = ratePerSecond * burstiness;
    this.#durationNs = durationNs;
    this.#indexEnd = count;
  }

  /** Index of the arrival that `nextNs` returns next. */
  get nextIndex(): number {
    return this.#index;
  }

  /** The next instant, integer ns from the phase start; Infinity behind the last one and from the phase's end on. */
  nextNs(): number {
    if (this.#gapScale === 0 || this.#index >= this.#indexEnd) return Infinity;
    const seconds = this.#seconds + this.#draws.draw(this.#index) / this.#gapScale;
    const ns = Math.floor(seconds * 1e9);
    if (!(ns < this.#durationNs)) return Infinity;
    this.#seconds = seconds;
    this.#index++;
    return ns;
  }
}

/** What a gamma stream is made of. */
export interface GammaStreamOptions {
  readonly walk: GammaWalk;
  /** S, a power of two. */
  readonly laneCount: number;
  /** Own lanes. */
  readonly lanes: Int32Array;
  /** Position of the phase in the plan. */
  readonly phase: number;
  /** Phase start in ns from T0. */
  readonly startNs: number;
  /** Arrivals before this instant, in ns from T0, are someone else's. */
  readonly fromNs: number;
}

/** A worker's share of a gamma phase as an `ArrivalStream`, in the order of the index. */
export class GammaStream implements ArrivalStream {
  readonly #walk: GammaWalk;
  readonly #laneCount: number;
  readonly #isOwnLane: Uint8Array;
  readonly #phase: number;
  readonly #startNs: number;
  readonly #ownFromNs: number;
  #ended = false;
  #walkedNs = 0;
  /** Own arrivals ahead, a ring: instants and indices by position modulo its size. */
  readonly #ringNs = new Float64Array(aheadArrivalsMax);
  readonly #ringIndex = new Float64Array(aheadArrivalsMax);
  #taken = 0;
  #kept = 0;

  constructor(options: GammaStreamOptions) {
    this.#walk = options.walk;
    this.#laneCount = options.laneCount;
    this.#isOwnLane = new Uint8Array(options.laneCount);
    for (const lane of options.lanes) this.#isOwnLane[lane] = 1;
    this.#phase = options.phase;
    this.#startNs = options.startNs;
    this.#ownFromNs = options.fromNs - options.startNs;
    this.#ended = options.lanes.length === 0;
  }

  peekNs(): number {
    if (this.#taken === this.#kept && !this.#advance()) return Infinity;
    return this.#startNs + (this.#ringNs[this.#taken % aheadArrivalsMax] as number);
  }

  next(into: Arrival): boolean {
    if (this.#taken === this.#kept && !this.#advance()) return false;
    const slot = this.#taken % aheadArrivalsMax;
    const index = this.#ringIndex[slot] as number;
    into.phase = this.#phase;
    into.intendedNs = this.#startNs + (this.#ringNs[slot] as number);
    into.lane = index % this.#laneCount;
    into.block = 0;
    into.rank = 0;
    into.index = index;
    this.#taken++;
    return true;
  }

  workAhead(): boolean {
    const ahead = this.#kept - this.#taken;
    const isFarAhead =
      ahead > 0 && this.#walkedNs >= (this.#ringNs[this.#taken % aheadArrivalsMax] as number) + aheadNs;
    if (this.#ended || isFarAhead || ahead + gapsPerPiece > aheadArrivalsMax) return false;
    this.#walkPiece();
    return true;
  }

  #advance(): boolean {
    while (this.#taken === this.#kept) {
      if (this.#ended) return false;
      this.#walkPiece();
    }
    return true;
  }

  #walkPiece(): void {
    for (let i = 0; i < gapsPerPiece; i++) {
      const index = this.#walk.nextIndex;
      const ns = this.#walk.nextNs();
      if (ns === Infinity) {
        this.#ended = true;
        return;
      }
      this.#walkedNs = ns;
      if (this.#isOwnLane[index % this.#laneCount] === 1 && ns >= this.#ownFromNs) {
        const slot = this.#kept++ % aheadArrivalsMax;
        this.#ringNs[slot] = ns;
        this.#ringIndex[slot] = index;
      }
    }
  }
}
