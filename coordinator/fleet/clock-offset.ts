/**
 * The offset of an agent's monotonic clock to the coordinator's from four-timestamp probes (M§8). Pure arithmetic; any unit of
 * time, as long as it is one. Durations are never measured across clocks: the offset places T0 and lines up windows, no more.
 */

/** One probe: sent and answer received on the coordinator's clock, received and answered on the agent's. */
export interface ClockProbe {
  readonly sent: number;
  readonly received: number;
  readonly answered: number;
  readonly returned: number;
}

/** What one probe, or the best of several, says. */
export interface ClockOffset {
  /** Agent's clock minus coordinator's: ((t2 - t1) + (t3 - t4)) / 2. */
  readonly offset: number;
  /** Time on the way, both ways together: (t4 - t1) - (t3 - t2). */
  readonly roundTrip: number;
  /** The offset is right to within this, whatever the asymmetry of the two ways: roundTrip / 2. */
  readonly bound: number;
}

/** The offset that one probe shows. */
export function offsetOf(probe: ClockProbe): ClockOffset {
  const roundTrip = probe.returned - probe.sent - (probe.answered - probe.received);
  const offset = (probe.received - probe.sent + (probe.answered - probe.returned)) / 2;
  return { offset, roundTrip, bound: roundTrip / 2 };
}

/** The offset of the probe with the shortest way, which has the smallest bound; null without probes. */
export function bestOffset(probes: readonly ClockProbe[]): ClockOffset | null {
  let best: ClockOffset | null = null;
  for (const probe of probes) {
    const found = offsetOf(probe);
    if (best === null || found.roundTrip < best.roundTrip) best = found;
  }
  return best;
}
