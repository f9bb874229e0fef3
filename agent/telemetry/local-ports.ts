/** Local ports that outgoing connections can take, and how many of them are taken (R032). */

/** Inclusive range of ports. */
export interface PortRange {
  readonly low: number;
  readonly high: number;
}

/** Reads the text of /proc/sys/net/ipv4/ip_local_port_range. */
export function parsePortRange(text: string): PortRange | null {
  const [low, high] = text.trim().split(/\s+/).map(Number);
  return low !== undefined && high !== undefined && low > 0 && high >= low ? { low, high } : null;
}

/** Number of ports in a range. */
export function portsIn({ low, high }: PortRange): number {
  return high - low + 1;
}

const LISTEN = '0A';

/** Adds the local ports of the range that a text of /proc/net/tcp or tcp6 shows to `into`; a listening socket takes none of them. */
export function collectLocalPorts(text: string, { low, high }: PortRange, into: Set<number>): void {
  for (const line of text.split('\n').slice(1)) {
    const [, local, , state] = line.trim().split(/\s+/);
    const port = Number.parseInt(local?.slice(local.lastIndexOf(':') + 1) ?? '', 16);
    if (state !== LISTEN && port >= low && port <= high) into.add(port);
  }
}
