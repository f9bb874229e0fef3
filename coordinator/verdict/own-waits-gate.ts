/**
 * Requests that our own limits held back (M§9.2): the in-flight cap, a connection that others held, a stream. Such a cap turns an open
 * loop into a closed one. Making a connection is the target's time and not counted.
 */
import { levelOf } from './gate-making.ts';
import { GATES } from './thresholds-table.ts';
import type { Gate } from './verdict.ts';

/** Counts of the measured phases. */
export interface OwnWaits {
  /** Waited above `maxInFlight` or for a connection that others held. */
  readonly queued: number;
  readonly forStream: number;
  /** Not attempted at all, because the cap or the queue was full. */
  readonly dropped: number;
  /** Of those at the cap, how many had found room but for answers that were here and still being decoded. */
  readonly behindDecoding: number;
}

/** Judges the counts. */
export function ownWaitsGate({ queued, forStream, dropped, behindDecoding }: OwnWaits): Gate {
  const row = GATES['own-waits'];
  const measured = queued + forStream + dropped;
  const kind = levelOf(measured, row);
  const parts = [
    [queued, 'waited for the in-flight cap or a connection that others held'],
    [forStream, 'waited for a stream'],
    [dropped, 'were dropped because the cap was full'],
  ] as const;
  // Of a batch no wait counts, and so none behind decoding.
  const decoding = Math.min(behindDecoding, queued + dropped);
  const advice = [
    ...(measured > decoding ? ['raise limits.connections or limits.maxInFlight'] : []),
    ...(decoding > 0
      ? [
          `${decoding} of them at a cap that was full of answers whose bodies we were still decoding: more workers or agents decode faster, expect: {decoded: false} leaves it out`,
        ]
      : []),
  ].join('; ');
  const text = parts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  const reason =
    kind === 'pass'
      ? 'no request was held back by a limit of the plan'
      : `requests were held back by limits of the plan: ${text.join(', ')}; ${advice}`;
  return { kind, name: 'own-waits', measured, limit: row.warnBeyond, unit: row.unit, reason };
}
