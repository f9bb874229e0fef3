/**
 * Counts planned and sent arrivals of one worker in bins of run time (M§3.1 F3, F4), in O(1) memory: one open bin of each width on
 * each side, and power sums for the windows that are not complete yet. An event costs a comparison or two; everything else is
 * done when a bin of 1 ms is closed. It judges nothing and reads no clock.
 */
import {
  type BinSums,
  binsStartingIn,
  COARSE_BIN_NS,
  createBinSums,
  EDGE_NS,
  EDGES_PER_WINDOW,
  FINE_BIN_NS,
  hasPace,
  pacedPhaseAt,
  plannedWindows,
  type PhaseBins,
  type WindowFidelity,
} from '../../shared/metrics/fidelity.ts';
import { WINDOW_NS, windowOf } from '../../shared/metrics/window.ts';
import type { Phase } from '../../shared/plan/plan.ts';

/** The open bins of one side. Instants come in order; one that does not is counted in the open bin. */
class OpenBins {
  fineStartNs = 0;
  fineEndNs = 0;
  fine = 0;
  fineMoved = 0;
  coarseStartNs = 0;
  coarse = 0;
  coarseMoved = 0;
}

/** A window that is not complete. */
interface OpenWindow {
  readonly planned: number[];
  readonly sent: number[];
  readonly unsent: number[];
  readonly phases: Map<number, PhaseBins>;
}

type Side = 'planned' | 'sent';

export class FidelityMeter {
  readonly #phases: readonly Phase[];
  readonly #isPaced: Uint8Array;
  readonly #windowCount: number;
  readonly #planned = new OpenBins();
  readonly #sent = new OpenBins();
  readonly #open = new Map<number, OpenWindow>();
  #nextWindow = 0;
  #backlog = 0;

  /** For one trial over the plan's `phases`. */
  constructor(phases: readonly Phase[]) {
    this.#phases = phases;
    this.#isPaced = Uint8Array.from(phases, (phase) => (hasPace(phase) ? 1 : 0));
    this.#windowCount = plannedWindows(phases);
  }

