/**
 * The own slots of a plan's closed loops. A slot sends, waits for the end, thinks, and sends again: so a slow target slows it down,
 * and nothing it measures shows queueing. It promises that requests are the same for whoever has the slot (index c + k * C decides
 * choice, row and content), that a target which refuses everything is not asked without a pause, and that a slot has one request open
 * at a time also where one closed loop follows another: it goes on there when its last request of the one before has ended.
 */

import type { OutboundRequest } from '../client/protocol-client.ts';
import type { Outcome } from '../../shared/metrics/outcome.ts';
import type { Phase, Plan } from '../../shared/plan/plan.ts';
import type { ClosedLaw } from '../../shared/schedule/arrival-law.ts';
import type { Arrival } from '../../shared/schedule/arrival-stream.ts';
import type { ChainQueue, EndedRequest, RequestChain } from './request-chain.ts';
import type { RequestRenderer } from './request-renderer.ts';

/** A slot whose request ended before a byte left waits this long; each time in a row twice as long, up to the most. */
const PAUSE_FIRST_NS = 10_000_000;
const PAUSE_MOST_NS = 1_000_000_000;

export interface ClosedLoopParts {
  readonly plan: Plan;
  /** Own lanes: a slot belongs to whoever has the lane of its number. */
  readonly lanes: Int32Array;
  readonly renderer: RequestRenderer;
  readonly queue: ChainQueue;
  /** A slot of `phase` began at `tNs` to wait because its request had not reached the target. */
  readonly onPause: (phase: number, tNs: number) => void;
}

export class ClosedLoop {
  readonly #parts: ClosedLoopParts;
  readonly #endNs: number;
  #live = 0;

  constructor(parts: ClosedLoopParts) {
    this.#parts = parts;
    const loops = loopsOf(parts.plan.phases);
    let endNs = -Infinity;
    for (const slot of parts.lanes) {
      for (const place of placesOf(loops, slot)) {
        endNs = Math.max(endNs, place.endNs);
        this.#live += 1;
        if (!place.follows) this.#begin(place, place.startNs);
      }
    }
    this.#endNs = endNs;
  }

  /** Puts the slot in the queue with its first request of `place` due at `firstNs`, or goes on to the next place where that is too late. */
  #begin(place: SlotPlace, firstNs: number): void {
    const onOver = (nextNs: number): void => {
      this.#live -= 1;
      if (place.next !== null) this.#begin(place.next, Math.max(place.next.startNs, nextNs));
    };
    if (firstNs >= place.endNs) onOver(firstNs);
    else this.#parts.queue.push(new ClosedSlot(this.#parts, place, firstNs, onOver));
  }

  /** Run time at which the last own slot is over by the plan, ns: Infinity = when its count is sent; -Infinity without slots. */
  get endNs(): number {
    return this.#endNs;
  }

  /** Whether a slot may issue a request at `nowNs` or later. */
  isIssuing(nowNs: number): boolean {
    return this.#live > 0 && nowNs < this.#endNs;
  }
}

/** A phase that is a closed loop. */
interface Loop {
  readonly phase: number;
  readonly startNs: number;
  /** Infinity = it ends with its count. */
  readonly endNs: number;
  readonly law: ClosedLaw;
}

/** A slot in one loop. */
interface SlotPlace extends Loop {
  /** c, 0..C-1. */
  readonly slot: number;
  /** The phase before is a closed loop that has this slot, too. */
  readonly follows: boolean;
  /** The same slot in the phase behind this one, if that is a closed loop that has it. */
  readonly next: SlotPlace | null;
}

function loopsOf(phases: readonly Phase[]): Loop[] {
  return phases.flatMap(({ startNs, durationNs, arrivals }, phase) =>
    arrivals.kind === 'closed'
      ? [{ phase, startNs, endNs: durationNs === 0 ? Infinity : startNs + durationNs, law: arrivals }]
      : [],
  );
}

/** The places of `slot`, the last one first. */
function placesOf(loops: readonly Loop[], slot: number): SlotPlace[] {
  const places: SlotPlace[] = [];
  for (let index = loops.length - 1; index >= 0; index -= 1) {
    const loop = loops[index] as Loop;
    if (!hasSlot(loop, slot)) continue;
    const before = loops[index - 1];
    const follows = before?.phase === loop.phase - 1 && hasSlot(before, slot);
    const behind = places.at(-1) ?? null;
    places.push({ ...loop, slot, follows, next: behind?.phase === loop.phase + 1 ? behind : null });
  }
  return places;
}

function hasSlot({ law }: Loop, slot: number): boolean {
  return slot < law.concurrency && slot < (law.count ?? Infinity);
}

class ClosedSlot implements RequestChain {
  readonly turn = 0;
  readonly endNs: number;
  nextNs: number;
  readonly #parts: ClosedLoopParts;
  readonly #phase: number;
  readonly #law: ClosedLaw;
  readonly #onOver: (nextNs: number) => void;
  #index: number;
  #pauseNs = 0;

  /** `onOver`: it will issue nothing more of this phase; its next request would have been due at `nextNs`. */
  constructor(
    parts: ClosedLoopParts,
    { phase, endNs, law, slot }: SlotPlace,
    firstNs: number,
    onOver: (nextNs: number) => void,
  ) {
    this.#parts = parts;
    this.#phase = phase;
    this.#law = law;
    this.#onOver = onOver;
    this.#index = slot;
    this.nextNs = firstNs;
    this.endNs = endNs;
  }

  get order(): number {
    return this.#index;
  }

  writeNext(into: Arrival): void {
    into.phase = this.#phase;
    into.intendedNs = this.nextNs;
    into.lane = 0;
    into.block = 0;
    into.rank = 0;
    into.index = this.#index;
  }

  choose(next: Arrival): number {
    return this.#parts.renderer.choose(next);
  }

  render(next: Arrival, template: number): OutboundRequest {
    return this.#parts.renderer.render(next, template);
  }

  ended(request: EndedRequest, outcome: Outcome): void {
    const { endNs } = request;
    if (outcome.kind === 'ok' || request.wasSent) this.#pauseNs = 0;
    else this.#pause(endNs);
    this.#goOn(endNs);
  }

  dropped(nowNs: number): void {
    this.#pause(nowNs);
    this.#goOn(nowNs);
  }

  cutOff(): void {
    this.#onOver(this.nextNs);
  }

  #pause(tNs: number): void {
    this.#pauseNs = Math.min(PAUSE_MOST_NS, Math.max(PAUSE_FIRST_NS, 2 * this.#pauseNs));
    this.#parts.onPause(this.#phase, tNs);
  }

  #goOn(fromNs: number): void {
    const { concurrency, thinkNs, count } = this.#law;
    this.#index += concurrency;
    this.nextNs = fromNs + thinkNs + this.#pauseNs;
    if (this.nextNs >= this.endNs || (count !== null && this.#index >= count)) this.#onOver(this.nextNs);
    else this.#parts.queue.push(this);
  }
}
