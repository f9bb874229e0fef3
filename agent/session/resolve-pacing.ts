/**
 * Which pacing the workers of an agent use: `hybrid` unless its spinning threads would leave no core for anything else on the
 * host, the target included, or would be throttled by a cgroup quota; then `timer`, and the report says so (design §6).
 */
import type { Pacing } from '../../shared/plan/plan.ts';
import type { HostLimits } from '../telemetry/host-limits.ts';

/**
 * What `hybrid` spins at most for one arrival, ns: the margin that it begins with, and half of the millisecond by which a timer must be too
 * early. With no request open it spins a tenth of that.
 */
const SPIN_PER_ARRIVAL_NS = 2_000_000;
/** Part of the host that spinning may take where there is a thread for each core: the rest is for their work and for everything else. */
const SPIN_SHARE_MAX = 0.25;

/** The pacing and how it is written in the report. */
export interface ResolvedPacing {
  readonly mode: Exclude<Pacing, 'auto'>;
  readonly text: string;
}

/** The workers of one run on a host. */
export interface HostLoad {
  /** Their threads, those of other agents included. */
  readonly workers: number;
  /** Instants a second that all of them together wait for, at most; Infinity where that is not known. */
  readonly waitsPerSecond: number;
}

export function resolvePacing(
  asked: Pacing,
  { workers, waitsPerSecond }: HostLoad,
  { cores, quotaCores }: Pick<HostLimits, 'cores' | 'quotaCores'>,
): ResolvedPacing {
  const quota = quotaCores ?? Infinity;
  const spinsLittle = (waitsPerSecond * SPIN_PER_ARRIVAL_NS) / 1e9 <= SPIN_SHARE_MAX * Math.min(cores, quota);
  const isCheap = asked === 'timer' || (asked !== 'spin' && spinsLittle);
  const isThrottled = !isCheap && workers >= quota;
  const takesEveryCore = !isCheap && workers >= cores;
  const threads = `${workers} worker threads on ${cores} ${cores === 1 ? 'core' : 'cores'}`;
  const underQuota = `a cgroup quota of ${quota} cores would throttle ${workers} spinning threads`;
  if (asked === 'auto') {
    if (isThrottled) return { mode: 'timer', text: `timer (not hybrid: ${underQuota})` };
    return takesEveryCore
      ? { mode: 'timer', text: `timer (not hybrid: ${threads} would take every core)` }
      : { mode: 'hybrid', text: 'hybrid' };
  }
  if (!(isThrottled || takesEveryCore)) return { mode: asked, text: asked };
  return { mode: asked, text: `${asked} (as asked, ${isThrottled ? `though ${underQuota}` : `with ${threads}`})` };
}
