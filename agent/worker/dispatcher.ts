/**
 * Releases due arrivals, and decides what becomes of each: attempted or dropped (design §6). It promises:
 * - nothing early: the clock is read once per arrival and that reading decides "due?" and is the record's `released` (P2, R012);
 * - nothing late moves a later arrival: instants are absolute (R001), and a wake-up releases everything that is due;
 * - no release without permission: stop flag and lease are asked before every one (`lease-gate.ts`).
 *
 * Decided and not decided, so that the books are exact (design §8): all own arrivals intended before `decidedThroughNs` are counted
 * here as `decided` = attempted + dropped + cancelled; none at or after it is. Arrivals of one instant are never on both sides when
 * `settled` is true, and only then may a hand-over happen. After `stop` the number stays where it is: own arrivals in
 * [decidedThroughNs, end of plan) are cancelled and counted by the coordinator, from the schedule. The one thing counted as
 * `cancelled` here: arrivals of the very instant at which the stop fell between two of them. An arrival in the queue above
 * `maxInFlight` is attempted; if it is not sent when the run stops it ends `unfinished`, not cancelled.
 */

import type { Phase, Plan } from '../../shared/plan/plan.ts';
import { type Arrival, type ArrivalStream, createArrival } from '../../shared/schedule/arrival-stream.ts';
import type { DropReason } from '../../shared/metrics/outcome.ts';
import type { Clock } from '../../shared/time/monotonic-clock.ts';
import type { InFlight } from './in-flight.ts';
import type { LeaseGate, Permission } from './lease-gate.ts';
import type { Recorder } from './recorder.ts';
import type { RequestRenderer } from './request-renderer.ts';

/** Longest stretch of releases before the loop sees its sockets again, ns: under overload answers still get their turn. */
const RELEASE_SLICE_NS = 500_000;

export interface DispatcherParts {
  readonly plan: Plan;
  readonly clock: Clock;
  readonly gate: LeaseGate;
  readonly stream: ArrivalStream;
  readonly renderer: RequestRenderer;
  readonly inFlight: InFlight;
  readonly recorder: Recorder;
}

export class Dispatcher {
  readonly #parts: DispatcherParts;
  readonly #planEndNs: number;
  readonly #arrival: Arrival = createArrival();
  #permission: Permission = 'granted';
  #lastDecidedNs: number | null = null;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    this.#planEndNs = planEndNs(parts.plan);
  }

  /** Intended instant of the next own arrival, Infinity when all are decided. */
  nextArrivalNs(): number {
    return this.#parts.stream.peekNs();
  }

  /** True when every own arrival has been decided. */
  get exhausted(): boolean {
    return this.#parts.stream.peekNs() === Infinity;
  }

  /** True while a due arrival is held back by the stop flag or a lapsed lease: nobody but the main thread can change that. */
  get held(): boolean {
    return this.#permission !== 'granted';
  }

  /** True when no undecided arrival shares its instant with a decided one. */
  get settled(): boolean {
    return this.#lastDecidedNs === null || this.#parts.stream.peekNs() > this.#lastDecidedNs;
  }

  /** Every own arrival intended before this is decided and none at or after it (valid when `settled`). */
  decidedThroughNs(): number {
    const nextNs = this.#parts.stream.peekNs();
    return nextNs === Infinity ? this.#planEndNs + 1 : nextNs;
  }

  /** Releases what is due, for at most one slice of time from `turnNs`. */
  releaseDue(turnNs: number): void {
    const { clock, gate, stream } = this.#parts;
    const sliceEndNs = turnNs + RELEASE_SLICE_NS;
    this.#permission = 'granted';
    for (;;) {
      const nowNs = clock.nowNs();
      if (stream.peekNs() > nowNs) return;
      this.#permission = gate.permission(nowNs);
      if (this.#permission !== 'granted') return;
      stream.next(this.#arrival);
      this.#decide(this.#arrival, nowNs);
      if (nowNs >= sliceEndNs) return;
    }
  }

  /** No further releases. Counts as cancelled what shares its instant with a decided arrival, and gives up the queue. */
  stop(nowNs: number): void {
    const { stream, renderer, recorder, inFlight } = this.#parts;
    while (!this.settled) {
      stream.next(this.#arrival);
      recorder.cancelled(this.#arrival.phase, renderer.choose(this.#arrival), this.#arrival.intendedNs);
    }
    inFlight.giveUpQueued(nowNs);
  }

  #decide(arrival: Arrival, nowNs: number): void {
    const { renderer, recorder, inFlight } = this.#parts;
    this.#lastDecidedNs = arrival.intendedNs;
    const template = renderer.choose(arrival);
    const reason = this.#dropReason(arrival, nowNs);
    if (reason !== null) {
      recorder.dropped(arrival.phase, template, arrival.intendedNs, reason);
      return;
    }
    inFlight.accept(arrival.phase, template, arrival.intendedNs, nowNs, renderer.render(arrival, template));
  }

  /** Why the arrival cannot be attempted at `nowNs`, or null. */
  #dropReason(arrival: Arrival, nowNs: number): DropReason | null {
    const { plan, inFlight } = this.#parts;
    const { late, maxInFlight, maxQueue, phaseGraceNs } = plan.limits;
    const phase = plan.phases[arrival.phase] as Phase;
    if (nowNs > phase.startNs + phase.durationNs + phaseGraceNs) return 'phase-end';
    if (late.kind === 'drop-after' && nowNs - arrival.intendedNs > late.lateNs) return 'late';
    if (inFlight.openCount < maxInFlight && inFlight.queuedCount === 0) return null;
    if (maxQueue === 0) return 'max-in-flight';
    return inFlight.queuedCount < maxQueue ? null : 'queue-full';
  }
}

/** Run time at which the last phase ends, ns. */
export function planEndNs(plan: Plan): number {
  return Math.max(...plan.phases.map((phase) => phase.startNs + phase.durationNs));
}
