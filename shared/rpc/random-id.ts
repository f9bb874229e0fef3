/**
 * Names that must be unique (runs, agents, processes) and the jitter of reconnects: the only chance in the program that comes
 * from the host and not from the seed. No load and no result depends on it.
 */
import { randomBytes } from 'node:crypto';

/** A fresh name: `prefix`, a dash and 12 random hex digits (48 bits). */
export function randomId(prefix: string): string {
  return `${prefix}-${randomBytes(6).toString('hex')}`;
}

/** A fresh number in [0, 1), for jitter. */
export function randomShare(): number {
  return randomBytes(4).readUInt32LE() / 2 ** 32;
}
