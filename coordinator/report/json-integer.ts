/** Integers in JSON without loss (design §10). */

/** An exact integer: a number up to 2^53, decimal text above. */
export type JsonInteger = number | string;

/** `value` without loss. */
export function jsonInteger(value: bigint): JsonInteger {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}
