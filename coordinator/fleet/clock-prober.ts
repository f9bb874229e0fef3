/**
 * Probes one agent's clock: a batch of probes when it joins and again every 30 s, one probe on its way at a time, the best of
 * each batch kept (M§8). A running schedule is never re-timed by what a later batch finds; the drift is reported.
 */
import type { LongTimer } from '../../shared/time/long-timer.ts';
import type { Timekeeper } from '../../shared/time/timekeeper.ts';
import { bestOffset, type ClockOffset, type ClockProbe } from './clock-offset.ts';

/** Probes in a batch. The first ones also warm the stream up. */
export const PROBES_PER_BATCH = 20;
/** From the end of a batch to the next one, ns. */
export const REFRESH_INTERVAL_NS = 30_000_000_000;

export class ClockProber {
  readonly #timekeeper: Timekeeper;
  readonly #sendProbe: (id: number) => void;
  readonly #onBatch: () => void;
  #batch: ClockProbe[] = [];
  #pending: { readonly id: number; readonly sent: number } | null = null;
  #lastId = 0;
  #newest: ClockOffset | null = null;
  #refresh: LongTimer | null = null;

  /** `onBatch` is called at the end of every batch. */
  constructor(timekeeper: Timekeeper, sendProbe: (id: number) => void, onBatch: () => void) {
    this.#timekeeper = timekeeper;
    this.#sendProbe = sendProbe;
    this.#onBatch = onBatch;
  }

  /** What the newest batch found, in ns; null before the first one is complete. */
  get clock(): ClockOffset | null {
    return this.#newest;
  }

  /** Begins a batch, also after the link was renewed: answers still on their way are not waited for. */
  start(): void {
    this.stop();
    this.#batch = [];
    this.#probe();
  }

  /** Ends probing until `start`. */
  stop(): void {
    this.#refresh?.cancel();
    this.#refresh = null;
    this.#pending = null;
  }

  /** Takes an answer that arrived at `returned`. One that is not awaited is ignored. */
  answer(id: number, received: number, answered: number, returned: number): void {
    if (this.#pending?.id !== id) return;
    this.#batch.push({ sent: this.#pending.sent, received, answered, returned });
    this.#pending = null;
    if (this.#batch.length < PROBES_PER_BATCH) {
      this.#probe();
      return;
    }
    this.#newest = bestOffset(this.#batch);
    this.#refresh = this.#timekeeper.after(REFRESH_INTERVAL_NS, () => this.start());
    this.#onBatch();
  }

  #probe(): void {
    this.#lastId += 1;
    this.#pending = { id: this.#lastId, sent: this.#timekeeper.nowNs() };
    this.#sendProbe(this.#lastId);
  }
}