  /** An arrival was decided. Call in the order of `intendedNs`. */
  planned(phase: number, intendedNs: number): void {
    if (this.#isPaced[phase] === 0) return;
    const bins = this.#planned;
    if (intendedNs >= bins.fineEndNs) this.#advance(bins, 'planned', intendedNs);
    bins.fine += 1;
  }

  /** A first byte left at `sendNs`. Call in the order of `sendNs`. */
  sent(phase: number, intendedNs: number, sendNs: number): void {
    if (this.#isPaced[phase] === 0) return;
    const bins = this.#sent;
    if (sendNs >= bins.fineEndNs) this.#advance(bins, 'sent', sendNs);
    bins.fine += 1;
    if (intendedNs >= bins.fineStartNs) return;
    bins.fineMoved += 1;
    if (intendedNs < bins.coarseStartNs) bins.coarseMoved += 1;
  }

  /** An arrival will never be sent: dropped (give its intended instant), or ended at `tNs` before a byte left. */
  unsent(phase: number, tNs: number): void {
    if (this.#isPaced[phase] === 0) return;
    const atNs = Math.max(tNs, this.#nextWindow * WINDOW_NS);
    addAt(this.#windowAt(atNs).unsent, edgeOf(atNs), 1);
  }

  /** The windows below `belowWindow`, each once and in order. Nothing may be planned or sent in them any more. */
  take(belowWindow: number): WindowFidelity[] {
    const below = Math.min(belowWindow, this.#windowCount);
    if (below <= this.#nextWindow) return [];
    const untilNs = below * WINDOW_NS;
    this.#closeBefore(this.#planned, 'planned', untilNs);
    this.#closeBefore(this.#sent, 'sent', untilNs);
    const complete: WindowFidelity[] = [];
    for (; this.#nextWindow < below; this.#nextWindow += 1) complete.push(this.#complete(this.#nextWindow));
    return complete;
  }

  #complete(window: number): WindowFidelity {
    const open = this.#openWindow(window);
    this.#open.delete(window);
    const startNs = window * WINDOW_NS;
    const phases: PhaseBins[] = [];
    for (const [index, phase] of this.#phases.entries()) {
      if (this.#isPaced[index] === 0) continue;
      const fromNs = Math.max(startNs, phase.startNs);
      const toNs = Math.min(startNs + WINDOW_NS, phase.startNs + phase.durationNs);
      const fine = binsStartingIn(fromNs, toNs, FINE_BIN_NS);
      if (fine === 0) continue;
      const bins = binsOf(open, index);
      bins.fine.bins = fine;
      bins.coarse.bins = binsStartingIn(fromNs, toNs, COARSE_BIN_NS);
      phases.push(bins);
    }
    const { planned, sent, unsent } = open;
    const backlogBefore = this.#backlog;
    for (let edge = 0; edge < EDGES_PER_WINDOW; edge += 1) {
      this.#backlog += (planned[edge] as number) - (sent[edge] as number) - (unsent[edge] as number);
    }
    return { window, backlogBefore, planned, sent, unsent, phases };
  }

  #advance(bins: OpenBins, side: Side, tNs: number): void {
    this.#closeFine(bins, side);
    if (tNs >= bins.coarseStartNs + COARSE_BIN_NS) {
      this.#closeCoarse(bins, side);
      bins.coarseStartNs = Math.floor(tNs / COARSE_BIN_NS) * COARSE_BIN_NS;
    }
    bins.fineStartNs = Math.floor(tNs / FINE_BIN_NS) * FINE_BIN_NS;
    bins.fineEndNs = bins.fineStartNs + FINE_BIN_NS;
  }

  /** Closes the open bins if they end by `untilNs`, a window's end; later instants open bins from there on. */
  #closeBefore(bins: OpenBins, side: Side, untilNs: number): void {
    if (bins.fineStartNs >= untilNs) return;
    this.#closeFine(bins, side);
    this.#closeCoarse(bins, side);
    bins.fineStartNs = untilNs;
    bins.fineEndNs = untilNs + FINE_BIN_NS;
    bins.coarseStartNs = untilNs;
  }

  #closeFine(bins: OpenBins, side: Side): void {
    const { fine: count, fineMoved, fineStartNs } = bins;
    if (count === 0) return;
    const open = this.#windowAt(fineStartNs);
    addAt(open[side], edgeOf(fineStartNs), count);
    const phase = pacedPhaseAt(this.#phases, fineStartNs);
    if (phase !== null) addBin(binsOf(open, phase).fine, side, count, fineMoved);
    bins.coarse += count;
    bins.fine = 0;
    bins.fineMoved = 0;
  }

  #closeCoarse(bins: OpenBins, side: Side): void {
    const { coarse: count, coarseMoved, coarseStartNs } = bins;
    if (count === 0) return;
    const phase = pacedPhaseAt(this.#phases, coarseStartNs);
    if (phase !== null) addBin(binsOf(this.#windowAt(coarseStartNs), phase).coarse, side, count, coarseMoved);
    bins.coarse = 0;
    bins.coarseMoved = 0;
  }

  #windowAt(tNs: number): OpenWindow {
    return this.#openWindow(windowOf(tNs));
  }

  #openWindow(window: number): OpenWindow {
    const known = this.#open.get(window);
    if (known !== undefined) return known;
    const made: OpenWindow = { planned: edges(), sent: edges(), unsent: edges(), phases: new Map() };
    // What happens after the plan's end is in no window of it; nothing would ever take it away.
    if (window < this.#windowCount) this.#open.set(window, made);
    return made;
  }
}

function edges(): number[] {
  return new Array<number>(EDGES_PER_WINDOW).fill(0);
}

function edgeOf(tNs: number): number {
  return Math.floor(tNs / EDGE_NS) % EDGES_PER_WINDOW;
}

function addAt(counts: number[], edge: number, by: number): void {
  counts[edge] = (counts[edge] as number) + by;
}

function binsOf(open: OpenWindow, phase: number): PhaseBins {
  const known = open.phases.get(phase);
  if (known !== undefined) return known;
  const made: PhaseBins = { phase, fine: createBinSums(), coarse: createBinSums() };
  open.phases.set(phase, made);
  return made;
}

function addBin(sums: BinSums, side: Side, count: number, moved: number): void {
  if (side === 'planned') {
    sums.planned += count;
    sums.plannedSquares += count * count;
  } else {
    sums.sent += count;
    sums.sentSquares += count * count;
    sums.moved += moved;
  }
}
