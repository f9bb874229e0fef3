/** Parts of result.json that every scope has (the run, a phase, an agent, a request name): rates and traffic. */

/** Rates over the scheduled length; null when it is 0. */
export interface RateValue {
  readonly intendedPerSecond: number | null;
  readonly sentPerSecond: number | null;
  readonly okPerSecond: number | null;
}

/** What went over the connections. */
export interface TrafficValue {
  readonly bytesSent: number;
  readonly bytesReceived: number;
  /** Of bodies with a Content-Encoding, after decoding. */
  readonly bytesDecoded: number;
  readonly connectionsTried: number;
  readonly connectionsOpened: number;
  /** Closed by us because of their age (`limits.connectionAge`). */
  readonly connectionsRetired: number;
  readonly retries: number;
  readonly redirects: number;
  /** Samples outside the histogram's range: clamped and counted (R062). */
  readonly overflow: number;
}
