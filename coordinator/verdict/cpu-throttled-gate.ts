/** Periods in which a cgroup quota stopped an agent (M§9.2). It explains lag; it does not judge alone. */
import type { GaugeSummary } from '../merge/telemetry-sums.ts';
import { levelOf, millisecondsText, notMeasured } from './gate-making.ts';
import { ownerText, sums, worst } from './gauge-reading.ts';
import { GATES } from './thresholds-table.ts';
import type { Gate } from './verdict.ts';

/** Judges the agent that was throttled most. */
export function cpuThrottledGate(gauges: readonly GaugeSummary[]): Gate {
  const row = GATES['cpu-throttled'];
  const found = worst(sums(gauges, 'cgroupThrottledPeriods'));
  if (found === null) return notMeasured('cpu-throttled', row.unit, row.warnBeyond, 'no cgroup that counts it');
  const kind = levelOf(found.value, row);
  const stoppedNs = sums(gauges, 'cgroupThrottledNs').find((one) => one.agentId === found.agentId)?.value ?? 0;
  const reason =
    kind === 'pass'
      ? 'no cgroup quota stopped an agent'
      : `a cgroup quota stopped ${ownerText(found)} in ${found.value} periods, for ${millisecondsText(stoppedNs)}: ` +
        'raise the quota or use fewer workers';
  return { kind, name: 'cpu-throttled', measured: found.value, limit: row.warnBeyond, unit: row.unit, reason };
}
