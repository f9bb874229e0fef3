/**
 * Planned against sent, stretch by stretch of run time and phase: the worst worker of each, so that a reader can see in which
 * windows the fleet kept to its plan. Extremes only, so every order of reports gives the same. It judges nothing.
 */
import type { SlotFidelity } from '../../shared/metrics/fidelity.ts';
import { type FanoDeviation, fanoDeviation } from './fano-deviation.ts';

/** The backlog B(t) = planned - sent - settled without a send, read every 100 ms. */
export interface BacklogSums {
  /** Edges at which it was read. */
  edges: number;
  /** Edges at which it was above 1 % of the window's plan. */
  edgesAbove: number;
  /** Largest, arrivals. */
  max: number;
}

/** One stretch of one phase. */
export interface StretchPace {
  /** Of the worker and window with the largest deviation, in bins of 1 ms and 10 ms; null where it has no meaning. */
  fine: FanoDeviation | null;
  coarse: FanoDeviation | null;
  /** Most arrivals that a worker was behind at an edge; null when none was read. */
  backlogMax: number | null;
  /** Largest share of a worker's edges in a window at which it was behind; null when none was read. */
  behindShare: number | null;
}

/** Stretches that are kept: 256 phases and an hour of windows. */
const STRETCHES_MAX = 8192;

/** The stretches of a run. */
export class StretchPaces {
  readonly #windowsPerRow: number;
  readonly #byPlace = new Map<string, StretchPace>();

  /** `windowsPerRow`: windows that one stretch covers. */
  constructor(windowsPerRow: number) {
    this.#windowsPerRow = windowsPerRow;
  }

  /** Adds the bins of one window of one worker. */
  addBins({ window, phases }: SlotFidelity): void {
    for (const { phase, fine, coarse } of phases) {
      const pace = this.#at(phase, window);
      if (pace === null) continue;
      pace.fine = worse(pace.fine, fanoDeviation(fine));
      pace.coarse = worse(pace.coarse, fanoDeviation(coarse));
    }
  }

  /** Adds the edges of one window of one worker in one phase. */
  addEdges(phase: number, window: number, edges: BacklogSums): void {
    const pace = this.#at(phase, window);
    if (pace === null || edges.edges === 0) return;
    pace.backlogMax = Math.max(pace.backlogMax ?? 0, edges.max);
    pace.behindShare = Math.max(pace.behindShare ?? 0, edges.edgesAbove / edges.edges);
  }

  /** The stretch of `phase` that holds `window`; null when no worker told of it. */
  find(phase: number, window: number): StretchPace | null {
    return this.#byPlace.get(this.#key(phase, window)) ?? null;
  }

  #at(phase: number, window: number): StretchPace | null {
    const key = this.#key(phase, window);
    const known = this.#byPlace.get(key);
    if (known !== undefined) return known;
    if (this.#byPlace.size >= STRETCHES_MAX) return null;
    const made: StretchPace = { fine: null, coarse: null, backlogMax: null, behindShare: null };
    this.#byPlace.set(key, made);
    return made;
  }

  #key(phase: number, window: number): string {
    return `${phase} ${Math.floor(window / this.#windowsPerRow)}`;
  }
}

/** The one that is further off; of equal ones the ratio further from 1, then the larger, so that order does not matter. */
function worse(known: FanoDeviation | null, found: FanoDeviation | null): FanoDeviation | null {
  if (known === null || found === null) return known ?? found;
  const further =
    found.deviation - known.deviation ||
    Math.abs(found.ratio - 1) - Math.abs(known.ratio - 1) ||
    found.ratio - known.ratio;
  return further > 0 ? found : known;
}
