/**
 * Digests of a schedule, to show that two of them are the same list: the one a plan gives and the one a fleet sent, or the
 * ones two machines compute. The hash is an argument (SHA-256, as lower-case hex), so that this stays pure.
 */

import type { Arrival } from './arrival-stream.ts';
import { compareArrivals } from './merged-stream.ts';

/** SHA-256 of some bytes as 64 lower-case hex digits. */
export type Sha256 = (bytes: Uint8Array) => string;

/** The digest of instants alone (M§1.3): `sortedNs`, integer ns ascending, each as an unsigned 64-bit little-endian number. */
export function digestInstants(sortedNs: ArrayLike<number>, sha256: Sha256): string {
  const bytes = new Uint8Array(sortedNs.length * 8);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < sortedNs.length; i++) setUint64(view, i * 8, sortedNs[i] as number);
  return sha256(bytes);
}

const bytesPerArrival = 32;

/**
 * The digest of identities and instants, whatever the order and the split over workers the arrivals come in: sorted by
 * (intendedNs, phase, identity), each as phase, lane, block, rank (unsigned 32-bit) and intendedNs, index (unsigned 64-bit),
 * little-endian.
 */
export function digestArrivals(arrivals: readonly Arrival[], sha256: Sha256): string {
  const bytes = new Uint8Array(arrivals.length * bytesPerArrival);
  const view = new DataView(bytes.buffer);
  for (const [i, arrival] of arrivals.toSorted(compareArrivals).entries()) {
    const at = i * bytesPerArrival;
    view.setUint32(at, arrival.phase, true);
    view.setUint32(at + 4, arrival.lane, true);
    view.setUint32(at + 8, arrival.block, true);
    view.setUint32(at + 12, arrival.rank, true);
    setUint64(view, at + 16, arrival.intendedNs);
    setUint64(view, at + 24, arrival.index);
  }
  return sha256(bytes);
}

function setUint64(view: DataView, at: number, value: number): void {
  view.setUint32(at, value, true);
  view.setUint32(at + 4, Math.floor(value / 4_294_967_296), true);
}
