/**
 * The sums by request name and phase. A plan's only name has the books of its phases: workers do not keep them twice, so they are
 * read from the rows of the windows.
 */
import { ScopeTotals } from './scope-totals.ts';
import type { WindowRows } from './window-rows.ts';

/** One request name of one phase. */
export interface RequestSums {
  readonly phase: number;
  readonly request: string;
  readonly totals: ScopeTotals;
}

/** Buckets that may wait in a request's series: they arrive every 10 s only (design §7). */
const REQUEST_PENDING_BUCKETS = 16_384;

export class RequestTable {
  readonly #onlyName: string | null;
  readonly #phaseCount: number;
  readonly #rows: WindowRows;
  readonly #sums = new Map<string, RequestSums>();

  /** `names`: of the plan's requests. */
  constructor(names: readonly string[], phaseCount: number, rows: WindowRows) {
    const [first, ...others] = names;
    this.#onlyName = first !== undefined && others.length === 0 ? first : null;
    this.#phaseCount = phaseCount;
    this.#rows = rows;
  }

  /** The totals to add to. */
  at(phase: number, request: string): ScopeTotals {
    const key = `${phase}\n${request}`;
    let sums = this.#sums.get(key);
    if (sums === undefined) {
      sums = { phase, request, totals: new ScopeTotals(REQUEST_PENDING_BUCKETS) };
      this.#sums.set(key, sums);
    }
    return sums.totals;
  }

  /** What there is, in order of phase and name. */
  all(): readonly RequestSums[] {
    if (this.#onlyName !== null) return this.#phasesAs(this.#onlyName);
    return [...this.#sums.values()].sort(
      (a, b) => a.phase - b.phase || (a.request < b.request ? -1 : Number(a.request > b.request)),
    );
  }

  #phasesAs(request: string): RequestSums[] {
    return Array.from({ length: this.#phaseCount }).flatMap((_, phase) => {
      const rows = this.#rows.ofPhase(phase);
      const totals = new ScopeTotals(REQUEST_PENDING_BUCKETS);
      for (const row of rows) totals.addTotals(row.totals);
      return rows.length === 0 ? [] : [{ phase, request, totals }];
    });
  }
}
