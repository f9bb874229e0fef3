/**
 * `HOST:PORT` of a coordinator to dial. Until TLS exists it is on this host: a plan goes there with its secrets, in clear (design §12).
 * Text only; no name is looked up.
 */

import { FleetError } from '../shared/fleet-error.ts';
import { isLoopbackHost } from '../shared/listen-address.ts';

/** Checks `HOST:PORT` or `[IPV6]:PORT` and gives it back. @throws FleetError 'usage' naming `flag`, also for what is not loopback. */
export function readHostPort(text: string, flag: string): string {
  const [, bracketed, plain, port] =
    /^(?:\[([0-9A-Fa-f:.]+(?:%[A-Za-z0-9._-]+)?)\]|([^\s:/[\]@?#]+)):([0-9]{1,5})$/.exec(text) ?? [];
  if (port === undefined || Number(port) < 1 || Number(port) > 65_535) {
    throw new FleetError(
      'usage',
      `${flag} "${text.slice(0, 60)}" is not HOST:PORT with a port in 1..65535, e.g. 127.0.0.1:7400`,
    );
  }
  if (!isLoopbackHost(bracketed ?? plain ?? '')) {
    throw new FleetError(
      'usage',
      `${flag} "${text.slice(0, 60)}" is not a loopback address: until TLS exists nothing of a fleet goes over a network; ` +
        'reach another host through a tunnel that ends at 127.0.0.1',
    );
  }
  return text;
}
