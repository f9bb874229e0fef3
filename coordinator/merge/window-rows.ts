/**
 * The time series of a run: one row per phase and window, while the number of rows stays bounded. A run that is longer than
 * `ROWS_MAX` windows gets rows of 2, 4, 8 ... windows; the width follows from the plan, so it is the same for every order of
 * reports. Rows of the newest windows still take many deltas; older ones are compacted.
 */
import { WINDOW_NS } from '../../shared/metrics/window.ts';
import { ScopeTotals } from './scope-totals.ts';

/** Rows that the planned part of a run may have per phase: an hour at one window each. */
export const ROWS_MAX = 3600;

/** Buckets that may wait in a row: a hundred agents' deltas fold once or twice. 640 kB for each series of the newest rows. */
const ROW_PENDING_BUCKETS = 65_536;

/** Rows behind the newest that are still expected to grow. */
const OPEN_ROWS = 4;

/** One row. */
export interface WindowRow {
  readonly phase: number;
  /** Run time of its start, ns from T0. */
  readonly startNs: number;
  readonly totals: ScopeTotals;
}

/** Windows per row for a run of `plannedNs`: the least power of two that keeps it within `ROWS_MAX` rows. */
export function windowsPerRow(plannedNs: number): number {
  let width = 1;
  while (Math.ceil(plannedNs / WINDOW_NS / width) > ROWS_MAX) width *= 2;
  return width;
}

/** The rows of all phases. */
export class WindowRows {
  /** Windows that one row covers. */
  readonly width: number;
  readonly #byPhase: readonly Map<number, ScopeTotals>[];
  #newest = -1;
  #compactedBelow = 0;

  constructor(phaseCount: number, plannedNs: number) {
    this.width = windowsPerRow(plannedNs);
    this.#byPhase = Array.from({ length: phaseCount }, () => new Map<number, ScopeTotals>());
  }

  /** Length of a row in ns. */
  get lengthNs(): number {
    return this.width * WINDOW_NS;
  }

  /** The totals that take what belongs to `phase` and `window`. */
  at(phase: number, window: number): ScopeTotals {
    const row = Math.floor(window / this.width);
    const rows = this.#byPhase[phase] as Map<number, ScopeTotals>;
    let totals = rows.get(row);
    if (totals === undefined) {
      totals = new ScopeTotals(ROW_PENDING_BUCKETS);
      rows.set(row, totals);
    }
    if (row > this.#newest) this.#advanceTo(row);
    return totals;
  }

  /** The totals of `phase` in the row that holds `window`, if anything was counted there. */
  find(phase: number, window: number): ScopeTotals | undefined {
    return this.#byPhase[phase]?.get(Math.floor(window / this.width));
  }

  /** The rows of one phase in order of time; only those that something was counted in. */
  ofPhase(phase: number): readonly WindowRow[] {
    const rows = this.#byPhase[phase] as Map<number, ScopeTotals>;
    return [...rows]
      .sort(([a], [b]) => a - b)
      .map(([row, totals]) => ({ phase, startNs: row * this.lengthNs, totals }));
  }

  #advanceTo(newest: number): void {
    this.#newest = newest;
    const below = newest - OPEN_ROWS;
    if (below <= this.#compactedBelow) return;
    for (const rows of this.#byPhase) {
      for (const [row, totals] of rows) if (row >= this.#compactedBelow && row < below) totals.compact();
    }
    this.#compactedBelow = below;
  }
}
