/**
 * Which pacing the workers of an agent use: `hybrid` unless its spinning threads would leave no core for anything else on the
 * host, the target included; then `timer`, and the report says so (design §6).
 */
import type { Pacing } from '../../shared/plan/plan.ts';

/** The pacing and how it is written in the report. */
export interface ResolvedPacing {
  readonly mode: Exclude<Pacing, 'auto'>;
  readonly text: string;
}

/** `hostWorkers`: worker threads of this run on the whole host, those of other agents included. */
export function resolvePacing(asked: Pacing, hostWorkers: number, cores: number): ResolvedPacing {
  const takesEveryCore = hostWorkers >= cores;
  const threads = `${hostWorkers} worker threads on ${cores} ${cores === 1 ? 'core' : 'cores'}`;
  if (asked === 'auto') {
    return takesEveryCore
      ? { mode: 'timer', text: `timer (not hybrid: ${threads} would take every core)` }
      : { mode: 'hybrid', text: 'hybrid' };
  }
  return { mode: asked, text: takesEveryCore && asked !== 'timer' ? `${asked} (as asked, with ${threads})` : asked };
}
