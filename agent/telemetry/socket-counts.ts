/** TCP sockets of this network namespace by state, from /proc/net/sockstat: cheap whatever their number. */

/** Sockets now. */
export interface SocketCounts {
  readonly inUse: number;
  /** Closed, their local port kept for a minute. */
  readonly timeWait: number;
  readonly orphan: number;
}

/** Reads the text of /proc/net/sockstat; null when it has no line for TCP. */
export function parseSockstat(text: string): SocketCounts | null {
  const line = /^TCP: (.*)$/m.exec(text)?.[1];
  if (line === undefined) return null;
  const numberOf = (name: string): number | null => {
    const value = new RegExp(`\\b${name} (\\d+)`).exec(line)?.[1];
    return value === undefined ? null : Number(value);
  };
  const [inUse, timeWait, orphan] = [numberOf('inuse'), numberOf('tw'), numberOf('orphan')];
  return inUse === null || timeWait === null || orphan === null ? null : { inUse, timeWait, orphan };
}

/** Reads the text of /proc/net/sockstat6: IPv6 sockets in use, which are in none of the counts above but TIME_WAIT; null when it has no line for TCP. */
export function parseSockstat6(text: string): number | null {
  const value = /^TCP6: inuse (\d+)/m.exec(text)?.[1];
  return value === undefined ? null : Number(value);
}
