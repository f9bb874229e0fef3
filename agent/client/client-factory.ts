/** Picks the protocol client of a worker by the plan (design §6): the only place that knows all of them. */

import { FleetError } from '../../shared/fleet-error.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import type { Clock } from '../../shared/time/monotonic-clock.ts';
import type { ProtocolClient } from './protocol-client.ts';
import { UndiciClient } from './undici-client.ts';
import { WireClient } from './wire/wire-client.ts';

/**
 * A client for `plan`, on the worker's run clock. Making a connection is bounded by the plan's timeout: a request's own deadline runs
 * from its send.
 * @throws FleetError 'plan' for a protocol that no client speaks.
 */
export function createClient(plan: Plan, clock: Clock): ProtocolClient {
  const { url, tlsServerName, insecure, connectTo, httpVersion, client } = plan.target;
  if (httpVersion === '2') {
    throw new FleetError('plan', `target.httpVersion: "${httpVersion}" is not supported yet; use "1.1" or "auto"`);
  }
  const options = {
    url,
    connectionsMax: plan.limits.connections,
    connectTimeoutNs: plan.limits.timeoutNs,
    tlsServerName,
    insecure,
    connectTo,
    clock,
  };
  return client === 'wire' ? new WireClient(options) : new UndiciClient(options);
}
