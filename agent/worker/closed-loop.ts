/**
 * The own slots of a plan's closed loops. A slot sends, waits for the end, thinks, and sends again: so a slow target slows it down,
 * and nothing it measures shows queueing. It promises that requests are the same for whoever has the slot (index c + k * C decides
 * choice, row and content), and that a target which refuses everything is not asked without a pause.
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
  readonly #endNs: number;
  #live = 0;

  constructor(parts: ClosedLoopParts) {
    let endNs = -Infinity;
    for (const [phase, { startNs, durationNs, arrivals }] of parts.plan.phases.entries()) {
      if (arrivals.kind !== 'closed') continue;
      const phaseEndNs = durationNs === 0 ? Infinity : startNs + durationNs;
      const end = (): void => {
        this.#live -= 1;
      };
      for (const slot of parts.lanes) {
        if (slot >= arrivals.concurrency || slot >= (arrivals.count ?? Infinity)) continue;
        endNs = Math.max(endNs, phaseEndNs);
        this.#live += 1;
        parts.queue.push(new ClosedSlot(parts, { phase, startNs, endNs: phaseEndNs, law: arrivals, slot }, end));
      }
    }
    this.#endNs = endNs;
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

interface SlotPlace {
  readonly phase: number;
  readonly startNs: Phase['startNs'];
  readonly endNs: number;
  readonly law: ClosedLaw;
  /** c, 0..C-1. */
  readonly slot: number;
}

class ClosedSlot implements RequestChain {
  readonly turn = 0;
  readonly endNs: number;
  nextNs: number;
  readonly #parts: ClosedLoopParts;
  readonly #phase: number;
  readonly #law: ClosedLaw;
  readonly #onOver: () => void;
  #index: number;
  #pauseNs = 0;

  /** `onOver`: it will issue nothing more. */
  constructor(parts: ClosedLoopParts, { phase, startNs, endNs, law, slot }: SlotPlace, onOver: () => void) {
    this.#parts = parts;
    this.#phase = phase;
    this.#law = law;
    this.#onOver = onOver;
    this.#index = slot;
    this.nextNs = startNs;
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

  #pause(tNs: number): void {
    this.#pauseNs = Math.min(PAUSE_MOST_NS, Math.max(PAUSE_FIRST_NS, 2 * this.#pauseNs));
    this.#parts.onPause(this.#phase, tNs);
  }

  #goOn(fromNs: number): void {
    const { concurrency, thinkNs, count } = this.#law;
    this.#index += concurrency;
    this.nextNs = fromNs + thinkNs + this.#pauseNs;
    if (this.nextNs >= this.endNs || (count !== null && this.#index >= count)) this.#onOver();
    else this.#parts.queue.push(this);
  }
}
