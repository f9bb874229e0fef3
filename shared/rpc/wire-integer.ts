/**
 * Integers on the border: protobuf gives 64-bit fields as bigint, the domain uses exact numbers (integers up to 2^53 - 1).
 * Everything that comes in is checked; nothing is rounded.
 */
import { FleetError } from '../fleet-error.ts';

/** The exact number of a signed or unsigned 64-bit field. @throws FleetError `protocol` naming `field` beyond +-(2^53 - 1). */
export function exactFromWire(field: string, value: bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) {
    throw new FleetError('protocol', `${field} is ${value}, the limit is ${Number.MAX_SAFE_INTEGER}`);
  }
  return number;
}

/** The 64-bit field of an integer. @throws FleetError `internal` naming `field` for anything but an exact integer. */
export function exactToWire(field: string, value: number): bigint {
  if (!Number.isSafeInteger(value)) {
    throw new FleetError('internal', `${field} is ${value}, only exact integers can be sent`);
  }
  return BigInt(value);
}

/** Checks a 32-bit field against an inclusive limit. @throws FleetError `protocol` naming `field`. */
export function atMostFromWire(field: string, value: number, limit: number): number {
  if (value > limit) throw new FleetError('protocol', `${field} is ${value}, the limit is ${limit}`);
  return value;
}

/** Checks the length of a text. @throws FleetError `protocol` naming `field`, its length and the limit. */
export function textFromWire(field: string, value: string, lengthMax: number): string {
  if (value.length > lengthMax) {
    throw new FleetError('protocol', `${field} has ${value.length} characters, the limit is ${lengthMax}`);
  }
  return value;
}

/** A message field that must be there. @throws FleetError `protocol` naming `field`. */
export function requiredFromWire<T>(field: string, value: T | undefined): T {
  if (value === undefined) throw new FleetError('protocol', `${field} is missing`);
  return value;
}
