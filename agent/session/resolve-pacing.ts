/**
 * Which pacing the workers of an agent use: `hybrid` unless its spinning threads would leave no core for anything else on the
 * host, the target included, or would be throttled by a cgroup quota; then `timer`, and the report says so (design §6).
 */
import type { Pacing } from '../../shared/plan/plan.ts';
import type { HostLimits } from '../telemetry/host-limits.ts';

/** The pacing and how it is written in the report. */
export interface ResolvedPacing {
  readonly mode: Exclude<Pacing, 'auto'>;
  readonly text: string;
}

/** `hostWorkers`: worker threads of this run on the whole host, those of other agents included. */
export function resolvePacing(
  asked: Pacing,
  hostWorkers: number,
  { cores, quotaCores }: Pick<HostLimits, 'cores' | 'quotaCores'>,
): ResolvedPacing {
  const quota = quotaCores ?? Infinity;
  const isThrottled = hostWorkers >= quota;
  const takesEveryCore = hostWorkers >= cores;
  const threads = `${hostWorkers} worker threads on ${cores} ${cores === 1 ? 'core' : 'cores'}`;
  const underQuota = `a cgroup quota of ${quota} cores would throttle ${hostWorkers} spinning threads`;
  if (asked === 'auto') {
    if (isThrottled) return { mode: 'timer', text: `timer (not hybrid: ${underQuota})` };
    return takesEveryCore
      ? { mode: 'timer', text: `timer (not hybrid: ${threads} would take every core)` }
      : { mode: 'hybrid', text: 'hybrid' };
  }
  if (asked === 'timer' || !(isThrottled || takesEveryCore)) return { mode: asked, text: asked };
  return { mode: asked, text: `${asked} (as asked, ${isThrottled ? `though ${underQuota}` : `with ${threads}`})` };
}
