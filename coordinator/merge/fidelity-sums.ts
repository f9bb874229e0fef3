/**
 * Planned against sent over a whole run (M§3.1 F3, F4): per worker slot and phase in bins of 1 and 10 ms, and for the fleet together
 * in aligned bins of 100 ms and 1 s. Integer sums and extremes only, so every order of reports gives the same. Sums of the
 * workers' own bins would not give the fleet's: bursts of different workers may add up or even out.
 */
import {
  addBinSums,
  type BinSums,
  createBinSums,
  EDGE_NS,
  EDGES_PER_WINDOW,
  pacedPhaseAt,
  type SlotFidelity,
} from '../../shared/metrics/fidelity.ts';
import { WINDOW_NS } from '../../shared/metrics/window.ts';
import type { Phase } from '../../shared/plan/plan.ts';
import { type BacklogSums, StretchPaces } from './stretch-paces.ts';

export type { BacklogSums } from './stretch-paces.ts';

/** Arrivals behind at an edge are worth counting above this share of the window's plan, and above one arrival (M§3.1). */
const BACKLOG_SHARE = 0.01;

/** Aligned windows that are kept: two hours. Of a longer run every second, fourth, eighth ... is. */
export const ALIGNED_WINDOWS_MAX = 7200;

/** One worker slot in one phase. */
export interface SlotPace {
  readonly slot: number;
  readonly phase: number;
  readonly fine: BinSums;
  readonly coarse: BinSums;
  readonly backlog: BacklogSums;
}

/** The fleet together in one phase; `moved` counts by what bins are short of, not by request. */
export interface FleetPace {
  readonly phase: number;
  /** Bins of 100 ms and of 1 s. */
  readonly tenths: BinSums;
  readonly seconds: BinSums;
  readonly backlog: BacklogSums;
}

interface AlignedWindow {
  readonly planned: number[];
  readonly sent: number[];
  readonly unsent: number[];
  backlogBefore: number;
}

/** The sums of one trial. */
export class FidelitySums {
  readonly #phases: readonly Phase[];
  readonly #stride: number;
  readonly #slots = new Map<string, SlotPace>();
  readonly #aligned = new Map<number, AlignedWindow>();
  /** The worst worker of each stretch of run time. */
  readonly stretches: StretchPaces;

  /** `windowCount`: windows that the plan has; `windowsPerRow`: those of one stretch. */
  constructor(phases: readonly Phase[], windowCount: number, windowsPerRow = 1) {
    this.#phases = phases;
    this.stretches = new StretchPaces(windowsPerRow);
    let stride = 1;
    while (windowCount / stride > ALIGNED_WINDOWS_MAX) stride *= 2;
    this.#stride = stride;
  }

