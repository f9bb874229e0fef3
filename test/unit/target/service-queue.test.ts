import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvariantError } from '../../../shared/fleet-error.ts';
import { serviceTimeNs } from '../../../target/request-draw.ts';
import { ServiceQueue } from '../../../target/service-queue.ts';

interface Job {
  readonly arrivalNs: number;
  readonly serviceNs: number;
}

/**
 * The same queue by other means: an event simulation with a line and a set of busy servers, one event at a time.
 * Shares no idea with the heap of free instants under test.
 */
function simulate(jobs: readonly Job[], servers: number): number[] {
  const endsNs: number[] = jobs.map(() => NaN);
  const line: number[] = [];
  let busy: { job: number; endNs: number }[] = [];
  let nextArrival = 0;
  while (nextArrival < jobs.length || line.length > 0) {
    const nextEndNs = Math.min(Infinity, ...busy.map((server) => server.endNs));
    const arrivalNs = jobs[nextArrival]?.arrivalNs ?? Infinity;
    const nowNs = Math.min(nextEndNs, arrivalNs);
    busy = busy.filter((server) => server.endNs > nowNs);
    if (arrivalNs <= nowNs) line.push(nextArrival++);
    while (busy.length < servers && line.length > 0) {
      const job = line.shift()!;
      endsNs[job] = nowNs + jobs[job]!.serviceNs;
      if (endsNs[job] > nowNs) busy.push({ job, endNs: endsNs[job] });
    }
  }
  return endsNs;
}

/** The waiting-time recursion of Kiefer and Wolfowitz on the sorted workload vector. */
function kieferWolfowitz(jobs: readonly Job[], servers: number): number[] {
  let workNs = new Array<number>(servers).fill(0);
  let lastNs = 0;
  return jobs.map(({ arrivalNs, serviceNs }) => {
    workNs = workNs.map((work) => Math.max(0, work - (arrivalNs - lastNs)));
    lastNs = arrivalNs;
    const waitNs = workNs[0]!;
    workNs[0] = waitNs + serviceNs;
    workNs.sort((a, b) => a - b);
    return arrivalNs + waitNs + serviceNs;
  });
}

function endsOf(jobs: readonly Job[], servers: number | null): number[] {
  const queue = new ServiceQueue(servers);
  return jobs.map(({ arrivalNs, serviceNs }) => queue.admit(arrivalNs, serviceNs).endNs);
}

const jobsOf = (gaps: readonly (readonly [number, number])[]): Job[] => {
  let arrivalNs = 0;
  return gaps.map(([gapNs, serviceNs]) => ({ arrivalNs: (arrivalNs += gapNs), serviceNs }));
};

describe('ServiceQueue', () => {
  it('serves one line with two servers, by hand', () => {
    const jobs = [
      { arrivalNs: 0, serviceNs: 10 },
      { arrivalNs: 1, serviceNs: 2 },
      { arrivalNs: 2, serviceNs: 5 },
      { arrivalNs: 3, serviceNs: 5 },
      { arrivalNs: 30, serviceNs: 1 },
    ];
    const queue = new ServiceQueue(2);
    expect(jobs.map((job) => queue.admit(job.arrivalNs, job.serviceNs))).toEqual([
      { startNs: 0, endNs: 10 },
      { startNs: 1, endNs: 3 },
      { startNs: 3, endNs: 8 },
      { startNs: 8, endNs: 13 },
      { startNs: 30, endNs: 31 },
    ]);
  });

  it('never makes anyone wait without a number of servers', () => {
    expect(
      endsOf(
        jobsOf([
          [0, 5],
          [0, 5],
          [1, 7],
        ]),
        null,
      ),
    ).toEqual([5, 5, 8]);
  });

  it('agrees with an event simulation and with Kiefer-Wolfowitz for any arrivals and any number of servers', () => {
    const gaps = fc.array(fc.tuple(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 100 })), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(gaps, fc.integer({ min: 1, max: 9 }), (drawn, servers) => {
        const jobs = jobsOf(drawn);
        const ends = endsOf(jobs, servers);
        expect(ends).toEqual(simulate(jobs, servers));
        expect(ends).toEqual(kieferWolfowitz(jobs, servers));
      }),
    );
  });

  it.each([1, 4, 16])('keeps its own service draws straight in a long M/M/%d run', (servers) => {
    const law = { kind: 'exponential', meanNs: 10e6 } as const;
    const jobs: Job[] = Array.from({ length: 20_000 }, (_, index) => ({
      arrivalNs: Math.floor((index * 12e6) / servers),
      serviceNs: serviceTimeNs(7n, { kind: 'indexed', trial: 0, phase: 0, index }, law),
    }));
    expect(endsOf(jobs, servers)).toEqual(kieferWolfowitz(jobs, servers));
  });

  it('refuses arrivals out of order and impossible numbers of servers', () => {
    const queue = new ServiceQueue(1);
    queue.admit(10, 1);
    expect(() => queue.admit(9, 1)).toThrow(InvariantError);
    for (const servers of [0, -1, 1.5, NaN, 1_000_001]) expect(() => new ServiceQueue(servers)).toThrow(/servers/);
  });
});
