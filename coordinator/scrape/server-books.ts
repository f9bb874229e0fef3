/**
 * What a server's pages say about each phase of the run: gauges by their values, counters and histograms by how much they grew between
 * two pages. Growth from one page to the next belongs to the phase in which the earlier one was read, so that nothing is counted twice
 * and nothing is lost. Memory: one cell per series and phase, series bounded. Pure; pages come with their run time.
 */

import { histogramGrowth, type HistogramSeries, unionOfBuckets } from './histogram-growth.ts';
import type { MetricPage, PageSeries } from './prometheus-text.ts';

/** Most series kept of one page; the rest is counted. */
export const SERIES_MAX = 1000;

/** A gauge in one phase. */
export interface GaugeCell {
  readonly kind: 'gauge';
  samples: number;
  min: number;
  max: number;
  sum: number;
  last: number;
}

/** A counter's growth in one phase. */
export interface CounterCell {
  readonly kind: 'counter';
  delta: number;
  /** The counter fell: the server was started anew, and counts from 0. */
  resets: number;
}

/** A histogram's growth in one phase. */
export interface HistogramCell {
  readonly kind: 'histogram';
  readonly upperBounds: readonly number[];
  /** Samples per bucket, not cumulative. */
  readonly counts: readonly number[];
  readonly sum: number;
  readonly resets: number;
}

export type ServerCell = GaugeCell | CounterCell | HistogramCell;

/** A series with one cell per phase; null where no page told of it. */
export interface ServerSeries {
  readonly id: string;
  readonly name: string;
  readonly cells: readonly (ServerCell | null)[];
}

/** The run times between which a phase was seen, ns; null for a phase without two pages. */
export interface SeenSpan {
  readonly fromNs: number;
  readonly toNs: number;
}

/** Start of each phase, in order, ns of run time. */
export type PhaseStarts = readonly number[];

interface KeptSeries {
  readonly id: string;
  readonly name: string;
  readonly cells: (ServerCell | null)[];
  last: PageSeries;
}

/** The books of one page's source. */
export class ServerBooks {
  readonly #phaseStarts: PhaseStarts;
  readonly #isWanted: (name: string) => boolean;
  readonly #series = new Map<string, KeptSeries>();
  readonly #spans: ({ fromNs: number; toNs: number } | null)[];
  #beforeNs: number | null = null;
  /** Series beyond the limit, of the fullest page. */
  seriesLeftOut = 0;
  unreadable = 0;

  constructor(phaseStarts: PhaseStarts, isWanted: (name: string) => boolean) {
    this.#phaseStarts = phaseStarts;
    this.#isWanted = isWanted;
    this.#spans = phaseStarts.map(() => null);
  }

  /** Takes the page read at run time `atNs` (may be before the start); pages come in order of time. */
  take(page: MetricPage, atNs: number): void {
    const phase = this.#phaseAt(atNs);
    const growthPhase = this.#beforeNs === null ? null : this.#phaseAt(this.#beforeNs);
    if (growthPhase !== null) this.#widen(growthPhase, this.#beforeNs as number, atNs);
    let leftOut = 0;
    for (const series of page.series) {
      if (!this.#isWanted(series.name)) continue;
      if (!this.#takeSeries(series, phase, growthPhase)) leftOut += 1;
    }
    this.seriesLeftOut = Math.max(this.seriesLeftOut, leftOut);
    this.unreadable += page.unreadable;
    this.#beforeNs = atNs;
  }

  /** In order of their first appearance. */
  series(): readonly ServerSeries[] {
    return [...this.#series.values()];
  }

  spanOf(phase: number): SeenSpan | null {
    return this.#spans[phase] ?? null;
  }

  #takeSeries(series: PageSeries, phase: number, growthPhase: number | null): boolean {
    const kept = this.#series.get(series.id);
    // A count that is no number on one page is taken up again from the page before it.
    if (series.kind === 'counter' && !Number.isFinite(series.value)) return true;
    if (kept === undefined) {
      if (this.#series.size >= SERIES_MAX) return false;
      const cells = this.#phaseStarts.map(() => null);
      const fresh: KeptSeries = { id: series.id, name: series.name, cells, last: series };
      this.#series.set(series.id, fresh);
      if (series.kind === 'gauge') addGauge(fresh, phase, series.value);
      // A counter that a server shows only once it counts has grown from nothing.
      else if (growthPhase !== null) addGrowth(fresh, growthPhase, null, series);
      return true;
    }
    if (series.kind === 'gauge') addGauge(kept, phase, series.value);
    else if (growthPhase !== null) addGrowth(kept, growthPhase, kept.last, series);
    kept.last = series;
    return true;
  }

  #widen(phase: number, fromNs: number, toNs: number): void {
    const span = this.#spans[phase] ?? null;
    if (span === null) this.#spans[phase] = { fromNs, toNs };
    else span.toNs = toNs;
  }

  /** The phase that `atNs` lies in; the first before the start, the last after the end. */
  #phaseAt(atNs: number): number {
    const after = this.#phaseStarts.findIndex((startNs, index) => index > 0 && startNs > atNs);
    return (after < 0 ? this.#phaseStarts.length : after) - 1;
  }
}

function addGauge(kept: KeptSeries, phase: number, value: number): void {
  if (!Number.isFinite(value)) return;
  const cell = kept.cells[phase] ?? null;
  if (cell?.kind !== 'gauge') {
    kept.cells[phase] = { kind: 'gauge', samples: 1, min: value, max: value, sum: value, last: value };
    return;
  }
  cell.samples += 1;
  cell.min = Math.min(cell.min, value);
  cell.max = Math.max(cell.max, value);
  cell.sum += value;
  cell.last = value;
}

function addGrowth(kept: KeptSeries, phase: number, before: PageSeries | null, now: PageSeries): void {
  if (now.kind === 'counter') addCounterGrowth(kept, phase, before?.kind === 'counter' ? before.value : 0, now.value);
  if (now.kind === 'histogram') addHistogramGrowth(kept, phase, before?.kind === 'histogram' ? before : null, now);
}

function addCounterGrowth(kept: KeptSeries, phase: number, before: number, now: number): void {
  let cell = kept.cells[phase] ?? null;
  if (cell?.kind !== 'counter') kept.cells[phase] = cell = { kind: 'counter', delta: 0, resets: 0 };
  const isReset = now < before;
  cell.delta += isReset ? now : now - before;
  if (isReset) cell.resets += 1;
}

function addHistogramGrowth(
  kept: KeptSeries,
  phase: number,
  before: HistogramSeries | null,
  now: HistogramSeries,
): void {
  const growth = histogramGrowth(before, now);
  const known = kept.cells[phase] ?? null;
  const cell = known?.kind === 'histogram' ? known : { upperBounds: [], counts: [], sum: 0, resets: 0 };
  kept.cells[phase] = {
    kind: 'histogram',
    ...unionOfBuckets(cell, growth),
    sum: cell.sum + growth.sum,
    resets: cell.resets + Number(growth.isReset),
  };
}
