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
import { planEndNs } from '../../shared/plan/release-end.ts';
import { type Arrival, type ArrivalStream, createArrival } from '../../shared/schedule/arrival-stream.ts';
import type { DropReason } from '../../shared/metrics/outcome.ts';
import type { Clock } from '../../shared/time/monotonic-clock.ts';
import type { InFlight } from './in-flight.ts';
import type { LeaseGate, Permission } from './lease-gate.ts';
import type { Recorder } from './recorder.ts';
import type { ChainQueue, RequestChain } from './request-chain.ts';
import type { RequestRenderer } from './request-renderer.ts';
import type { Sessions } from './sessions.ts';

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
  /** Requests that follow others. */
  readonly chains: ChainQueue;
  /** Begins sessions of several turns; null in a plan without. */
  readonly sessions: Sessions | null;
}

export class Dispatcher {
  readonly #parts: DispatcherParts;
  readonly #planEndNs: number;
  /** Arrivals that may wait above `maxInFlight`, by phase. */
  readonly #queueRooms: readonly number[];
  readonly #arrival: Arrival = createArrival();
  #permission: Permission = 'granted';
  #lastDecidedNs: number | null = null;
  /** A release is under way: what ends inside its own send releases nothing, so that arrivals are decided in order. */
  #isReleasing = false;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    this.#planEndNs = planEndNs(parts.plan);
    this.#queueRooms = queueRoomsOf(parts.plan);
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

  /** Releases what is due, for at most one slice of time. */
  releaseDue(): void {
    this.#permission = 'granted';
    this.#isReleasing = true;
    if (this.#releaseScheduled(RELEASE_SLICE_NS)) this.#releaseChained();
    this.#isReleasing = false;
  }

  /** Releases what follows on others and is due: all that is left once the schedule is through. */
  releaseFollowing(): void {
    this.#permission = 'granted';
    this.#isReleasing = true;
    this.#releaseChained();
    this.#isReleasing = false;
  }

  /**
   * Releases one arrival of the schedule, if one is due: what comes next waits for one send at most. What follows on others waits for
   * the turn: a closed loop's sends cost a quarter less when they leave together.
   */
  releaseOne(): void {
    if (this.#isReleasing) return;
    this.#isReleasing = true;
    this.#permission = 'granted';
    this.#releaseScheduled(0);
    this.#isReleasing = false;
  }

  /** False when a due arrival is held back. */
  #releaseScheduled(sliceNs: number): boolean {
    const { clock, gate, stream } = this.#parts;
    let sliceEndNs = Infinity;
    for (;;) {
      const nowNs = clock.nowNs();
      if (stream.peekNs() > nowNs) return true;
      this.#permission = gate.permission(nowNs);
      if (this.#permission !== 'granted') return false;
      if (sliceEndNs === Infinity) sliceEndNs = nowNs + sliceNs;
      stream.next(this.#arrival);
      this.#decide(this.#arrival, nowNs);
      if (nowNs >= sliceEndNs) return true;
    }
  }

  #releaseChained(): void {
    const { clock, gate, chains } = this.#parts;
    let sliceEndNs = Infinity;
    while (chains.length > 0) {
      const nowNs = clock.nowNs();
      if (chains.peekNs() > nowNs) return;
      this.#permission = gate.permission(nowNs);
      if (this.#permission !== 'granted') return;
      if (sliceEndNs === Infinity) sliceEndNs = nowNs + RELEASE_SLICE_NS;
      const chain = chains.take() as RequestChain;
      // Due before the end of its loop, but the worker is late: what a closed loop asks lies inside its phase.
      if (nowNs >= chain.endNs) chain.cutOff();
      else this.#issue(chain, nowNs);
      if (nowNs >= sliceEndNs) return;
    }
  }

  /** No further releases. Counts as cancelled what shares its instant with a decided arrival, and gives up the queue. */
  stop(nowNs: number): void {
    const { stream, renderer, recorder, inFlight, chains } = this.#parts;
    chains.close();
    while (!this.settled) {
      stream.next(this.#arrival);
      recorder.cancelled(this.#arrival.phase, renderer.choose(this.#arrival), this.#arrival.intendedNs);
    }
    inFlight.giveUpQueued(nowNs);
  }

  #decide(arrival: Arrival, nowNs: number): void {
    const { renderer, inFlight } = this.#parts;
    this.#lastDecidedNs = arrival.intendedNs;
    const template = renderer.choose(arrival);
    const { arrivals, startNs, durationNs } = this.#parts.plan.phases[arrival.phase] as Phase;
    // What was asked for all at once has no end to be late for, however long it takes to make and send it.
    const endNs = arrivals.kind === 'all-at-once' ? Infinity : startNs + durationNs;
    const reason = this.#dropReason(arrival, nowNs, endNs);
    if (reason !== null) {
      this.#drop(arrival, template, reason, 0);
      return;
    }
    const outbound = renderer.render(arrival, template);
    const session = this.#parts.sessions?.begin(arrival, template, outbound, null, nowNs) ?? null;
    inFlight.accept(arrival, template, nowNs, outbound, session);
  }

  /** Issues the next request of `chain`: counted as scheduled now, and decided. */
  #issue(chain: RequestChain, nowNs: number): void {
    const { recorder, inFlight, sessions } = this.#parts;
    const next = this.#arrival;
    chain.writeNext(next);
    const { phase, intendedNs } = next;
    const template = chain.choose(next);
    const { turn } = chain;
    recorder.issued(phase, template, intendedNs, turn);
    const reason = this.#dropReason(next, nowNs, Infinity);
    if (reason === null) {
      const outbound = chain.render(next, template);
      const session = turn > 0 ? null : (sessions?.begin(next, template, outbound, chain, nowNs) ?? null);
      inFlight.accept(next, template, nowNs, outbound, session ?? chain);
      return;
    }
    this.#drop(next, template, reason, turn);
    chain.dropped(nowNs);
  }

  #drop({ phase, intendedNs }: Arrival, template: number, reason: DropReason, turn: number): void {
    const { recorder, inFlight } = this.#parts;
    recorder.dropped(phase, template, intendedNs, reason, turn);
    const isAtCap = reason === 'max-in-flight' || reason === 'queue-full';
    if (isAtCap && inFlight.isFullOfDecoding) recorder.countMany(phase, intendedNs, 'held-by-decoding', 1);
  }

  /** Why the arrival, of what ends at `endNs`, cannot be attempted at `nowNs`, or null. */
  #dropReason(arrival: Arrival, nowNs: number, endNs: number): DropReason | null {
    const { plan, inFlight } = this.#parts;
    const { late, maxInFlight, phaseGraceNs } = plan.limits;
    if (nowNs > endNs + phaseGraceNs) return 'phase-end';
    if (late.kind === 'drop-after' && nowNs - arrival.intendedNs > late.lateNs) return 'late';
    if (inFlight.openCount < maxInFlight && inFlight.queuedCount === 0) return null;
    const room = this.#queueRooms[arrival.phase] ?? 0;
    if (room === 0) return 'max-in-flight';
    return inFlight.queuedCount < room ? null : 'queue-full';
  }
}

/** Unless the plan says how many may wait: a batch waits for its turn as a whole, and no other phase of the plan does because of it. */
function queueRoomsOf({ phases, limits }: Plan): number[] {
  return phases.map(({ arrivals }) => limits.maxQueue ?? (arrivals.kind === 'all-at-once' ? Infinity : 0));
}
