/** How late the platform's timers fire on this machine, apart from any load. */

import type { Spread } from '../../shared/calibration/calibration.ts';
import { nearestRank } from '../../shared/histogram/nearest-rank.ts';
import { hostTimekeeper } from '../../shared/time/timekeeper.ts';

/** Each timer waits this long, ns. */
const WAIT_NS = 2_000_000;

/** Sets `count` timers one after the other and gives back how late they were. */
export async function measureTimerError(count: number): Promise<Spread> {
  const lateNs: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const dueNs = hostTimekeeper.nowNs() + WAIT_NS;
    await new Promise<void>((resolve) => {
      hostTimekeeper.after(WAIT_NS, resolve);
    });
    lateNs.push(Math.max(0, hostTimekeeper.nowNs() - dueNs));
  }
  return spreadOf(lateNs);
}

/** Percentiles of a list by nearest rank. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (percentage: number): number | null =>
    sorted.length === 0 ? null : (sorted[nearestRank(percentage, sorted.length) - 1] as number);
  return { p50: at(50), p99: at(99), p999: at(99.9), max: at(100) };
}
