/** Loads that other tools got wrong, as plans: how many arrivals they have and where, whatever the number of workers. */
import { describe, expect, it } from 'vitest';
import { seedFromBigInt } from '../../../../shared/random/seed.ts';
import { basisOf, instantsOf, unionOf } from '../../../support/schedule-of.ts';
import { planOfText } from '../../../support/plan-of-text.ts';

const SECOND = 1e9;

/** Instants of all phases, ns from T0, over `workers`. */
function instantsOfLoad(load: string, workers: number): number[] {
  const { plan, blobs } = planOfText(`target: {url: "http://127.0.0.1:1"}\nseed: 1\nlanes: 64\nload: [${load}]`);
  const phases = plan.phases.map(({ startNs, durationNs, arrivals }) => ({ startNs, durationNs, law: arrivals }));
  const { laneCount, seed } = plan;
  return instantsOf(unionOf(basisOf(phases, { laneCount, blobs, seed: seedFromBigInt(seed) }), workers));
}

const burst = '{arrivals: even, count: 50, duration: 1m}, {rate: 0, duration: 9m}';

describe('a load that others got wrong', () => {
  it.each<[report: string, load: string, total: number, firstSeconds: number]>([
    [
      'grafana/k6-docs#1565 stages of a rate per minute',
      '{arrivals: even, rate: {points: [{at: 0s, rate: 300/min}, {at: 1m, rate: 300/min}, {at: 3m, rate: 600/min}, {at: 7m, rate: 600/min}, {at: 9m, rate: 60/min}]}}',
      4260,
      0.1,
    ],
    [
      'grafana/k6-docs#516 a stage of no length is a jump',
      '{arrivals: even, rate: {points: [{at: 0s, rate: 50}, {at: 30s, rate: 200}, {at: 30s, rate: 500}, {at: 40s, rate: 500}]}}',
      3750 + 5000,
      0.009995004,
    ],
    ['grafana/k6#1285 a ramp to four a second', '{arrivals: even, rate: {ramp: {from: 0, to: 4}}, duration: 4s}', 8, 1],
    ['gatling/gatling#2940 10 over 5 minutes', '{arrivals: even, count: 10, duration: 5m}', 10, 15],
    [
      'gatling/gatling#3029 bursts with nothing between',
      `{arrivals: even, count: 50, duration: 9m}, {rate: 0, duration: 1m}, ${burst}, ${burst}, ${burst}, ${burst}`,
      250,
      5.4,
    ],
    [
      'gatling/gatling#3504 up to 0.4 a second, and on',
      '{arrivals: even, rate: {ramp: {from: 0, to: 0.4}}, duration: 5m}, {arrivals: even, rate: 0.4, duration: 30m}',
      780,
      27.386127875,
    ],
    ['Hyperfoil/Hyperfoil#368 no one more at the end', '{arrivals: even, rate: 4, duration: 10s}', 40, 0.125],
    ['artilleryio/artillery#1265 a third of a minute apart', '{arrivals: even, count: 3, duration: 1m}', 3, 10],
    ['mcollina/autocannon#390 5000 at a prime rate', '{arrivals: even, rate: 17, count: 5000}', 5000, 0.029411764],
    ['apache/jmeter#6278 666.7 a second', '{arrivals: even, rate: 40000/min, duration: 1m}', 40_000, 0.00075],
    [
      'locustio/locust#2325 half a request in a second',
      '{arrivals: even, rate: {steps: [{rate: 0.5, duration: 1s}, {rate: 3, duration: 1s}, {rate: 5, duration: 1s}, {rate: 4.5, duration: 1s}]}}',
      13,
      1,
    ],
    [
      'delimitrou/DeathStarBench#347 less than one for each worker',
      '{arrivals: even, rate: 10, duration: 1s}',
      10,
      0.05,
    ],
    ['modelscope/evalscope#1162 a rate with a fraction', '{rate: 1.1, count: 260}', 260, 0.457927786],
  ])('%s', (_report, load, total, firstSeconds) => {
    const alone = instantsOfLoad(load, 1);
    expect(alone).toHaveLength(total);
    expect(alone[0]).toBe(Math.round(firstSeconds * SECOND));
    for (const workers of [2, 7, 32]) expect(instantsOfLoad(load, workers)).toEqual(alone);
  });

  it('inference-sim/inference-sim#503 stages keep their own rates', () => {
    const instants = instantsOfLoad('{rate: 5, duration: 600s}, {rate: 10, duration: 600s}', 7);
    const first = instants.filter((ns) => ns < 600 * SECOND).length;
    expect(Math.abs(first - 3000)).toBeLessThan(4 * Math.sqrt(3000));
    expect(Math.abs(instants.length - first - 6000)).toBeLessThan(4 * Math.sqrt(6000));
  });

  it('artilleryio/artillery#724 a thousand, half a minute of nothing, a thousand', () => {
    const batch = '{arrivals: all-at-once, count: 1000}';
    const instants = instantsOfLoad(`${batch}, {rate: 0, duration: 30s}, ${batch}`, 7);
    expect(instants).toEqual([...new Array<number>(1000).fill(0), ...new Array<number>(1000).fill(30 * SECOND)]);
  });
});
