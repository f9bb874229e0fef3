/**
 * Whether a batch (arrivals all at once) is still being worked off: some of it has not left, because the limits of the plan let so many go at a
 * time, and it goes forward. The drain begins behind it, as behind the last arrival of any other load: what waits its turn is not late
 * (R059). A target that takes nothing more ends the wait. It counts and is told the time; it ends no request.
 */
import type { Plan } from '../../shared/plan/plan.ts';

/** More than a request needs beyond its connection and its timeout to make room for the next: a pause between two attempts to connect, ns. */
const STEP_RESERVE_NS = 2_000_000_000;

/** A request, as far as this needs to know it. */
interface BatchedRequest {
  readonly phase: number;
  /** Which turn of a session; later ones follow an answer, and are no part of the batch. */
  readonly turn: number;
}

export class BatchProgress {
  readonly #isBatch: readonly boolean[];
  /** Longest time between two sends of a target that takes requests, ns: making a connection may take a timeout, and an answer another. */
  readonly #stepNs: number;
  #unsent = 0;
  #lastStepNs = -Infinity;

  constructor({ phases, limits }: Pick<Plan, 'phases' | 'limits'>) {
    this.#isBatch = phases.map(({ arrivals }) => arrivals.kind === 'all-at-once');
    this.#stepNs = 2 * limits.timeoutNs + STEP_RESERVE_NS;
  }

  /** `request` was accepted at `nowNs`; call it before the request can be sent or end. */
  accepted(request: BatchedRequest, nowNs: number): void {
    if (!this.#isOfBatch(request)) return;
    this.#unsent += 1;
    this.#step(nowNs);
  }

  /** The first byte of `request` left at `sendNs`. */
  sent(request: BatchedRequest, sendNs: number): void {
    if (!this.#isOfBatch(request)) return;
    this.#unsent -= 1;
    this.#step(sendNs);
  }

  /** `request` ended and never left: no step, for the target did not take it. */
  endedUnsent(request: BatchedRequest): void {
    if (this.#isOfBatch(request)) this.#unsent -= 1;
  }

  /** Whether, at `nowNs`, all batches have left, or the rest of them cannot be expected to. */
  isWorkedOff(nowNs: number): boolean {
    return this.#unsent === 0 || nowNs - this.#lastStepNs > this.#stepNs;
  }

  #isOfBatch({ phase, turn }: BatchedRequest): boolean {
    return turn === 0 && this.#isBatch[phase] === true;
  }

  #step(tNs: number): void {
    this.#lastStepNs = Math.max(this.#lastStepNs, tNs);
  }
}
