import { describe, expect, it } from 'vitest';
import type { Knot } from '../../../../shared/schedule/arrival-law.ts';
import { type Arrival, createArrival } from '../../../../shared/schedule/arrival-stream.ts';
import { allLanes, dealLanes } from '../../../../shared/schedule/deal.ts';
import { LaneBlocks, positionBufferLength } from '../../../../shared/schedule/lane-blocks.ts';
import { LaneStream, firstLayer } from '../../../../shared/schedule/lane-stream.ts';
import { compareArrivals } from '../../../../shared/schedule/merged-stream.ts';
import { compileRateCurve } from '../../../../shared/schedule/rate-curve.ts';
import { rampRate, sineRate } from '../../../../shared/schedule/rate-shapes.ts';
import { drain, instantsOf, knotsOf, vectorSeed } from '../../../support/schedule-of.ts';

interface Shape {
  knots: Knot[];
  laneCount?: number;
  lanes?: Int32Array;
  startNs?: number;
  fromNs?: number;
}

function curveOf(knots: Knot[]) {
  return compileRateCurve(knots, Math.round((knots.at(-1)?.tSeconds ?? 0) * 1e9));
}

function streamOf({ knots, laneCount = 64, lanes = allLanes(laneCount), startNs = 0, fromNs = 0 }: Shape): LaneStream {
  return new LaneStream({
    seed: vectorSeed,
    trialField: 0,
    laneCount,
    lanes,
    curve: curveOf(knots),
    phase: 0,
    startNs,
    fromNs,
  });
}

/** Lanes v1 by its definition: every block of every lane, sorted at the end. */
function listed({ knots, laneCount = 64, lanes = allLanes(laneCount), startNs = 0, fromNs = 0 }: Shape): Arrival[] {
  const curve = curveOf(knots);
  const blocks = new LaneBlocks(vectorSeed, 0);
  const positions = new Float64Array(positionBufferLength);
  const arrivals: Arrival[] = [];
  for (const lane of lanes) {
    for (let block = 0; block * 32 * laneCount < curve.totalMass; block++) {
      const n = blocks.positions(lane, block, positions);
      for (let rank = 0; rank < n; rank++) {
        const mass = (block + (positions[rank] as number)) * 32 * laneCount;
        const intendedNs = startNs + curve.nsOf(mass);
        if (mass < curve.totalMass && intendedNs >= fromNs) {
          arrivals.push({ phase: 0, intendedNs, lane, block, rank, index: 0 });
        }
      }
    }
  }
  return arrivals.sort(compareArrivals);
}

const second = 1e9;

