/** Local ports that were taken on the hosts of the agents, of those there are for outgoing connections (R032). */
import type { GaugeSummary } from '../merge/telemetry-sums.ts';
import { levelOf, notMeasured, percentText } from './gate-making.ts';
import { highest, ownerText, ratios, worst } from './gauge-reading.ts';
import { GATES } from './thresholds-table.ts';
import type { Gate } from './verdict.ts';

/** Judges the host that came nearest to its limit. */
export function localPortsGate(gauges: readonly GaugeSummary[]): Gate {
  const row = GATES['local-ports'];
  const found = worst(ratios(highest(gauges, 'localPortsTaken'), highest(gauges, 'localPortsTotal')));
  if (found === null) return notMeasured('local-ports', row.unit, row.warnBeyond, 'no host tells its port range');
  const kind = levelOf(found.value, row);
  const text = `${percentText(found.value)} of the local ports of the host of ${ownerText(found)} were taken`;
  const reason = kind === 'pass' ? text : `${text}; the limit is ${percentText(row.warnBeyond)}`;
  return { kind, name: 'local-ports', measured: found.value, limit: row.warnBeyond, unit: row.unit, reason };
}
