/**
 * A small schedule that every agent computes when it joins: a machine whose arithmetic or code differs shows another digest
 * and is refused, instead of sending a schedule of its own (M§1.3, design §8).
 */

import { createArrival } from './arrival-stream.ts';
import { allLanes } from './deal.ts';
import { openPhaseStream } from './phase-stream.ts';
import { rampRate } from './rate-shapes.ts';
import { type Sha256, digestInstants } from './schedule-digest.ts';

/** The digest a right machine shows: the S = 16 ramp vector of M§1.3. */
export const goldenScheduleSha256 = '206486783fb8e485417c6f19d302196d571b00f86f82903790941e6387937a97';

const laneCount = 16;
const durationSeconds = 60;

/** Computes the golden schedule (a ramp from 100 to 700 per second over 60 s, 24,084 arrivals) and returns its digest. */
export function goldenScheduleDigest(sha256: Sha256): string {
  const stream = openPhaseStream(
    {
      seed: { lo: 0x89ab_cdef, hi: 0x0123_4567 },
      trial: 0,
      laneCount,
      phases: [
        {
          startNs: 0,
          durationNs: durationSeconds * 1e9,
          law: { kind: 'poisson', knots: rampRate(100, 700, durationSeconds) },
        },
      ],
      blobs: new Map(),
    },
    0,
    { lanes: allLanes(laneCount), fromNs: 0 },
  );
  const instants: number[] = [];
  const arrival = createArrival();
  while (stream.next(arrival)) instants.push(arrival.intendedNs);
  return digestInstants(instants, sha256);
}
