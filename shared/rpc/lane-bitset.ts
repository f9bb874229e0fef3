/** Lanes as bits: lane l is bit l mod 8 of byte l div 8. A grant of 4096 lanes is at most 512 bytes. */

/** The bitset of ascending or unordered lane numbers. */
export function lanesToBitset(lanes: ArrayLike<number>): Uint8Array {
  let last = -1;
  for (let i = 0; i < lanes.length; i += 1) last = Math.max(last, lanes[i] as number);
  const bits = new Uint8Array(Math.ceil((last + 1) / 8));
  for (let i = 0; i < lanes.length; i += 1) {
    const lane = lanes[i] as number;
    bits[lane >>> 3] = (bits[lane >>> 3] as number) | (1 << (lane & 7));
  }
  return bits;
}

/** The lane numbers of a bitset, ascending. */
export function lanesFromBitset(bits: Uint8Array): Int32Array {
  const lanes: number[] = [];
  for (let byte = 0; byte < bits.length; byte += 1) {
    for (let bit = 0; bit < 8; bit += 1) {
      if (((bits[byte] as number) & (1 << bit)) !== 0) lanes.push(byte * 8 + bit);
    }
  }
  return Int32Array.from(lanes);
}
