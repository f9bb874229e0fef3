/** How fast a harness went in the middle of a run, told by what the target had generated and by the CPU time that the harness had used. */

/** Both totals at one instant. */
export interface TokenSample {
  readonly atSeconds: number;
  readonly cpuSeconds: number;
  readonly tokens: number;
}

export interface TokenPace {
  readonly tokensPerSecond: number;
  /** CPU seconds per second. */
  readonly cpuShare: number;
}

/** Shares of all tokens between which a run is in full swing. */
const MIDDLE = [0.2, 0.8] as const;

/** The pace between a fifth and four fifths of `tokensInAll`; NaN where fewer than two samples lie there. */
export function middlePace(samples: readonly TokenSample[], tokensInAll: number): TokenPace {
  const [from, to] = MIDDLE;
  const middle = samples.filter(({ tokens }) => tokens >= from * tokensInAll && tokens <= to * tokensInAll);
  const [first, last] = [middle[0], middle.at(-1)];
  if (first === undefined || last === undefined || first === last)
    return { tokensPerSecond: Number.NaN, cpuShare: Number.NaN };
  const seconds = last.atSeconds - first.atSeconds;
  return {
    tokensPerSecond: (last.tokens - first.tokens) / seconds,
    cpuShare: (last.cpuSeconds - first.cpuSeconds) / seconds,
  };
}
