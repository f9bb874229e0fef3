/**
 * How fast a worker's schedule is made: drawing, inversion of the rate curve and time order across its lanes, as the worker
 * pulls it (some work ahead now and then, then the next arrival). Run: `node bench/micro/schedule.ts [name] [--smoke]`.
 */
import { philox4x32 } from '../../shared/random/philox.ts';
import type { ArrivalLaw } from '../../shared/schedule/arrival-law.ts';
import { createArrival } from '../../shared/schedule/arrival-stream.ts';
import { countArrivals } from '../../shared/schedule/count-arrivals.ts';
import { allLanes, dealLanes } from '../../shared/schedule/deal.ts';
import type { ScheduleBasis } from '../../shared/schedule/phase-stream.ts';
import { constantRate, rampRate } from '../../shared/schedule/rate-shapes.ts';
import { createWorkerSchedule } from '../../shared/schedule/worker-schedule.ts';
import { type MicroBench, runFromCommandLine } from './runner.ts';

const hourNs = 3_600_000_000_000;
const pullsPerPiece = 16;

function basisOf(law: ArrivalLaw, laneCount: number): ScheduleBasis {
  const phases = [{ startNs: 0, durationNs: hourNs, law }];
  return { seed: { lo: 0x89ab_cdef, hi: 0x0123_4567 }, trial: 0, laneCount, phases, blobs: new Map() };
}

function hex(hash: number): string {
  return (hash >>> 0).toString(16).padStart(8, '0');
}

/** Pulls `count` arrivals of worker slot 0 of W and hashes instants and identities in order. */
function pull(law: ArrivalLaw, laneCount: number, workerSlots: number, count: number): string {
  const ownedLanes = [{ lanes: dealLanes(laneCount, workerSlots, 0), fromNs: 0 }];
  const stream = createWorkerSchedule({ ...basisOf(law, laneCount), ownedLanes });
  const arrival = createArrival();
  let hash = 0;
  for (let i = 0; i < count; i++) {
    if (i % pullsPerPiece === 0) stream.workAhead();
    if (!stream.next(arrival)) throw new Error(`the schedule ended after ${i} of ${count} arrivals`);
    const low = arrival.intendedNs | 0;
    hash = Math.imul(hash ^ low, 0x9e37_79b1) + arrival.lane + arrival.rank + arrival.index;
  }
  return hex(hash);
}

const hour = hourNs / 1e9;

/** The benches of the schedule. The first is the figure to watch: 10 million arrivals, time order included. */
export const scheduleBenches: readonly MicroBench[] = [
  {
    name: 'schedule/lanes-4096-of-4096',
    unit: 'arrivals',
    count: 10_000_000,
    smokeCount: 20_000,
    run: (count) => pull({ kind: 'poisson', knots: constantRate(1e5, hour) }, 4096, 1, count),
  },
  {
    name: 'schedule/lanes-64-of-4096',
    unit: 'arrivals',
    count: 10_000_000,
    smokeCount: 20_000,
    run: (count) => pull({ kind: 'poisson', knots: constantRate(6.4e6, hour) }, 4096, 64, count),
  },
  {
    name: 'schedule/lanes-65536-of-65536',
    unit: 'arrivals',
    count: 10_000_000,
    smokeCount: 20_000,
    run: (count) => pull({ kind: 'poisson', knots: constantRate(1e6, hour) }, 65_536, 1, count),
  },
  {
    name: 'schedule/lanes-ramp',
    unit: 'arrivals',
    count: 10_000_000,
    smokeCount: 20_000,
    run: (count) => pull({ kind: 'poisson', knots: rampRate(0, 1e6, hour) }, 4096, 2, count),
  },
  {
    name: 'schedule/exact-count',
    unit: 'arrivals',
    count: 2_000_000,
    smokeCount: 20_000,
    run: (count) => pull({ kind: 'poisson-count', knots: constantRate(1, hour), count: 2 * count }, 4096, 2, count),
  },
  {
    name: 'schedule/even',
    unit: 'arrivals',
    count: 10_000_000,
    smokeCount: 20_000,
    run: (count) => pull({ kind: 'even', knots: constantRate(1e5, hour) }, 4096, 4, count),
  },
  {
    name: 'schedule/gamma',
    unit: 'arrivals',
    count: 1_000_000,
    smokeCount: 5_000,
    run: (count) => pull({ kind: 'gamma', ratePerSecond: 5e4, burstiness: 0.25 }, 4096, 1, count),
  },
  {
    name: 'schedule/count-arrivals',
    unit: 'arrivals',
    count: 600_000_000,
    smokeCount: 2_000_000,
    run: (count) => {
      const basis = basisOf({ kind: 'poisson', knots: constantRate(count / hour, hour) }, 4096);
      return hex(countArrivals(basis, { phase: 0, lanes: allLanes(4096) }));
    },
  },
  {
    name: 'random/philox4x32',
    unit: 'calls',
    count: 10_000_000,
    smokeCount: 20_000,
    run: (count) => {
      const words = new Uint32Array(4);
      let hash = 0;
      for (let i = 0; i < count; i++) {
        philox4x32(i, 1, 2, 3, 4, 5, words);
        hash = Math.imul(hash, 31) ^ (words[0] as number);
      }
      return hex(hash);
    },
  },
];

if (import.meta.main)
  runFromCommandLine(scheduleBenches, process.argv.slice(2), (line) => process.stdout.write(`${line}\n`));
