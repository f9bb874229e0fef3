/** Requests that failed by our own fault (R032): no local port, no file handle, a defect. Such a run is never simply passed. */
import { levelOf, notMeasured } from './gate-making.ts';
import { GATES } from './thresholds-table.ts';
import type { Gate } from './verdict.ts';

/** Failures of class `generator` in the measured phases. */
export interface GeneratorFailures {
  readonly count: number;
  readonly attempted: number;
  /** What they said, most frequent first. */
  readonly details: readonly string[];
}

/** Judges their share. */
export function generatorFailuresGate({ count, attempted, details }: GeneratorFailures): Gate {
  const row = GATES['generator-failures'];
  if (attempted === 0) return notMeasured('generator-failures', row.unit, row.warnBeyond, 'no request was attempted');
  const measured = count / attempted;
  const kind = levelOf(measured, row);
  const what = details.length === 0 ? '' : ` (${details.join('; ')})`;
  const reason =
    kind === 'pass'
      ? 'no request failed by our own fault'
      : `${count} of ${attempted} requests failed by our own fault${what}`;
  return { kind, name: 'generator-failures', measured, limit: row.warnBeyond, unit: row.unit, reason };
}
