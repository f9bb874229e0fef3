/** All pages that a plan has read while it runs. */

import type { Plan } from '../../shared/plan/plan.ts';
import type { Timekeeper } from '../../shared/time/timekeeper.ts';
import { fetchPage } from './fetch-page.ts';
import { type ServerRecord, ServerScrape } from './server-scrape.ts';

export class ServerScraping {
  readonly #scrapes: readonly ServerScrape[];

  /** Begins to read. `t0Ns` is T0 on the timekeeper's clock. */
  constructor(plan: Pick<Plan, 'scrapes' | 'phases'>, t0Ns: number, timekeeper: Timekeeper) {
    const phaseStarts = plan.phases.map(({ startNs }) => startNs);
    const planEndNs = Math.max(0, ...plan.phases.map(({ startNs, durationNs }) => startNs + durationNs));
    this.#scrapes = plan.scrapes.map(
      (scrape) => new ServerScrape({ scrape, phaseStarts, planEndNs, t0Ns, timekeeper, fetchPage }),
    );
  }

  /** Ends, with a last page of each unless `hasty`. Never rejects. */
  end(hasty: boolean): Promise<readonly ServerRecord[]> {
    return Promise.all(this.#scrapes.map((scrape) => scrape.end(hasty)));
  }
}

/** For a run that has not begun. */
export const NO_SCRAPING: Pick<ServerScraping, 'end'> = { end: () => Promise.resolve([]) };