describe('LaneStream', () => {
  it.each<[string, Shape]>([
    ['a constant rate', { knots: knotsOf([0, 1000], [30, 1000]) }],
    ['less than one layer', { knots: knotsOf([0, 10], [30, 10]), laneCount: 256 }],
    ['much less than one arrival', { knots: knotsOf([0, 0.001], [30, 0.001]) }],
    ['many layers of one lane', { knots: knotsOf([0, 1000], [30, 1000]), laneCount: 1 }],
    ['exactly one layer', { knots: knotsOf([0, 2048], [1, 2048]) }],
    ['a ramp from 0', { knots: rampRate(0, 1000, 20) }],
    ['a ramp to 0', { knots: rampRate(1000, 0, 20) }],
    ['a pause', { knots: knotsOf([0, 900], [5, 900], [5, 0], [15, 0], [15, 900], [20, 900]) }],
    ['a pause at each end', { knots: knotsOf([0, 0], [5, 0], [5, 900], [15, 900], [15, 0], [20, 0]) }],
    [
      'a spike in a quiet hour',
      { knots: knotsOf([0, 1], [1800, 1], [1800, 9000], [1801, 9000], [1801, 1], [3600, 1]) },
    ],
    ['a sine of many knots', { knots: sineRate({ meanRatePerSecond: 20, amplitude: 1, periodSeconds: 7 }, 400) }],
    ['instants shared by many', { knots: knotsOf([0, 5e8], [2e-5, 5e8]) }],
    ['every third lane', { knots: knotsOf([0, 1000], [30, 1000]), lanes: dealLanes(64, 3, 1) }],
    ['no lane', { knots: knotsOf([0, 1000], [30, 1000]), lanes: Int32Array.of() }],
    ['a late start', { knots: knotsOf([0, 1000], [30, 1000]), startNs: 7 * second }],
    ['a grant from the middle on', { knots: rampRate(100, 900, 30), startNs: 7 * second, fromNs: 20 * second }],
    ['a grant from before the phase', { knots: knotsOf([0, 500], [10, 500]), startNs: 7 * second, fromNs: 2 * second }],
    ['a grant from after the phase', { knots: knotsOf([0, 500], [10, 500]), startNs: 7 * second, fromNs: 18 * second }],
  ])('lists %s by the law, in order', (_, shape) => {
    expect(drain(streamOf(shape))).toEqual(listed(shape));
  });

  it('orders ties by lane, block and rank, and there are ties to order', () => {
    // A layer of 64 arrivals lasts 173 ns and a fraction, so that layers meet inside a ns.
    const arrivals = drain(streamOf({ knots: knotsOf([0, 3.7e8], [5e-5, 3.7e8]), laneCount: 2 }));
    const instants = instantsOf(arrivals);
    expect(instants.filter((ns, i) => ns === instants[i + 1]).length).toBeGreaterThan(500);
    // A tie of arrivals of two blocks: it crossed the border of two layers.
    const crossing = arrivals.filter(
      (arrival, i) => arrivals[i + 1]?.intendedNs === arrival.intendedNs && arrivals[i + 1]?.block !== arrival.block,
    );
    expect(crossing.length).toBeGreaterThan(0);
    expect(arrivals).toEqual(arrivals.toSorted(compareArrivals));
  });

  it('gives the same arrivals however work ahead is mixed in', () => {
    const shape = { knots: rampRate(0, 4000, 10) };
    const plain = drain(streamOf(shape));
    for (const every of [1, 7, 1000]) {
      const stream = streamOf(shape);
      const arrivals: Arrival[] = [];
      let arrival = createArrival();
      for (let step = 0; ; step++) {
        if (step % every === 0) stream.workAhead();
        const peeked = stream.peekNs();
        if (!stream.next(arrival)) break;
        expect(peeked).toBe(arrival.intendedNs);
        arrivals.push(arrival);
        arrival = createArrival();
      }
      expect(arrivals).toEqual(plain);
    }
  });

  it('draws two windows ahead, then rests until arrivals are taken', () => {
    // 4096 lanes at 100,000 per second: a layer lasts 1.3 s.
    const stream = streamOf({ knots: knotsOf([0, 1e5], [600, 1e5]), laneCount: 4096 });
    let pieces = 0;
    while (stream.workAhead()) pieces++;
    // Two layers of 4096 blocks at 16 blocks a piece, and little else.
    expect(pieces).toBeGreaterThan(2 * (4096 / 16));
    expect(pieces).toBeLessThan(3 * (4096 / 16));
    expect(stream.workAhead()).toBe(false);
    const taken = drain(stream, 200_000);
    expect(taken.at(-1)?.intendedNs).toBeGreaterThan(1.9 * second);
    expect(stream.workAhead()).toBe(true);
  });

  it('leaves an exhausted stream exhausted and `into` untouched', () => {
    const stream = streamOf({ knots: knotsOf([0, 10], [1, 10]) });
    drain(stream);
    const into = { ...createArrival(), intendedNs: 42 };
    expect(stream.next(into)).toBe(false);
    expect(into.intendedNs).toBe(42);
    expect(stream.peekNs()).toBe(Infinity);
    expect(stream.workAhead()).toBe(false);
  });

  it('keeps memory bounded over a long phase', () => {
    // 30 million arrivals expected over 5 minutes; taking the first million must not grow what is held.
    const stream = streamOf({ knots: knotsOf([0, 1e5], [300, 1e5]), laneCount: 1024 });
    const arrival = createArrival();
    const take = (n: number): void => {
      for (let i = 0; i < n; i++) {
        if (i % 64 === 0) stream.workAhead();
        stream.next(arrival);
      }
    };
    take(300_000);
    const before = process.memoryUsage().arrayBuffers;
    take(700_000);
    // A single layer more would be half a megabyte.
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4e6);
  });
});

describe('firstLayer', () => {
  it('is one layer before the one that holds the instant', () => {
    const curve = curveOf(knotsOf([0, 100], [100, 100]));
    expect(firstLayer(curve, 1000, -1)).toBe(0);
    expect(firstLayer(curve, 1000, 5 * second)).toBe(0);
    expect(firstLayer(curve, 1000, 35 * second)).toBe(2);
    expect(firstLayer(curve, 1000, 1e15)).toBe(9);
  });
});
