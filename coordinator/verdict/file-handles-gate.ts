/** Open file handles of the agents against their limit (R032): each connection is one. */
import type { GaugeSummary } from '../merge/telemetry-sums.ts';
import { levelOf, notMeasured, percentText } from './gate-making.ts';
import { highest, ownerText, ratios, worst } from './gauge-reading.ts';
import { GATES } from './thresholds-table.ts';
import type { Gate } from './verdict.ts';

/** Judges the agent that came nearest to its limit. */
export function fileHandlesGate(gauges: readonly GaugeSummary[]): Gate {
  const row = GATES['file-handles'];
  const open = highest(gauges, 'fileHandles');
  const limits = highest(gauges, 'fileHandleLimit');
  const found = worst(ratios(open, limits));
  if (found === null) return notMeasured('file-handles', row.unit, row.warnBeyond, 'no limit, or it could not be read');
  const kind = levelOf(found.value, row);
  const countOf = (list: typeof open): number => list.find((one) => one.agentId === found.agentId)?.value ?? 0;
  const text = `${ownerText(found)} had ${countOf(open)} of ${countOf(limits)} file handles open (${percentText(found.value)})`;
  const reason = kind === 'pass' ? text : `${text}; the limit is ${percentText(row.warnBeyond)}: raise it (ulimit -n)`;
  return { kind, name: 'file-handles', measured: found.value, limit: row.warnBeyond, unit: row.unit, reason };
}
