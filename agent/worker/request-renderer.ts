/**
 * Makes the request of an arrival: which of the plan's named requests, with which data row and identity (design §5, §6).
 * Everything that does not depend on the arrival is made before the start; a request without data or identity is one shared
 * object. Choice and row follow from the arrival's identity alone, so they do not depend on who sends it.
 */

import type { OutboundRequest } from '../client/protocol-client.ts';
import type { Arrival } from '../../shared/schedule/arrival-stream.ts';

export interface RequestRenderer {
  /** Position in `Plan.requests` of the request that `arrival` sends. */
  choose(arrival: Arrival): number;
  /** The request itself; valid until the arrival's request has ended. */
  render(arrival: Arrival, template: number): OutboundRequest;
}
