/** `HOST:PORT` of a coordinator to dial. */

import { FleetError } from '../shared/fleet-error.ts';

/** Checks `HOST:PORT` or `[IPV6]:PORT` and gives it back. @throws FleetError 'usage' naming `flag`. */
export function readHostPort(text: string, flag: string): string {
  const port = /^(?:\[[0-9A-Fa-f:.%]+\]|[^\s:/[\]@?#]+):([0-9]{1,5})$/.exec(text)?.[1];
  if (port !== undefined && Number(port) >= 1 && Number(port) <= 65_535) return text;
  throw new FleetError(
    'usage',
    `${flag} "${text.slice(0, 60)}" is not HOST:PORT with a port in 1..65535, e.g. 127.0.0.1:7400`,
  );
}
