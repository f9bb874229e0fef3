/** TCP segments that the hosts had to send again (M§9.2), of all their processes. It explains times; it does not judge alone. */
import type { GaugeSummary } from '../merge/telemetry-sums.ts';
import { levelOf, notMeasured } from './gate-making.ts';
import { ownerText, ratios, sums, worst } from './gauge-reading.ts';
import { GATES } from './thresholds-table.ts';
import type { Gate } from './verdict.ts';

/** Judges the worst host. */
export function retransmitsGate(gauges: readonly GaugeSummary[]): Gate {
  const row = GATES.retransmits;
  const again = sums(gauges, 'tcpSegmentsRetransmitted');
  const found = worst(ratios(again, sums(gauges, 'tcpSegmentsSent')));
  if (found === null) return notMeasured('retransmits', row.unit, row.warnBeyond, 'no host counts its segments');
  const kind = levelOf(found.value, row);
  const count = again.find((one) => one.agentId === found.agentId)?.value ?? 0;
  const text = `${count} TCP segments (${(found.value * 100).toFixed(4)} %) were sent again by the host of ${ownerText(found)}`;
  const reason = kind === 'pass' ? text : `${text}; the limit is 0.01 %: one timeout of 200 ms is a whole tail`;
  return { kind, name: 'retransmits', measured: found.value, limit: row.warnBeyond, unit: row.unit, reason };
}
