/**
 * Recorded instants: the trace as a blob of float64 little-endian integers, ns from the phase start, ascending. Written
 * once where the plan is compiled (`parse-instants.ts` reads the user's file), read by every worker without copying.
 */

import { FleetError } from '../fleet-error.ts';
import { type IndexedInstants, firstIndexFrom } from './indexed-instants.ts';

const bytesPerInstant = 8;

/** Whether this host keeps numbers in the blob's byte order. */
const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** Packs instants (ns from the phase start, integers, ascending) into a blob. */
export function encodeInstants(instantsNs: ArrayLike<number>): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(instantsNs.length * bytesPerInstant);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < instantsNs.length; i++) view.setFloat64(i * bytesPerInstant, instantsNs[i] as number, true);
  return bytes;
}

/**
 * Reads a blob of instants back; a view of `bytes` where alignment and byte order allow, else a copy.
 * @throws FleetError 'plan' unless it holds exactly `count` ascending integers >= 0.
 */
export function decodeInstants(bytes: Uint8Array, count: number): Float64Array {
  if (bytes.byteLength !== count * bytesPerInstant) {
    throw new FleetError(
      'plan',
      `trace: ${bytes.byteLength} bytes do not hold ${count} instants of ${bytesPerInstant} bytes`,
    );
  }
  const instants = viewOrCopy(bytes, count);
  let before = 0;
  for (let i = 0; i < count; i++) {
    const ns = instants[i] as number;
    if (!(ns >= before) || !Number.isSafeInteger(ns)) {
      throw new FleetError(
        'plan',
        `trace: instant ${i} is ${ns} ns, it must be an integer and not before ${before} ns`,
      );
    }
    before = ns;
  }
  return instants;
}

function viewOrCopy(bytes: Uint8Array, count: number): Float64Array {
  if (isLittleEndian && bytes.byteOffset % bytesPerInstant === 0) {
    return new Float64Array(bytes.buffer, bytes.byteOffset, count);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Float64Array.from({ length: count }, (_, i) => view.getFloat64(i * bytesPerInstant, true));
}

/** The recorded instants that lie inside a phase of `durationNs`; later ones are not part of the phase. */
export function traceInstants(instantsNs: Float64Array, durationNs: number): IndexedInstants {
  const nsOf = (index: number): number => instantsNs[index] as number;
  return { count: firstIndexFrom({ count: instantsNs.length, nsOf }, durationNs), nsOf };
}
