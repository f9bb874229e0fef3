/** How late the workers released, against how long a typical request took (M§9.2): of a run, a phase, an agent or a window. */
import type { Histogram } from '../../shared/histogram/histogram.ts';
import { type Level, millisecondsText, notMeasured, percentText } from './gate-making.ts';
import { GATES, WAKE_LAG_SLACK_NS } from './thresholds-table.ts';
import type { Gate } from './verdict.ts';

/** Judges p99 of `wakeLag` against p50 of `service`. */
export function wakeLagGate(wakeLag: Histogram, service: Histogram): Gate {
  const [p99, p50] = [wakeLag.percentile(99), service.percentile(50)];
  if (p99 === null || p50 === null) return notMeasured('wake-lag', 'ns', null, 'no request was answered');
  const limit = Math.floor(p50 * GATES['wake-lag'].warnBeyond);
  const kind = wakeLagLevel(p99, p50);
  const share = p50 === 0 ? '' : `, ${percentText(p99 / p50)} of it`;
  const text = `wakeLag p99 ${millisecondsText(p99)} against service p50 ${millisecondsText(p50)}${share}`;
  const reason = kind === 'pass' ? text : `${text}, the limit is 10 %: generator-limited`;
  return { kind, name: 'wake-lag', measured: p99, limit, unit: 'ns', reason };
}

/** How grave a wakeLag of `p99Ns` is beside a service time of `serviceP50Ns`. */
export function wakeLagLevel(p99Ns: number, serviceP50Ns: number): Level {
  const { warnBeyond, failBeyond } = GATES['wake-lag'];
  if (p99Ns > Math.max(serviceP50Ns * failBeyond, WAKE_LAG_SLACK_NS)) return 'fail';
  return p99Ns > Math.floor(serviceP50Ns * warnBeyond) ? 'warn' : 'pass';
}
