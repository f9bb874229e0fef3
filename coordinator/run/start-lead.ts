/** How far ahead of the end of arming T0 lies (M§8): seconds over a network, half a second on loopback, settable. Pure. */

const LOOPBACK_LEAD_NS = 500_000_000;
const NETWORK_LEAD_NS = 5_000_000_000;
/** The order has to reach everyone well before T0. */
const ROUND_TRIPS = 20;

/** The lead in ns. `asked`: the plan's own, null for the default; never less than 20 of the longest round trips. */
export function startLeadNs(asked: number | null, isLoopback: boolean, roundTripMaxNs: number): number {
  const wished = asked ?? (isLoopback ? LOOPBACK_LEAD_NS : NETWORK_LEAD_NS);
  return Math.max(wished, Math.ceil(ROUND_TRIPS * roundTripMaxNs));
}
