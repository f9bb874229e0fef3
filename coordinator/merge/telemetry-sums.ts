/**
 * Gauges of agents and workers, reduced to their extremes: how high, how low, how often read and how often unreadable.
 * Extremes, not means: they are exact in any order of reports.
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
  readonly samples: number;
  /** Samples that could not be read. */
  readonly unread: number;
}

/** Gauges that are kept; a fleet of 1,000 agents with 60 gauges each stays below it. */
const GAUGES_MAX = 65_536;

/** The gauges of a fleet. */
export class TelemetrySums {
  readonly #gauges = new Map<string, { -readonly [K in keyof GaugeSummary]: GaugeSummary[K] }>();

  /** Adds one sample of an agent. */
  add(agentId: string, sample: TelemetrySample): void {
    const key = `${agentId}\n${String(sample.slot)}\n${sample.name}`;
    let gauge = this.#gauges.get(key);
    if (gauge === undefined) {
      if (this.#gauges.size >= GAUGES_MAX) return;
      gauge = { agentId, slot: sample.slot, name: sample.name, min: null, max: null, samples: 0, unread: 0 };
      this.#gauges.set(key, gauge);
    }
    if (sample.value === null) {
      gauge.unread += 1;
      return;
    }
    gauge.samples += 1;
    gauge.min = gauge.min === null ? sample.value : Math.min(gauge.min, sample.value);
    gauge.max = gauge.max === null ? sample.value : Math.max(gauge.max, sample.value);
  }

  /** All gauges, by agent, slot (the agent's own first) and name. */
  summaries(): readonly GaugeSummary[] {
    return [...this.#gauges.values()].sort(
      (a, b) => compareText(a.agentId, b.agentId) || (a.slot ?? -1) - (b.slot ?? -1) || compareText(a.name, b.name),
    );
  }
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
