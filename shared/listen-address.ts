/**
 * Reads `HOST:PORT` as given to every `--listen`, and refuses what is not loopback: until TLS exists, nothing of loadfleet may
 * be reached from another host (design §12). Text only; no name is looked up.
 */

import { FleetError } from './fleet-error.ts';

/** Where to listen. */
export interface ListenAddress {
  /** A literal loopback address: 127.x.y.z or ::1. */
  readonly host: string;
  /** 0 lets the system choose a free port. */
  readonly port: number;
}

/**
 * Reads `127.0.0.1:8080`, `localhost:0` or `[::1]:8080`.
 * @throws FleetError code `usage` for other text, a port above 65535, or a host that is not loopback.
 */
export function parseLoopbackListen(text: string): ListenAddress {
  const match = /^(?:\[(?<bracketed>[^\]]*)\]|(?<plain>[^:\s]+)):(?<port>[0-9]{1,5})$/.exec(text);
  const port = Number(match?.groups?.['port']);
  if (match?.groups === undefined || port > 65_535) {
    throw new FleetError(
      'usage',
      `listen: "${text}" is not HOST:PORT with a port in 0..65535, e.g. 127.0.0.1:0 or [::1]:8080`,
    );
  }
  const host = match.groups['bracketed'] ?? match.groups['plain'] ?? '';
  if (!isLoopbackHost(host)) {
    throw new FleetError(
      'usage',
      `listen: "${text}" is not a loopback address; until TLS exists only 127.0.0.1, localhost or [::1] are allowed`,
    );
  }
  return { host: host.toLowerCase() === 'localhost' ? '127.0.0.1' : host, port };
}

/** True for 127.0.0.0/8, ::1 and the name localhost; any other name could resolve to anything. */
export function isLoopbackHost(host: string): boolean {
  if (host.toLowerCase() === 'localhost' || host === '::1') return true;
  const octets = /^127\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(host)?.slice(1);
  return octets !== undefined && octets.every((octet) => Number(octet) <= 255);
}
