/** Pauses of this thread's garbage collector, as the platform reports them: they explain gaps of the loop (M§9.2). */
import { PerformanceObserver } from 'node:perf_hooks';

/** Pauses of a stretch of time, ns. */
export interface GcAccount {
  readonly longestNs: number;
  readonly totalNs: number;
}

const NS_PER_MS = 1e6;

export class GcPauses {
  readonly #observer: PerformanceObserver;
  #longestNs = 0;
  #totalNs = 0;

  /** Begins to observe the thread that it is made on. */
  constructor() {
    this.#observer = new PerformanceObserver((list) => this.#note(list.getEntries()));
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  /** The account since the last call. */
  take(): GcAccount {
    this.#note(this.#observer.takeRecords());
    const account = { longestNs: Math.round(this.#longestNs), totalNs: Math.round(this.#totalNs) };
    this.#longestNs = 0;
    this.#totalNs = 0;
    return account;
  }

  #note(entries: readonly { readonly duration: number }[]): void {
    for (const { duration } of entries) {
      const ns = duration * NS_PER_MS;
      this.#totalNs += ns;
      if (ns > this.#longestNs) this.#longestNs = ns;
    }
  }
}
