/** Samples outside the histogram's range (R062): counted, but their size is only known to be beyond an hour. */
import type { Gate } from './verdict.ts';

/** Judges their count. */
export function overflowGate(count: number): Gate {
  const reason =
    count === 0
      ? 'every sample was in range'
      : `${count} samples were outside the histogram and were clamped to one hour`;
  return { kind: count === 0 ? 'pass' : 'warn', name: 'overflow', measured: count, limit: 0, unit: 'count', reason };
}
