/** Reads the gauges of a run for the gates: per agent, and null where nothing was read. */
import type { GaugeName } from '../../shared/metrics/gauges.ts';
import type { GaugeSummary } from '../merge/telemetry-sums.ts';

/** One agent's, or one worker's, value of something. */
export interface OwnedValue {
  readonly agentId: string;
  /** Worker slot; null for the agent as a whole. */
  readonly slot: number | null;
  readonly value: number;
}

/** The sum of a gauge that adds up, per agent or worker that could read it. */
export function sums(gauges: readonly GaugeSummary[], name: GaugeName): readonly OwnedValue[] {
  return ofName(gauges, name).map(({ agentId, slot, sum }) => ({ agentId, slot, value: sum }));
}

/** The highest value of a gauge, per agent or worker that could read it. */
export function highest(gauges: readonly GaugeSummary[], name: GaugeName): readonly OwnedValue[] {
  return ofName(gauges, name).map(({ agentId, slot, max }) => ({ agentId, slot, value: max as number }));
}

/** The ratio of two lists of values, owner by owner; owners without both, or with a divisor of 0, are left out. */
export function ratios(parts: readonly OwnedValue[], wholes: readonly OwnedValue[]): readonly OwnedValue[] {
  return parts.flatMap(({ agentId, slot, value }) => {
    const whole = wholes.find((one) => one.agentId === agentId && one.slot === slot)?.value ?? 0;
    return whole > 0 ? [{ agentId, slot, value: value / whole }] : [];
  });
}

/** The largest of the values; null when there is none. */
export function worst(values: readonly OwnedValue[]): OwnedValue | null {
  return values.reduce<OwnedValue | null>(
    (found, one) => (found === null || one.value > found.value ? one : found),
    null,
  );
}

/** `agent a` or `worker 3 of agent a`. */
export function ownerText({ agentId, slot }: OwnedValue): string {
  return slot === null ? `agent ${agentId}` : `worker ${slot} of agent ${agentId}`;
}

function ofName(gauges: readonly GaugeSummary[], name: GaugeName): readonly GaugeSummary[] {
  return gauges.filter((gauge) => gauge.name === name && gauge.samples > 0);
}
