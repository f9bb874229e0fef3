/** What every arrival stream promises to the worker that pulls from it (`shared/schedule/arrival-stream.ts`), law by law. */
import { describe, expect, it } from 'vitest';
import type { ArrivalLaw } from '../../shared/schedule/arrival-law.ts';
import { type Arrival, type ArrivalStream, createArrival } from '../../shared/schedule/arrival-stream.ts';
import { dealLanes } from '../../shared/schedule/deal.ts';
import { compareArrivals } from '../../shared/schedule/merged-stream.ts';
import { createWorkerSchedule } from '../../shared/schedule/worker-schedule.ts';
import { basisOf, drain, identityText, knotsOf, poisson, traceOf, unionOf } from '../support/schedule-of.ts';

const knots = knotsOf([0, 0], [2, 600], [3, 600], [3, 0], [4, 0], [4, 300], [6, 0]);
const trace = traceOf(Array.from({ length: 800 }, (_, i) => Math.floor(i ** 2 * 9000)));

const laws: [string, ArrivalLaw][] = [
  ['poisson', { kind: 'poisson', knots }],
  ['poisson at a low rate', poisson([0, 2], [6, 2])],
  ['poisson-count', { kind: 'poisson-count', knots, count: 1500 }],
  ['even', { kind: 'even', knots }],
  ['trace', trace.law],
  ['all-at-once', { kind: 'all-at-once', count: 300 }],
  ['gamma', { kind: 'gamma', ratePerSecond: 200, burstiness: 0.25 }],
  ['nothing', poisson([0, 0], [6, 0])],
];

describe.each(laws)('an arrival stream of %s', (_, law) => {
  const startNs = 1_500_000_000;
  const basis = basisOf([{ startNs, durationNs: 6e9, law }], { laneCount: 64, blobs: trace.blobs });
  const open = (workerSlots: number, slot: number): ArrivalStream =>
    createWorkerSchedule({ ...basis, ownedLanes: [{ lanes: dealLanes(64, workerSlots, slot), fromNs: 0 }] });

  it('is in order and inside its phase', () => {
    const arrivals = drain(open(1, 0));
    expect(arrivals).toEqual(arrivals.toSorted(compareArrivals));
    expect(arrivals.every((each) => each.intendedNs >= startNs && each.intendedNs < startNs + 6e9)).toBe(true);
    expect(arrivals.every((each) => Number.isInteger(each.intendedNs))).toBe(true);
  });

  it('peeks at what comes next, without moving', () => {
    const stream = open(3, 1);
    const arrival = createArrival();
    for (;;) {
      const peeked = stream.peekNs();
      expect(stream.peekNs()).toBe(peeked);
      if (!stream.next(arrival)) {
        expect(peeked).toBe(Infinity);
        break;
      }
      expect(arrival.intendedNs).toBe(peeked);
    }
    expect(stream.next(arrival)).toBe(false);
    expect(stream.peekNs()).toBe(Infinity);
    expect(stream.workAhead()).toBe(false);
  });

  it('overwrites every field of the record it is given', () => {
    const dirty: Arrival = { phase: 9, intendedNs: -1, lane: -1, block: -1, rank: -1, index: -1 };
    const clean = createArrival();
    const [a, b] = [open(2, 0), open(2, 0)];
    while (a.next(clean)) {
      expect(b.next(dirty)).toBe(true);
      expect(dirty).toEqual(clean);
      Object.assign(dirty, { phase: 9, intendedNs: -1, lane: -1, block: -1, rank: -1, index: -1 });
    }
  });

  it('gives the same with and without work ahead, which ends by itself', () => {
    const plain = drain(open(2, 1));
    const stream = open(2, 1);
    const ahead: Arrival[] = [];
    let pieces = 0;
    do {
      while (stream.workAhead()) expect(pieces++).toBeLessThan(10_000);
      ahead.push(...drain(stream, 97));
    } while (stream.peekNs() !== Infinity);
    expect(ahead).toEqual(plain);
  });

  it('splits into shares that are the whole, each arrival once, for any number of workers', () => {
    const whole = unionOf(basis);
    expect(new Set(whole.map(identityText)).size).toBe(whole.length);
    for (const workerSlots of [2, 3, 7, 100]) expect(unionOf(basis, workerSlots)).toEqual(whole);
  });
});
