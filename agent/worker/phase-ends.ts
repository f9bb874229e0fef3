/**
 * When the requests of each counted closed loop last ended, so that how fast its work got done is told over the time that it took. It
 * keeps one number per phase and tells those that are new; of other phases it tells nothing.
 */

import { type GaugeName, lastEndGauge } from '../../shared/metrics/gauges.ts';
import type { Phase } from '../../shared/plan/plan.ts';

/** What is told of one phase. */
interface PhaseEnd {
  readonly name: GaugeName;
  /** Run time, ns. */
  readonly value: number;
}

export class PhaseEnds {
  /** Run time of the last end by phase, ns; -Infinity before the first. */
  readonly #endsNs: Float64Array;
  readonly #toldNs: Float64Array;
  /** Indices of the phases that end with a count. */
  readonly #counted: readonly number[];

  constructor(phases: readonly Pick<Phase, 'arrivals'>[]) {
    this.#endsNs = new Float64Array(phases.length).fill(-Infinity);
    this.#toldNs = this.#endsNs.slice();
    this.#counted = [...phases.keys()].filter((phase) => {
      const arrivals = phases[phase]?.arrivals;
      return arrivals?.kind === 'closed' && arrivals.count !== null;
    });
  }

  /** A request of `phase` ended at run time `endNs`. */
  note(phase: number, endNs: number): void {
    if (endNs > (this.#endsNs[phase] as number)) this.#endsNs[phase] = endNs;
  }

  /** What is new since the last call, or with `all` whatever is known: the last word must not depend on earlier ones. */
  take(all: boolean): readonly PhaseEnd[] {
    const told: PhaseEnd[] = [];
    for (const phase of this.#counted) {
      const endNs = this.#endsNs[phase] as number;
      if (endNs === -Infinity || (!all && endNs === this.#toldNs[phase])) continue;
      this.#toldNs[phase] = endNs;
      told.push({ name: lastEndGauge(phase), value: endNs });
    }
    return told;
  }
}
