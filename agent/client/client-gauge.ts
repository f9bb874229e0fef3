/** What a client can say of itself for the report beyond its counters: use of addresses, peaks. Read at each hand-over. */

import type { AddressUse } from './target-address.ts';

/** One figure, cumulative or a peak so far. */
export interface ClientGauge {
  readonly name: string;
  readonly value: number;
}

/** Requests and connections per address; none while there is only one, which is then the whole. */
export function gaugesOfAddresses(uses: readonly AddressUse[]): readonly ClientGauge[] {
  if (uses.length < 2) return [];
  return uses.flatMap(({ host, requests, connections }) => [
    { name: `requestsTo ${host}`, value: requests },
    { name: `connectionsTo ${host}`, value: connections },
  ]);
}
