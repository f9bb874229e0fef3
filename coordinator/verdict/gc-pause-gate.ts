/** The longest garbage collection on a worker against the p99 of response (M§9.2). It explains lag; it does not judge alone. */
import type { GaugeSummary } from '../merge/telemetry-sums.ts';
import { levelOf, millisecondsText, notMeasured } from './gate-making.ts';
import { highest, ownerText, worst } from './gauge-reading.ts';
import { GATES } from './thresholds-table.ts';
import type { Gate } from './verdict.ts';

/** Judges the longest pause. */
export function gcPauseGate(gauges: readonly GaugeSummary[], responseP99Ns: number | null): Gate {
  const row = GATES['gc-pause'];
  const found = worst(highest(gauges, 'gcPauseMaxNs'));
  if (found === null || responseP99Ns === null) {
    return notMeasured('gc-pause', row.unit, null, 'no worker observed its collector, or no ok request');
  }
  const limit = Math.floor(responseP99Ns * row.warnBeyond);
  const kind = levelOf(found.value, { warnBeyond: limit, failBeyond: null });
  const text = `the longest garbage collection took ${millisecondsText(found.value)}, on ${ownerText(found)}`;
  const reason =
    kind === 'pass' ? text : `${text}; the limit is ${millisecondsText(limit)}, a tenth of the p99 of response`;
  return { kind, name: 'gc-pause', measured: found.value, limit, unit: row.unit, reason };
}
