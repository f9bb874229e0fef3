/**
 * Reads one page of the target's own numbers while a run lasts: before the start, at every phase boundary, at an interval between, and
 * once at the end. A page that cannot be had is counted and told, and never fails a run.
 */

import type { Scrape } from '../../shared/plan/plan.ts';
import type { LongTimer } from '../../shared/time/long-timer.ts';
import type { Timekeeper } from '../../shared/time/timekeeper.ts';
import type { FetchedPage } from './fetch-page.ts';
import { parseMetricPage } from './prometheus-text.ts';
import { ServerBooks } from './server-books.ts';

/** Longest wait for one page, ms. */
const PAGE_TIMEOUT_MS = 5000;
/** Failures that are told apart. */
const REASONS_MAX = 5;

/** What was read of one page's source. */
export interface ServerRecord {
  readonly scrape: Scrape;
  readonly books: ServerBooks;
  readonly pages: number;
  readonly failed: number;
  /** Why pages were missing, each reason once. */
  readonly reasons: readonly string[];
}

export interface ServerScrapeOptions {
  readonly scrape: Scrape;
  /** Start of each phase and the end of the last, ns of run time. */
  readonly phaseStarts: readonly number[];
  readonly planEndNs: number;
  /** T0 on the timekeeper's clock. */
  readonly t0Ns: number;
  readonly timekeeper: Timekeeper;
  readonly fetchPage: (url: string, timeoutMs: number) => Promise<FetchedPage>;
}

/** Reads until it is told to end. */
export class ServerScrape {
  readonly #options: ServerScrapeOptions;
  readonly #books: ServerBooks;
  readonly #reasons = new Set<string>();
  #pages = 0;
  #failed = 0;
  #timer: LongTimer | null = null;
  #reading: Promise<void>;
  #ended = false;

  constructor(options: ServerScrapeOptions) {
    this.#options = options;
    this.#books = new ServerBooks(options.phaseStarts, nameFilter(options.scrape.include));
    this.#reading = this.#read();
    this.#arm();
  }

  /** Ends: waits for the page that is on its way, reads a last one unless `hasty`. Never rejects. */
  async end(hasty: boolean): Promise<ServerRecord> {
    this.#ended = true;
    this.#timer?.cancel();
    await this.#reading;
    if (!hasty) await this.#read();
    const { scrape } = this.#options;
    return { scrape, books: this.#books, pages: this.#pages, failed: this.#failed, reasons: [...this.#reasons] };
  }

  #runTimeNs(): number {
    return this.#options.timekeeper.nowNs() - this.#options.t0Ns;
  }

  /** Waits for the next multiple of the interval or phase boundary, whichever is first. */
  #arm(): void {
    const { timekeeper, scrape, phaseStarts, planEndNs } = this.#options;
    const nowNs = this.#runTimeNs();
    const nextTickNs = (Math.floor(Math.max(-1, nowNs) / scrape.intervalNs) + 1) * scrape.intervalNs;
    const dueNs = Math.min(nextTickNs, ...[...phaseStarts, planEndNs].filter((boundaryNs) => boundaryNs > nowNs));
    this.#timer = timekeeper.after(dueNs - nowNs, () => {
      // A page that is still on its way is waited for: two at once would come in no order.
      void this.#reading.then(() => {
        if (this.#ended) return;
        this.#reading = this.#read();
        this.#arm();
      });
    });
  }

  async #read(): Promise<void> {
    const { fetchPage, scrape } = this.#options;
    const beforeNs = this.#runTimeNs();
    const fetched = await fetchPage(scrape.url, PAGE_TIMEOUT_MS);
    if (fetched.kind === 'failed') {
      this.#failed += 1;
      if (this.#reasons.size < REASONS_MAX) this.#reasons.add(fetched.reason);
      return;
    }
    this.#pages += 1;
    // The server made the page between asking and having it.
    this.#books.take(parseMetricPage(fetched.text), Math.round((beforeNs + this.#runTimeNs()) / 2));
  }
}

/** Names that start with one of `include`, or all without one. */
function nameFilter(include: readonly string[]): (name: string) => boolean {
  return include.length === 0 ? () => true : (name) => include.some((start) => name.startsWith(start));
}
