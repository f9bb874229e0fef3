/** Schedules for tests: the seed of the published vectors, short ways to write laws, and whole lists of arrivals. */
import { createHash } from 'node:crypto';
import { type Seed } from '../../shared/random/seed.ts';
import { type ArrivalLaw, type Knot, type PhaseSchedule } from '../../shared/schedule/arrival-law.ts';
import { type Arrival, type ArrivalStream, createArrival } from '../../shared/schedule/arrival-stream.ts';
import { dealLanes } from '../../shared/schedule/deal.ts';
import { compareArrivals } from '../../shared/schedule/merged-stream.ts';
import { type ScheduleBasis } from '../../shared/schedule/phase-stream.ts';
import { encodeInstants } from '../../shared/schedule/trace.ts';
import { createWorkerSchedule } from '../../shared/schedule/worker-schedule.ts';

/** Seed 0x0123456789abcdef of the vectors in methods section 1.3. */
export const vectorSeed: Seed = { lo: 0x89ab_cdef, hi: 0x0123_4567 };

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Knots from pairs [seconds, rate per second]. */
export function knotsOf(...points: readonly (readonly [tSeconds: number, ratePerSecond: number])[]): Knot[] {
  return points.map(([tSeconds, ratePerSecond]) => ({ tSeconds, ratePerSecond }));
}

/** A Poisson lanes law from pairs [seconds, rate per second]. */
export function poisson(...points: readonly (readonly [tSeconds: number, ratePerSecond: number])[]): ArrivalLaw {
  return { kind: 'poisson', knots: knotsOf(...points) };
}

/** Phases one after the other from pairs [law, seconds]. */
export function phasesOf(...parts: readonly (readonly [law: ArrivalLaw, seconds: number])[]): PhaseSchedule[] {
  let startNs = 0;
  return parts.map(([law, seconds]) => {
    const phase = { startNs, durationNs: Math.round(seconds * 1e9), law };
    startNs += phase.durationNs;
    return phase;
  });
}

/** A trial with these phases, on the vectors' seed unless `more` says otherwise. */
export function basisOf(phases: readonly PhaseSchedule[], more: Partial<ScheduleBasis> = {}): ScheduleBasis {
  return { seed: vectorSeed, trial: 0, laneCount: 16, blobs: new Map(), ...more, phases };
}

/** A trace law and the store that holds its blob. */
export function traceOf(instantsNs: readonly number[]): { law: ArrivalLaw; blobs: ReadonlyMap<string, Uint8Array> } {
  const bytes = encodeInstants(instantsNs);
  const ref = { name: 'trace.csv', sha256: sha256(bytes), sizeBytes: bytes.length };
  return {
    law: { kind: 'trace', instants: ref, count: instantsNs.length },
    blobs: new Map([[ref.sha256, bytes]]),
  };
}

/** Takes everything a stream has, up to `limit` arrivals. */
export function drain(stream: ArrivalStream, limit = Infinity): Arrival[] {
  const arrivals: Arrival[] = [];
  let arrival = createArrival();
  while (arrivals.length < limit && stream.next(arrival)) {
    arrivals.push(arrival);
    arrival = createArrival();
  }
  return arrivals;
}

/** The arrivals of worker slot k of W. */
export function shareOf(basis: ScheduleBasis, workerSlots: number, slot: number): Arrival[] {
  const lanes = dealLanes(basis.laneCount, workerSlots, slot);
  return drain(createWorkerSchedule({ ...basis, ownedLanes: [{ lanes, fromNs: 0 }] }));
}

/** The union over all of W worker slots, in order. */
export function unionOf(basis: ScheduleBasis, workerSlots = 1): Arrival[] {
  const shares = Array.from({ length: workerSlots }, (_, slot) => shareOf(basis, workerSlots, slot));
  return shares.flat().sort(compareArrivals);
}

export function instantsOf(arrivals: readonly Arrival[]): number[] {
  return arrivals.map((arrival) => arrival.intendedNs);
}

/** The identity of an arrival as text, for sets. */
export function identityText({ phase, lane, block, rank, index }: Arrival): string {
  return [phase, lane, block, rank, index].join('.');
}
