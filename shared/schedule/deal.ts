/**
 * Who owns which lanes. A deal is a list of lanes per worker slot, a grant is what one slot holds: pieces of lanes, each
 * from an instant on. Ownership of an arrival is decided by its integer instant alone: intendedNs >= fromNs belongs to the
 * receiver, < fromNs to whoever had the lane before (design §5, §8).
 */

import { FleetError } from '../fleet-error.ts';

/** Most lanes of a plan: 64 for each of 4096 worker slots. */
export const laneCountMax = 262_144;

/** Lanes that a worker slot owns from an instant on. */
export interface GrantPiece {
  /** Lane numbers, ascending, none twice. */
  readonly lanes: Int32Array;
  /** First instant that is the slot's, ns from T0; 0 for the deal at the start. */
  readonly fromNs: number;
}

/**
 * Checks S.
 * @throws FleetError 'plan' unless `laneCount` is a power of two in 1..laneCountMax.
 */
export function assertLaneCount(laneCount: number): void {
  const isPowerOfTwo = Number.isInteger(laneCount) && laneCount >= 1 && Number.isInteger(Math.log2(laneCount));
  if (!isPowerOfTwo || laneCount > laneCountMax) {
    throw new FleetError('plan', `lanes: ${laneCount} is not a power of two in 1..${laneCountMax}`);
  }
}

/** The lanes of worker slot k of W at the start: those with lane mod W = k, ascending. */
export function dealLanes(laneCount: number, workerSlots: number, slot: number): Int32Array {
  const count = slot < laneCount ? Math.ceil((laneCount - slot) / workerSlots) : 0;
  return Int32Array.from({ length: count }, (_, i) => slot + i * workerSlots);
}

/** A worker slot that has few lanes on purpose: that of an otherwise idle agent beside a loaded fleet (M§9.3). */
export interface ProbeDeal {
  readonly slot: number;
  /** Lanes that it has, 1..S. */
  readonly lanes: number;
}

/** How the lanes of a plan are dealt at the start. */
export interface LaneDeal {
  /** S. */
  readonly laneCount: number;
  /** W, the probe's included. */
  readonly workerSlots: number;
  readonly probe: ProbeDeal | null;
}

/**
 * The lanes of a slot at the start, ascending. Without a probe those with lane mod W = slot. A probe has lanes spread evenly over
 * all; the others are dealt in turn to the other slots. Every lane has one owner, so the union is the plan's schedule (P3).
 */
export function lanesOfSlot({ laneCount, workerSlots, probe }: LaneDeal, slot: number): Int32Array {
  if (probe === null) return dealLanes(laneCount, workerSlots, slot);
  const probed = Int32Array.from({ length: probe.lanes }, (_, i) => Math.floor((i * laneCount) / probe.lanes));
  if (slot === probe.slot) return probed;
  const others = Math.max(1, workerSlots - 1);
  const place = slot < probe.slot ? slot : slot - 1;
  const taken = new Set(probed);
  return allLanes(laneCount)
    .filter((lane) => !taken.has(lane))
    .filter((_, rank) => rank % others === place);
}

/** All lanes, ascending: for counts and lists of a whole phase. */
export function allLanes(laneCount: number): Int32Array {
  return dealLanes(laneCount, 1, 0);
}

/** Lanes as a bitset of ceil(S / 8) bytes: lane l is bit l mod 8 of byte floor(l / 8). */
export function bitsetFromLanes(lanes: Int32Array, laneCount: number): Uint8Array {
  const bits = new Uint8Array(Math.ceil(laneCount / 8));
  for (const lane of lanes) bits[lane >>> 3] = (bits[lane >>> 3] as number) | (1 << (lane & 7));
  return bits;
}

/**
 * The lanes of a bitset, ascending.
 * @throws FleetError 'protocol' if its length does not fit S or a bit lies beyond S.
 */
export function lanesFromBitset(bits: Uint8Array, laneCount: number): Int32Array {
  if (bits.length !== Math.ceil(laneCount / 8)) {
    throw new FleetError('protocol', `grant: a bitset of ${bits.length} bytes for ${laneCount} lanes`);
  }
  const lanes: number[] = [];
  for (let lane = 0; lane < bits.length * 8; lane++) {
    if (((bits[lane >>> 3] as number) & (1 << (lane & 7))) !== 0) lanes.push(lane);
  }
  if ((lanes.at(-1) ?? 0) >= laneCount) {
    throw new FleetError('protocol', `grant: lane ${String(lanes.at(-1))} of a plan with ${laneCount} lanes`);
  }
  return Int32Array.from(lanes);
}
