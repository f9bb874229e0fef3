/**
 * Periods in which a cgroup quota stopped an agent (M§9.2). It explains lag; it does not judge alone. The quota of an ancestor that is
 * not visible from the agent shows in the time alone (T12): that counts as one period at least.
 */
import type { GaugeSummary } from '../merge/telemetry-sums.ts';
import { type OwnedValue, ownerText, sums, worst } from './gauge-reading.ts';
import { levelOf, millisecondsText, notMeasured } from './gate-making.ts';
import { GATES } from './thresholds-table.ts';
import type { Gate } from './verdict.ts';

/** Judges the agent that was throttled most. */
export function cpuThrottledGate(gauges: readonly GaugeSummary[]): Gate {
  const row = GATES['cpu-throttled'];
  const periods = sums(gauges, 'cgroupThrottledPeriods');
  const times = sums(gauges, 'cgroupThrottledNs');
  const unseen = times.filter(({ value, agentId }) => value > 0 && valueOf(periods, agentId) === 0);
  const found = worst([...periods, ...unseen.map((one) => ({ ...one, value: 1 }))]);
  if (found === null && times.length === 0) {
    return notMeasured('cpu-throttled', row.unit, row.warnBeyond, 'no cgroup that counts it');
  }
  const measured = found?.value ?? 0;
  const kind = levelOf(measured, row);
  const reason =
    found === null || kind === 'pass'
      ? 'no cgroup quota stopped an agent'
      : `a cgroup quota stopped ${ownerText(found)} ${periodsText(found, periods)}for ${millisecondsText(valueOf(times, found.agentId))}: ` +
        'raise the quota or use fewer workers';
  return { kind, name: 'cpu-throttled', measured, limit: row.warnBeyond, unit: row.unit, reason };
}

function periodsText({ agentId }: OwnedValue, periods: readonly OwnedValue[]): string {
  const count = valueOf(periods, agentId);
  return count === 0 ? 'from above its visible cgroups, ' : `in ${count} periods, `;
}

function valueOf(values: readonly OwnedValue[], agentId: string): number {
  return values.find((one) => one.agentId === agentId)?.value ?? 0;
}
