/**
 * Gauges of agents and workers, reduced to their extremes and sums: how high, how low, how often read and how often unreadable.
 * No means: extremes are exact in any order of reports, and so are sums of the integers that additive gauges send. Beside it the
 * highest value in each stretch of run time, so that a bad window can be marked.
 */
import type { TelemetrySample } from '../../shared/metrics/agent-report.ts';

/** One gauge of one agent or worker over the run. */
export interface GaugeSummary {
  readonly agentId: string;
  /** Worker slot, or null for the whole agent process or host. */
  readonly slot: number | null;
  readonly name: string;
  readonly min: number | null;
  readonly max: number | null;
  /** Sum of the samples; only for gauges that add up (times, counts of a window). */
  readonly sum: number;
  readonly samples: number;
  /** Samples that could not be read. */
  readonly unread: number;
}

/** Gauges that are kept; a fleet of 1,000 agents with 60 gauges each stays below it. */
const GAUGES_MAX = 65_536;
/** Different names that are kept by stretch of run time. */
const ROW_NAMES_MAX = 64;
/** Stretches of run time that are kept: more than a run has rows. */
const ROWS_KEPT_MAX = 8192;

/** The gauges of a fleet. */
export class TelemetrySums {
  readonly #windowsPerRow: number;
  readonly #gauges = new Map<string, { -readonly [K in keyof GaugeSummary]: GaugeSummary[K] }>();
  readonly #rows = new Map<number, Map<string, number>>();

  /** `windowsPerRow`: windows in a stretch for which the highest values are kept. */
  constructor(windowsPerRow = 1) {
    this.#windowsPerRow = windowsPerRow;
  }

  /** Adds one sample of an agent. */
  add(agentId: string, sample: TelemetrySample): void {
    const key = `${agentId}\n${String(sample.slot)}\n${sample.name}`;
    let gauge = this.#gauges.get(key);
    if (gauge === undefined) {
      if (this.#gauges.size >= GAUGES_MAX) return;
      const { slot, name } = sample;
      gauge = { agentId, slot, name, min: null, max: null, sum: 0, samples: 0, unread: 0 };
      this.#gauges.set(key, gauge);
    }
    if (sample.value === null) {
      gauge.unread += 1;
      return;
    }
    gauge.samples += 1;
    gauge.sum += sample.value;
    gauge.min = gauge.min === null ? sample.value : Math.min(gauge.min, sample.value);
    gauge.max = gauge.max === null ? sample.value : Math.max(gauge.max, sample.value);
    this.#noteRow(Math.floor(sample.window / this.#windowsPerRow), sample.name, sample.value);
  }

  /** All gauges, by agent, slot (the agent's own first) and name. */
  summaries(): readonly GaugeSummary[] {
    return [...this.#gauges.values()].sort(
      (a, b) => compareText(a.agentId, b.agentId) || (a.slot ?? -1) - (b.slot ?? -1) || compareText(a.name, b.name),
    );
  }

  /** Highest value of a gauge over all agents and workers in the stretch that begins with window `firstWindow`; null = none. */
  highestIn(firstWindow: number, name: string): number | null {
    return this.#rows.get(Math.floor(firstWindow / this.#windowsPerRow))?.get(name) ?? null;
  }

  #noteRow(row: number, name: string, value: number): void {
    let values = this.#rows.get(row);
    if (values === undefined) {
      if (this.#rows.size >= ROWS_KEPT_MAX) return;
      values = new Map();
      this.#rows.set(row, values);
    }
    const known = values.get(name);
    if (known === undefined && values.size >= ROW_NAMES_MAX) return;
    values.set(name, known === undefined ? value : Math.max(known, value));
  }
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
