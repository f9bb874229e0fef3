/**
 * The questions that a load can ask, and what its answer does not show. The mode follows from the arrival law, so no plan can name one and
 * do another; a plan may say it to be held to it.
 */

import { assertNever } from '../assert-never.ts';
import type { ArrivalLaw } from '../schedule/arrival-law.ts';

/**
 * `single-stream`: one request at a time, the floor of the response time; `closed-loop`: several slots that each wait for their answer;
 * `server`: arrivals that wait for nobody; `offline`: everything at once, how fast the work gets done.
 */
export const LOAD_MODES = ['single-stream', 'closed-loop', 'server', 'offline'] as const;

export type LoadMode = (typeof LOAD_MODES)[number];

/** The mode of a law. */
export function modeOf(law: ArrivalLaw): LoadMode {
  switch (law.kind) {
    case 'poisson':
    case 'poisson-count':
    case 'even':
    case 'trace':
    case 'gamma':
      return 'server';
    case 'all-at-once':
      return 'offline';
    case 'closed':
      return law.concurrency === 1 ? 'single-stream' : 'closed-loop';
    default:
      return assertNever(law);
  }
}

/** What the numbers of this mode do not show, in words that follow on `does not show`; null for the open loop. */
export function notShownBy(mode: LoadMode): string | null {
  switch (mode) {
    case 'server':
      return null;
    case 'single-stream':
      return 'queueing, or what the target does under load: one request at a time shows the floor of the response time';
    case 'closed-loop':
      return 'queueing or overload: a slow target slows the requests down; response = service + our own delay';
    case 'offline':
      return 'the response time of users: a request waits behind the rest of the batch; how fast the work gets done is shown';
    default:
      return assertNever(mode);
  }
}
