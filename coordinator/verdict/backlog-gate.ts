/**
 * F3 of M§3.1: how long were sends behind the plan? The share of the 100 ms edges at which a worker had more than 1 % of the
 * window's plan still to send; the worst worker judges, over the measured phases together and each by itself.
 */
import { addBacklog, type BacklogSums, createBacklog } from '../merge/fidelity-sums.ts';
import { type Level, levelOf, notMeasured, percentText } from './gate-making.ts';
import type { FidelityEvidence } from './send-fidelity-gate.ts';
import { GATES } from './thresholds-table.ts';
import type { Gate } from './verdict.ts';

/** Judges the worst worker. */
export function backlogGate({ slots, phaseName, isOwnLag }: FidelityEvidence): Gate {
  const row = GATES.backlog;
  const whole = new Map<number, BacklogSums>();
  const candidates: { who: string; sums: BacklogSums }[] = [];
  for (const pace of slots) {
    const sums = whole.get(pace.slot) ?? createBacklog();
    addBacklog(sums, pace.backlog);
    whole.set(pace.slot, sums);
    candidates.push({ who: `worker ${pace.slot} in phase ${phaseName(pace.phase)}`, sums: pace.backlog });
  }
  for (const [slot, sums] of whole) candidates.unshift({ who: `worker ${slot}`, sums });
  const worst = candidates
    .filter(({ sums }) => sums.edges > 0)
    .reduce<(typeof candidates)[number] | null>(
      (found, one) => (found === null || shareAbove(one.sums) > shareAbove(found.sums) ? one : found),
      null,
    );
  if (worst === null)
    return notMeasured('backlog', row.unit, row.warnBeyond, 'no phase with a schedule to keep to was completed');
  const measured = shareAbove(worst.sums);
  const found = levelOf(measured, row);
  const kind: Level = found === 'fail' && !isOwnLag ? 'warn' : found;
  const text =
    `${worst.who} was more than 1 % of a window behind its plan for ${percentText(measured)} of the time, ` +
    `by up to ${worst.sums.max} arrivals`;
  const reason = kind === 'pass' ? text : `${text}; the limit is ${percentText(row.warnBeyond)}`;
  return { kind, name: 'backlog', measured, limit: row.warnBeyond, unit: row.unit, reason };
}

function shareAbove(sums: BacklogSums): number {
  return sums.edges === 0 ? 0 : sums.edgesAbove / sums.edges;
}
