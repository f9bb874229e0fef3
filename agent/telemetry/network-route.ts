/**
 * Which network card leads to an address, from the routing tables of /proc/net: the longest prefix that matches, of equal ones the
 * least metric. Policy routing and other tables are not read, so an answer may be missing, but for them not wrong. Pure.
 */
import { isIPv4 } from 'node:net';

/** The loopback device. */
export const LOOPBACK = 'lo';

interface Route {
  readonly card: string;
  readonly prefixLength: number;
  readonly metric: number;
}

/** Flag of a route that is up. */
const RTF_UP = 1;

/**
 * The card to `address` (an IP literal). `ownAddresses` are those of this host: what goes to them never leaves it. Null = no route is
 * known.
 */
export function cardTo(
  address: string,
  tables: { readonly ipv4: string | null; readonly ipv6: string | null },
  ownAddresses: ReadonlySet<string>,
): string | null {
  if (ownAddresses.has(address) || address === '::1' || address.startsWith('127.')) return LOOPBACK;
  const routes = isIPv4(address)
    ? routes4(tables.ipv4 ?? '', bitsOf4(address))
    : routes6(tables.ipv6 ?? '', bitsOf6(address));
  const best = [...routes].sort((a, b) => b.prefixLength - a.prefixLength || a.metric - b.metric)[0];
  return best?.card ?? null;
}

/** Matching lines of /proc/net/route: numbers in hex, addresses in the byte order of the host (little-endian). */
function routes4(table: string, address: string): Route[] {
  return rowsOf(table.slice(table.indexOf('\n') + 1)).flatMap((row) => {
    const [card = '', destination = '', , flags = '0', , , metric = '0', mask = ''] = row;
    const prefixLength = bitsOfLittleEndian(mask).replace(/0+$/, '').length;
    const isMatch = bitsOfLittleEndian(destination).slice(0, prefixLength) === address.slice(0, prefixLength);
    return isMatch && (Number.parseInt(flags, 16) & RTF_UP) !== 0
      ? [{ card, prefixLength, metric: Number(metric) }]
      : [];
  });
}

/** Matching lines of /proc/net/ipv6_route: destination, prefix length, source, its length, gateway, metric, two counts, flags, card. */
function routes6(table: string, address: string): Route[] {
  return rowsOf(table).flatMap((row) => {
    const [destination = '', length = '0', , , , metric = '0', , , flags = '0', card = ''] = row;
    const prefixLength = Number.parseInt(length, 16);
    const isMatch = bitsOfHex(destination).slice(0, prefixLength) === address.slice(0, prefixLength);
    return isMatch && (Number.parseInt(flags, 16) & RTF_UP) !== 0
      ? [{ card, prefixLength, metric: Number.parseInt(metric, 16) }]
      : [];
  });
}

function rowsOf(table: string): string[][] {
  return table
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((row) => row.length >= 8);
}

function bitsOf4(address: string): string {
  return address
    .split('.')
    .map((byte) => Number(byte).toString(2).padStart(8, '0'))
    .join('');
}

function bitsOf6(address: string): string {
  // Zones name a card, not an address; an address that ends in dotted form keeps its last 32 bits.
  const plain = address
    .replace(/%.*$/, '')
    .replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_all, ...bytes: string[]) =>
      [0, 2].map((at) => (Number(bytes[at]) * 256 + Number(bytes[at + 1])).toString(16)).join(':'),
    );
  const [head = '', tail] = plain.split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const left = groups(head);
  const right = groups(tail ?? '');
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length;
  const all = [...left, ...Array.from({ length: Math.max(0, zeros) }, () => '0'), ...right];
  return bitsOfHex(all.map((group) => group.padStart(4, '0')).join(''));
}

function bitsOfHex(hex: string): string {
  return hex.replace(/./g, (digit) => Number.parseInt(digit, 16).toString(2).padStart(4, '0'));
}

function bitsOfLittleEndian(hex: string): string {
  return bitsOfHex((hex.match(/../g) ?? []).reverse().join(''));
}
