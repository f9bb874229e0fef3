/** CPU time that a hypervisor took from an agent's host (M§9.2). It explains lag; it does not judge alone. */
import type { GaugeSummary } from '../merge/telemetry-sums.ts';
import { notMeasured, percentText } from './gate-making.ts';
import { highest, ownerText, ratios, sums, worst } from './gauge-reading.ts';
import { GATES, STEAL_PEAK_SHARE } from './thresholds-table.ts';
import type { Gate } from './verdict.ts';

/** Judges the worst host: over the run, and in its worst 100 ms. */
export function cpuStealGate(gauges: readonly GaugeSummary[]): Gate {
  const row = GATES['cpu-steal'];
  const whole = worst(ratios(sums(gauges, 'hostCpuStealTicks'), sums(gauges, 'hostCpuTicks')));
  if (whole === null) return notMeasured('cpu-steal', row.unit, row.warnBeyond, 'no host tells how much was stolen');
  const peak = worst(highest(gauges, 'hostCpuStealPeakShare'));
  const isBeyond = whole.value > row.warnBeyond || (peak !== null && peak.value > STEAL_PEAK_SHARE);
  const peakText = peak === null ? '' : `, ${percentText(peak.value)} in the worst 100 ms`;
  const text = `${percentText(whole.value)} of the CPU time of the host of ${ownerText(whole)} was stolen${peakText}`;
  return {
    kind: isBeyond ? 'warn' : 'pass',
    name: 'cpu-steal',
    measured: whole.value,
    limit: row.warnBeyond,
    unit: row.unit,
    reason: isBeyond
      ? `${text}; the limits are ${percentText(row.warnBeyond)} and ${percentText(STEAL_PEAK_SHARE)}`
      : text,
  };
}
