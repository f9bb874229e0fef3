/** What a client can say of itself for the report beyond its counters: use of addresses, peaks. Read at each hand-over. */

import type { AddressUse } from './target-address.ts';

/** One figure, cumulative or a peak so far. */
export interface ClientGauge {
  readonly name: string;
  readonly value: number;
}

/** Handshakes of TLS that came about, by what they cost a server. */
export interface HandshakeCounts {
  full: number;
  /** Took up a session of before: without the server's signature, which is most of what a full one costs it. */
  resumed: number;
}

/** How many handshakes of TLS there were, of all openers; none in clear. */
export function gaugesOfHandshakes(counts: readonly HandshakeCounts[]): readonly ClientGauge[] {
  const [full, resumed] = [
    counts.reduce((sum, each) => sum + each.full, 0),
    counts.reduce((sum, each) => sum + each.resumed, 0),
  ];
  if (full + resumed === 0) return [];
  return [
    { name: 'tlsHandshakesFull', value: full },
    { name: 'tlsHandshakesResumed', value: resumed },
  ];
}

/** Requests and connections per address; none while there is only one, which is then the whole. */
export function gaugesOfAddresses(uses: readonly AddressUse[]): readonly ClientGauge[] {
  if (uses.length < 2) return [];
  return uses.flatMap(({ host, requests, connections }) => [
    { name: `requestsTo ${host}`, value: requests },
    { name: `connectionsTo ${host}`, value: connections },
  ]);
}
