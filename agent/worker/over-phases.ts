/**
 * Which phases are over: after its end and the grace nothing more of a phase is sent, so that what one phase asked for beyond the limits
 * of the plan is not sent in the time of the next (R014). The last phase has the drain instead. What was asked for all at once has no
 * end to be late for. Pure: it is told the time.
 */
import type { Phase } from '../../shared/plan/plan.ts';

export class OverPhases {
  /** Places of the phases, and from which run time on each is over, in order. */
  readonly #ends: readonly { readonly phase: number; readonly overNs: number }[];
  #next = 0;

  constructor(phases: readonly Pick<Phase, 'startNs' | 'durationNs'>[], graceNs: number) {
    this.#ends = phases
      .map(({ startNs, durationNs }, phase) => ({ phase, durationNs, overNs: startNs + durationNs + graceNs }))
      .filter(({ phase, durationNs }) => durationNs > 0 && phase < phases.length - 1);
  }

  /** Run time after which the next phase is over, ns; Infinity behind the last. */
  get nextNs(): number {
    return this.#ends[this.#next]?.overNs ?? Infinity;
  }

  /** A phase that is over at `nowNs` and was not told before, by its place; null when there is none. */
  take(nowNs: number): number | null {
    const end = this.#ends[this.#next];
    if (end === undefined || nowNs <= end.overNs) return null;
    this.#next += 1;
    return end.phase;
  }
}
