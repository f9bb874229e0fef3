/**
 * How long to wait before the next attempt to connect: doubling from 100 ms to 5 s, of which a random half to whole, so that a
 * fleet that lost its coordinator does not come back in step (R083).
 */

const FIRST_NS = 100_000_000;
const LONGEST_NS = 5_000_000_000;

/** The delay before attempt `attempt` (1 = the first after a failure), ns. `share` is random in [0, 1). */
export function backOffNs(attempt: number, share: number): number {
  const wholeNs = Math.min(LONGEST_NS, FIRST_NS * 2 ** Math.min(attempt - 1, 30));
  return Math.round((wholeNs / 2) * (1 + share));
}
