/**
 * The share of the fleet's own waits in all response time (M§9.2): what it adds to the mean. Own are wakeLag and the waits for the
 * in-flight cap, for a connection that others hold, and for a stream; the time in which a connection is made is the target's.
 */
import { levelOf, millisecondsText, notMeasured, percentText } from './gate-making.ts';
import { GATES, OWN_LAG_SLACK_NS } from './thresholds-table.ts';
import type { Gate } from './verdict.ts';

/** Sums over the ok requests of the measured phases, or over failed and unfinished ones (with their age) when none was ok, ns. */
export interface TimeSums {
  readonly requests: number;
  readonly responseNs: number;
  readonly wakeLagNs: number;
  /** Waits of our own making between release and send. */
  readonly ownWaitNs: number;
  /** All between release and send. */
  readonly waitNs: number;
}

/** Judges the sums. Only wakeLag can make a run invalid: a wait for a cap is named by the plan, and may be the target's doing. */
export function lagShareGate(times: TimeSums): Gate {
  const row = GATES['lag-share'];
  if (times.requests === 0 || times.responseNs === 0) {
    return notMeasured('lag-share', row.unit, row.warnBeyond, 'no request ended');
  }
  const ownNs = times.wakeLagNs + times.ownWaitNs;
  const measured = ownNs / times.responseNs;
  const mean = ownNs / times.requests;
  const isSlight = mean <= OWN_LAG_SLACK_NS;
  const isGrave = levelOf(times.wakeLagNs / times.responseNs, row) === 'fail';
  const kind = isSlight ? 'pass' : isGrave ? 'fail' : levelOf(measured, { ...row, failBeyond: null });
  const text = `${percentText(measured)} of all response time was our own lag, ${millisecondsText(mean)} for each request`;
  const reason = kind === 'pass' ? text : `${text}; the limit is ${percentText(row.warnBeyond)}: generator-limited`;
  return { kind, name: 'lag-share', measured, limit: row.warnBeyond, unit: row.unit, reason };
}

/** Whether most of the lag is wakeLag: then a send that is late is ours, else a connection or a cap was waited for. */
export function isOwnLag({ wakeLagNs, waitNs }: TimeSums): boolean {
  return wakeLagNs >= waitNs;
}
