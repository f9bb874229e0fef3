/**
 * The network cards between agents and target (M§9.2): frames damaged or dropped for want of room, and bits per second against the card's
 * speed. Of all processes of the host. What a cloud shapes below the card's speed is written in no file and stays unseen.
 */
import type { GaugeSummary } from '../merge/telemetry-sums.ts';
import { notMeasured, percentText } from './gate-making.ts';
import { highest, ownerText, sums, worst } from './gauge-reading.ts';
import { GATES } from './thresholds-table.ts';
import type { Gate } from './verdict.ts';

/** Judges the worst card. */
export function networkCardGate(gauges: readonly GaugeSummary[]): Gate {
  const row = GATES['network-card'];
  const not = (reason: string): Gate => notMeasured('network-card', row.unit, row.warnBeyond, reason);
  const ways = highest(gauges, 'networkIsLoopback');
  if (ways.length === 0) return not('no host tells which card leads to the target');
  const onCards = ways.filter(({ value }) => value === 0).map(({ agentId }) => agentId);
  if (onCards.length === 0) return not('loopback: no card is between agents and target');
  const use = highest(gauges, 'networkUseShare');
  const busiest = worst(use);
  const damaged = worst(sums(gauges, 'networkProblems'));
  const problems = [
    ...(damaged !== null && damaged.value > 0
      ? [`the card of ${ownerText(damaged)} damaged or dropped ${damaged.value} frames`]
      : []),
    ...(busiest !== null && busiest.value > row.warnBeyond
      ? [`the card of ${ownerText(busiest)} carried ${percentText(busiest.value)} of its speed in its busiest window`]
      : []),
  ];
  const measured = busiest?.value ?? 0;
  if (problems.length > 0) {
    const reason = `${problems.join('; ')}; the limits are 0 frames and ${percentText(row.warnBeyond)}`;
    return { kind: 'warn', name: 'network-card', measured, limit: row.warnBeyond, unit: row.unit, reason };
  }
  if (damaged === null) return not('the counts of the card cannot be read');
  if (busiest === null || use.length < onCards.length) {
    return not('no frame was damaged or dropped; the system does not tell the speed of the card');
  }
  const reason = `no frame was damaged or dropped; the busiest card carried ${percentText(measured)} of its speed`;
  return { kind: 'pass', name: 'network-card', measured, limit: row.warnBeyond, unit: row.unit, reason };
}
