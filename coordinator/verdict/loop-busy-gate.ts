/** How busy the busiest worker loop was over the run, by its own account (M§9.2): a loop at 60 % makes others wait already. */
import type { GaugeSummary } from '../merge/telemetry-sums.ts';
import { levelOf, notMeasured, percentText } from './gate-making.ts';
import { ownerText, ratios, sums, worst } from './gauge-reading.ts';
import { GATES } from './thresholds-table.ts';
import type { Gate } from './verdict.ts';

/** Judges the busiest worker. */
export function loopBusyGate(gauges: readonly GaugeSummary[]): Gate {
  const row = GATES['loop-busy'];
  const found = worst(ratios(sums(gauges, 'loopBusyNs'), sums(gauges, 'loopTotalNs')));
  if (found === null) return notMeasured('loop-busy', row.unit, row.warnBeyond, 'no worker accounted for its loop');
  const kind = levelOf(found.value, row);
  const text = `the loop of ${ownerText(found)} was busy for ${percentText(found.value)} of the time`;
  const reason =
    kind === 'pass' ? text : `${text}; the limit is ${percentText(row.warnBeyond)}: use more workers or agents`;
  return { kind, name: 'loop-busy', measured: found.value, limit: row.warnBeyond, unit: row.unit, reason };
}
