/** Picks the protocol client of a worker by the plan (design §6): the only place that knows all of them. */

import { assertNever } from '../../shared/assert-never.ts';
import { FleetError } from '../../shared/fleet-error.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import { type Clock, hostClock } from '../../shared/time/monotonic-clock.ts';
import { H2Client } from './h2/h2-client.ts';
import type { ProtocolClient } from './protocol-client.ts';
import { UndiciClient } from './undici/undici-client.ts';
import { WireClient } from './wire/wire-client.ts';

/**
 * A client for `plan`, on the worker's run clock. Making a connection is bounded by the plan's timeout: a request's own deadline runs
 * from its send. `auto` is the wire client; HTTP/2 is spoken only where the plan asks for it, because it changes what is measured.
 * @throws FleetError 'plan' for a combination that no client speaks.
 */
export function createClient(plan: Plan, clock: Clock): ProtocolClient {
  const { url, tlsServerName, insecure, connectTo, proxy, httpVersion, client } = plan.target;
  const options = {
    url,
    connectionsMax: plan.limits.connections,
    connectTimeoutNs: plan.limits.timeoutNs,
    connectionAgeNs: plan.limits.connectionAgeNs,
    tlsServerName,
    insecure,
    connectTo,
    clock,
    steadyClock: hostClock,
  };
  if (httpVersion === '2') {
    if (client !== 'undici') return new H2Client(options);
    throw new FleetError('plan', `target.client: "${client}" does not speak HTTP/2 here; use "auto", or http "1.1"`);
  }
  switch (client) {
    case 'auto':
    case 'wire':
      return new WireClient({ ...options, proxy });
    case 'undici':
      return new UndiciClient(options);
    default:
      return assertNever(client);
  }
}
