/**
 * Did the sends follow the plan? (M§3.1 F3, F4.) Counts of arrivals by intended instant and of sends by send instant, in bins of
 * run time: 1 ms and 10 ms for each worker, 100 ms aligned over the fleet. Bins are kept as integer power sums (bins, sum,
 * sum of squares), which merge by addition and exactly in any order; Welford's moments are made of them when they are read.
 * A bin belongs to the phase and window in which it starts, on both sides: the load that the target saw in that time against
 * the load planned for it. Phases that ask for everything at once have no pace to keep and are left out.
 */
import type { Phase } from '../plan/plan.ts';
import type { Moments } from '../stats/welford.ts';
import { WINDOW_NS } from './window.ts';

/** Widths of the bins, ns. */
export const FINE_BIN_NS = 1_000_000;
export const COARSE_BIN_NS = 10_000_000;
/** Length of an aligned bin, ns; the backlog is read at its end. */
export const EDGE_NS = 100_000_000;
/** Aligned bins in a window. */
export const EDGES_PER_WINDOW = WINDOW_NS / EDGE_NS;

/** Counts in bins of one width, as integer power sums. */
export interface BinSums {
  /** Bins, empty ones included. */
  bins: number;
  /** Arrivals intended in them, and the sum of the squared counts per bin. */
  planned: number;
  plannedSquares: number;
  /** Sends in them, and the sum of the squared counts per bin. */
  sent: number;
  sentSquares: number;
  /** Sends that fell into a later bin than the one they were intended for. */
  moved: number;
}

/** Bins of one phase. */
export interface PhaseBins {
  readonly phase: number;
  readonly fine: BinSums;
  readonly coarse: BinSums;
}

/** One window of one worker, complete: nothing is planned or sent in it any more. */
export interface WindowFidelity {
  readonly window: number;
  /** Arrivals intended before the window that were neither sent nor settled without a send by its start. */
  readonly backlogBefore: number;
  /** By aligned bin: arrivals intended, sends, and arrivals settled without a send (dropped, or failed before a byte left). */
  readonly planned: readonly number[];
  readonly sent: readonly number[];
  readonly unsent: readonly number[];
  /** Phases that have a bin in the window. */
  readonly phases: readonly PhaseBins[];
}

/** The same with the worker slot it is of. */
export interface SlotFidelity extends WindowFidelity {
  readonly slot: number;
}

/** No bins. */
export function createBinSums(): BinSums {
  return { bins: 0, planned: 0, plannedSquares: 0, sent: 0, sentSquares: 0, moved: 0 };
}

/** Adds `from` into `into`. */
export function addBinSums(into: BinSums, from: BinSums): void {
  into.bins += from.bins;
  into.planned += from.planned;
  into.plannedSquares += from.plannedSquares;
  into.sent += from.sent;
  into.sentSquares += from.sentSquares;
  into.moved += from.moved;
}

/** Moments of `bins` counts with this sum and sum of squares. */
function momentsOfSums(bins: number, sum: number, squares: number): Moments {
  if (bins === 0) return { count: 0, mean: 0, squares: 0 };
  return { count: bins, mean: sum / bins, squares: Math.max(0, squares - (sum * sum) / bins) };
}

/** Moments of the planned counts per bin. */
export function plannedMoments(sums: BinSums): Moments {
  return momentsOfSums(sums.bins, sums.planned, sums.plannedSquares);
}

/** Moments of the sent counts per bin. */
export function sentMoments(sums: BinSums): Moments {
  return momentsOfSums(sums.bins, sums.sent, sums.sentSquares);
}

/** Share of the sends that fell into a later bin than planned, 0..1; 0 when nothing was sent. */
export function movedShare(sums: BinSums): number {
  return sums.sent === 0 ? 0 : sums.moved / sums.sent;
}

/** True when a phase has a pace that sends can keep or lose. */
export function hasPace(phase: Phase): boolean {
  const { kind } = phase.arrivals;
  return phase.durationNs > 0 && kind !== 'all-at-once' && kind !== 'closed';
}

/** Windows of run time that the plan's phases reach into. */
export function plannedWindows(phases: readonly Phase[]): number {
  return Math.ceil(Math.max(0, ...phases.map((phase) => phase.startNs + phase.durationNs)) / WINDOW_NS);
}

/** Number of bins of `binNs` that start in [fromNs, toNs). */
export function binsStartingIn(fromNs: number, toNs: number, binNs: number): number {
  return Math.max(0, Math.ceil(toNs / binNs) - Math.ceil(fromNs / binNs));
}

/** The phase with a pace that contains run time `tNs`, by its place; null when there is none. */
export function pacedPhaseAt(phases: readonly Phase[], tNs: number): number | null {
  const found = phases.findIndex(
    (phase) => hasPace(phase) && tNs >= phase.startNs && tNs < phase.startNs + phase.durationNs,
  );
  return found < 0 ? null : found;
}