  /** Adds one window of one worker. */
  add(fidelity: SlotFidelity): void {
    for (const { phase, fine, coarse } of fidelity.phases) {
      const pace = this.#slotAt(fidelity.slot, phase);
      addBinSums(pace.fine, fine);
      addBinSums(pace.coarse, coarse);
    }
    this.stretches.addBins(fidelity);
    const read = new Map<number, BacklogSums>();
    this.#readEdges(fidelity.window, fidelity, (phase) => {
      const known = read.get(phase) ?? createBacklog();
      read.set(phase, known);
      return known;
    });
    for (const [phase, edges] of read) {
      addBacklog(this.#slotAt(fidelity.slot, phase).backlog, edges);
      this.stretches.addEdges(phase, fidelity.window, edges);
    }
    if (fidelity.window % this.#stride === 0) this.#addAligned(fidelity);
  }

  /** Every worker slot in every phase that it had a bin in, by phase and slot. */
  slots(): readonly SlotPace[] {
    return [...this.#slots.values()].sort((a, b) => a.phase - b.phase || a.slot - b.slot);
  }

  /** The fleet together, by phase. */
  fleet(): readonly FleetPace[] {
    const paces = new Map<number, FleetPace>();
    const paceAt = (phase: number): FleetPace => {
      const known = paces.get(phase);
      if (known !== undefined) return known;
      const made = { phase, tenths: createBinSums(), seconds: createBinSums(), backlog: createBacklog() };
      paces.set(phase, made);
      return made;
    };
    for (const [window, aligned] of this.#aligned) {
      const { planned, sent } = aligned;
      for (let edge = 0; edge < EDGES_PER_WINDOW; edge += 1) {
        const phase = pacedPhaseAt(this.#phases, window * WINDOW_NS + edge * EDGE_NS);
        if (phase !== null) addBin(paceAt(phase).tenths, planned[edge] as number, sent[edge] as number);
      }
      const phase = pacedPhaseAt(this.#phases, window * WINDOW_NS);
      if (phase !== null) addBin(paceAt(phase).seconds, total(planned), total(sent));
      this.#readEdges(window, aligned, (of) => paceAt(of).backlog);
    }
    return [...paces.values()].sort((a, b) => a.phase - b.phase);
  }

  /** Reads the backlog at each edge of a window into the sums of the phase that the edge is in. */
  #readEdges(
    window: number,
    counts: Pick<SlotFidelity, 'planned' | 'sent' | 'unsent' | 'backlogBefore'>,
    backlogOf: (phase: number) => BacklogSums,
  ): void {
    const above = Math.max(1, total(counts.planned) * BACKLOG_SHARE);
    let behind = counts.backlogBefore;
    for (let edge = 0; edge < EDGES_PER_WINDOW; edge += 1) {
      behind += (counts.planned[edge] as number) - (counts.sent[edge] as number) - (counts.unsent[edge] as number);
      const phase = pacedPhaseAt(this.#phases, window * WINDOW_NS + edge * EDGE_NS);
      if (phase === null) continue;
      const sums = backlogOf(phase);
      sums.edges += 1;
      sums.max = Math.max(sums.max, behind);
      if (behind > above) sums.edgesAbove += 1;
    }
  }

  #addAligned(fidelity: SlotFidelity): void {
    const known = this.#aligned.get(fidelity.window);
    if (known === undefined) {
      const { planned, sent, unsent, backlogBefore } = fidelity;
      this.#aligned.set(fidelity.window, {
        planned: [...planned],
        sent: [...sent],
        unsent: [...unsent],
        backlogBefore,
      });
      return;
    }
    addCounts(known.planned, fidelity.planned);
    addCounts(known.sent, fidelity.sent);
    addCounts(known.unsent, fidelity.unsent);
    known.backlogBefore += fidelity.backlogBefore;
  }

  #slotAt(slot: number, phase: number): SlotPace {
    const key = `${phase} ${slot}`;
    const known = this.#slots.get(key);
    if (known !== undefined) return known;
    const made = { slot, phase, fine: createBinSums(), coarse: createBinSums(), backlog: createBacklog() };
    this.#slots.set(key, made);
    return made;
  }
}

/** No edges. */
export function createBacklog(): BacklogSums {
  return { edges: 0, edgesAbove: 0, max: 0 };
}

/** Adds the edges of `from` to `into`. */
export function addBacklog(into: BacklogSums, from: BacklogSums): void {
  into.edges += from.edges;
  into.edgesAbove += from.edgesAbove;
  into.max = Math.max(into.max, from.max);
}

function addBin(sums: BinSums, planned: number, sent: number): void {
  sums.bins += 1;
  sums.planned += planned;
  sums.plannedSquares += planned * planned;
  sums.sent += sent;
  sums.sentSquares += sent * sent;
  sums.moved += Math.max(0, sent - planned);
}

function addCounts(into: number[], from: readonly number[]): void {
  for (let edge = 0; edge < EDGES_PER_WINDOW; edge += 1) into[edge] = (into[edge] as number) + (from[edge] as number);
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
