/**
 * Which of the plan's named requests an arrival sends: one keyed draw over the weights (design §5), the same for whoever sends it.
 * With one request nothing is drawn.
 */

import { trialFieldOf, counterDomain } from '../../shared/random/counter-domain.ts';
import { drawForIndex, drawForLane } from '../../shared/random/keyed-draw.ts';
import type { Seed } from '../../shared/random/seed.ts';
import { u53 } from '../../shared/random/u53.ts';
import { identityOf, type IdentityForm } from '../../shared/schedule/arrival-law.ts';
import type { Arrival } from '../../shared/schedule/arrival-stream.ts';
import type { Phase } from '../../shared/plan/plan.ts';

/** Draws payload words for arrivals of one trial. */
export class ArrivalDraw {
  readonly #seed: Seed;
  readonly #trialFields: readonly number[];
  readonly #forms: readonly IdentityForm[];
  readonly #words = new Uint32Array(4);

  constructor(seed: Seed, trial: number, phases: readonly Phase[]) {
    this.#seed = seed;
    this.#trialFields = phases.map((_phase, index) => trialFieldOf(trial, index));
    this.#forms = phases.map((phase) => identityOf(phase.arrivals));
  }

  /** A double on [0, 1) for `arrival` and the purpose `domain` (one of `counterDomain`). */
  unit(arrival: Arrival, domain: number): number {
    const trialField = this.#trialFields[arrival.phase] as number;
    const words = this.#words;
    if (this.#forms[arrival.phase] === 'lanes') drawForLane(this.#seed, trialField, arrival, domain, words);
    else drawForIndex(this.#seed, trialField, arrival.index, domain, words);
    return u53(words[0] as number, words[1] as number);
  }

  /** Whether the arrivals of `phase` are named by lane, block and rank, or by one index. */
  formOf(phase: number): IdentityForm {
    return this.#forms[phase] as IdentityForm;
  }
}

export class RequestChoice {
  readonly #draw: ArrivalDraw;
  /** Running sums of the weights over their total; the last is 1. */
  readonly #bounds: Float64Array;

  /** `weights`: each > 0, in the order of `Plan.requests`. */
  constructor(weights: readonly number[], draw: ArrivalDraw) {
    this.#draw = draw;
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    let sum = 0;
    this.#bounds = Float64Array.from(weights, (weight) => (sum += weight) / total);
    this.#bounds[weights.length - 1] = 1;
  }

  /** Position of the request that `arrival` sends: the least k with u < (w_0 + ... + w_k) / (sum of w). */
  choose(arrival: Arrival): number {
    const bounds = this.#bounds;
    if (bounds.length === 1) return 0;
    const u = this.#draw.unit(arrival, counterDomain.requestChoice);
    let low = 0;
    let high = bounds.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (u < (bounds[middle] as number)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
