/**
 * A server that stands still now and then, without a clock: what open-loop and closed-loop clients see of it, and what
 * the after-the-fact "correction" of the latter makes of it (M§2). The correction lives in tests only: the project never
 * back-fills.
 */

/** Stretches [start, end) in which no work is done, ascending and apart. Times in ms. */
export type Freezes = readonly (readonly [start: number, end: number])[];

/** When `work` ms of service that begin at `start` are done. */
function endOf(start: number, work: number, freezes: Freezes): number {
  let now = start;
  let left = work;
  for (const [from, to] of freezes) {
    if (to <= now) continue;
    if (now + left <= from) break;
    left -= Math.max(0, from - now);
    now = to;
  }
  return now + left;
}

/** Response times, from the intended instant, of arrivals that wait their turn at one server. */
export function openLoopResponses(arrivals: readonly number[], serviceMs: number, freezes: Freezes): number[] {
  let free = -Infinity;
  return arrivals.map((arrival) => {
    free = endOf(Math.max(arrival, free), serviceMs, freezes);
    return free - arrival;
  });
}

/** As `openLoopResponses`, at a server that serves any number at once. */
export function parallelResponses(arrivals: readonly number[], serviceMs: number, freezes: Freezes): number[] {
  return arrivals.map((arrival) => {
    const thaw = freezes.find(([from, to]) => arrival >= from && arrival < to)?.[1];
    return thaw === undefined ? serviceMs : thaw - arrival;
  });
}

/** Response times as a closed loop measures them: one request at a time, the next one `intervalMs` later or at once. */
export function closedLoopResponses(
  intervalMs: number,
  serviceMs: number,
  freezes: Freezes,
  untilMs: number,
): number[] {
  const responses: number[] = [];
  for (let send = 0; send < untilMs; ) {
    const end = endOf(send, serviceMs, freezes);
    responses.push(end - send);
    send = Math.max(send + intervalMs, end);
  }
  return responses;
}

/** Tene's correction of one value: itself, then value - interval, value - 2 interval, ... while at least the interval. */
export function correctedValues(value: number, interval: number): number[] {
  const values = [value];
  for (let missing = value - interval; missing >= interval; missing -= interval) values.push(missing);
  return values;
}
