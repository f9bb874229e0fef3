import { describe, expect, it } from 'vitest';
import { countArrivals } from '../../../../shared/schedule/count-arrivals.ts';
import { allLanes } from '../../../../shared/schedule/deal.ts';
import { DROP_REASONS, FAILURE_CLASSES } from '../../../../shared/metrics/outcome.ts';
import type { Phase, Plan } from '../../../../shared/plan/plan.ts';
import type { ArrivalLaw } from '../../../../shared/schedule/arrival-law.ts';
import { createPlan, createRequestTemplate, DEFAULT_LIMITS } from '../../../support/plan-fixture.ts';
import { basisOf, TrialSimulation } from '../../../support/trial-simulation.ts';

const MS = 1e6;
const SECOND = 1e9;

function even(ratePerSecond: number, seconds: number): ArrivalLaw {
  return {
    kind: 'even',
    knots: [
      { tSeconds: 0, ratePerSecond },
      { tSeconds: seconds, ratePerSecond },
    ],
  };
}

function phase(name: string, startNs: number, durationNs: number, arrivals: ArrivalLaw): Phase {
  return { name, warmup: false, startNs, durationNs, arrivals };
}

/** P4 in integers over everything handed over. */
function expectBalanced(run: TrialSimulation): void {
  for (const book of [run.book.bind(run), run.namedBook.bind(run)]) {
    const dropped = DROP_REASONS.reduce((sum, reason) => sum + book(`dropped:${reason}`), 0);
    const failed = FAILURE_CLASSES.reduce((sum, failure) => sum + book(`failed:${failure}`), 0);
    expect(book('decided')).toBe(book('attempted') + dropped + book('cancelled'));
    expect(book('attempted')).toBe(book('ok') + failed + book('unfinished'));
    expect(book('sent')).toBeLessThanOrEqual(book('attempted'));
  }
}

function scheduled(plan: Plan): number {
  const basis = basisOf(plan);
  return plan.phases.reduce(
    (sum, _phase, index) => sum + countArrivals(basis, { phase: index, lanes: allLanes(plan.laneCount) }),
    0,
  );
}

describe('a trial in virtual time', () => {
  it('sends every arrival, never early, and balances its books', () => {
    const plan = createPlan({ ratePerSecond: 500, durationNs: 5 * SECOND });
    const run = new TrialSimulation({ plan, answer: () => ({ serviceNs: 2 * MS }) }).run();
    expect(run.book('attempted')).toBe(scheduled(plan));
    expect(run.book('ok')).toBe(run.book('attempted'));
    expect(run.histogram('wakeLag').min).toBeGreaterThanOrEqual(0);
    expect(run.histogram('service').min).toBe(2 * MS);
    expectBalanced(run);
  });

  it('books what the client sends for the phase in which it is sent', () => {
    const phases = [
      phase('first', 0, 1.5 * SECOND, even(100, 1.5)),
      phase('second', 1.5 * SECOND, SECOND, even(300, 1)),
    ];
    const run = new TrialSimulation({
      plan: createPlan({ overrides: { phases } }),
      answer: () => {
        run.client.counters.bytesSent += 1;
        return { serviceNs: MS };
      },
    });
    run.run();
    expect([run.book('bytes-sent', 0), run.book('bytes-sent', 1)]).toEqual([150, 300]);
  });

  it('R001 keeps absolute instants when every dispatch costs 5 ms', () => {
    const plan = createPlan({ ratePerSecond: 100, durationNs: 60 * SECOND });
    const run = new TrialSimulation({ plan, answer: () => ({ serviceNs: MS }), sendCostNs: 5 * MS }).run();
    const sent = run.book('sent');
    expect(sent).toBe(scheduled(plan));
    expect(Math.abs(sent - 6000)).toBeLessThan(4 * Math.sqrt(6000));
    // Half of the worker's time is free, so the lag stays a queue's, it does not add up over the minute.
    expect(run.histogram('wakeLag').percentile(50)).toBeLessThan(20 * MS);
  });

  it('R002 shows lag apart, near timer noise at 0.1/s and 1/s', () => {
    for (const ratePerSecond of [0.1, 1]) {
      const seconds = 200;
      const base = createPlan({ durationNs: seconds * SECOND });
      const plan: Plan = { ...base, phases: [phase('slow', 0, seconds * SECOND, even(ratePerSecond, seconds))] };
      const run = new TrialSimulation({
        plan,
        answer: () => ({ serviceNs: MS }),
        timerErrorNs: (n) => (n % 10) * 0.1 * MS,
      }).run();
      expect(run.book('ok')).toBe(ratePerSecond * seconds);
      expect(run.histogram('wakeLag').max).toBeLessThan(0.05 * MS);
      expect(run.histogram('service').max).toBe(MS);
      const { response, service, lag } = {
        response: run.histogram('response'),
        service: run.histogram('service'),
        lag: run.histogram('lag'),
      };
      expect(response.sum).toBe(service.sum + lag.sum);
    }
  });

  it('releases between two answers that came together what fell due meanwhile', () => {
    const base = createPlan({ durationNs: 2 * SECOND });
    const plan: Plan = { ...base, phases: [phase('even', 0, 2 * SECOND, even(1000, 2))] };
    const readCostNs = 0.2 * MS;
    // The answers to 100 ms of requests all come at once: reading them takes 20 ms, in which 20 more fall due.
    const untilBatch = (atNs: number): number => (Math.floor(atNs / (100 * MS)) + 1) * 100 * MS - atNs;
    const run = new TrialSimulation({
      plan,
      answer: (_index, atNs) => ({ serviceNs: untilBatch(atNs), readCostNs }),
    }).run();
    expect(run.book('ok')).toBe(2000);
    expect(run.histogram('wakeLag').max).toBeLessThan(2 * readCostNs);
    expect(run.histogram('wakeLag').min).toBeGreaterThanOrEqual(0);
    expectBalanced(run);
  });

  it('goes through a backlog one by one where each send ends inside its own call', () => {
    const base = createPlan({ durationNs: SECOND });
    const plan: Plan = { ...base, phases: [phase('even', 0, SECOND, even(20_000, 1))] };
    const failed = { kind: 'failed', class: 'generator', status: null, detail: 'ends at once' } as const;
    // A send takes nearly twice the time between arrivals, so that some 8,000 are due at the end: no stack holds them one in the other.
    const run = new TrialSimulation({ plan, sendCostNs: 0.09 * MS, answer: () => ({ outcome: failed }) }).run();
    expect(run.book('failed:generator')).toBe(20_000);
    expectBalanced(run);
  });

  it('R004 holds at maxInFlight when nothing is answered, and drops the rest by name', () => {
    const plan = createPlan({
      ratePerSecond: 2000,
      durationNs: 5 * SECOND,
      overrides: { limits: { ...DEFAULT_LIMITS, maxInFlight: 1000, timeoutNs: 60 * SECOND, drainNs: SECOND } },
    });
    const run = new TrialSimulation({ plan, answer: () => ({}) }).run();
    expect(run.client.openPeak).toBe(1000);
    expect(run.book('attempted')).toBe(1000);
    expect(run.book('unfinished')).toBe(1000);
    expect(run.book('dropped:max-in-flight')).toBe(scheduled(plan) - 1000);
    expect(run.finishedNs).toBeGreaterThanOrEqual(6 * SECOND);
    expectBalanced(run);
  });

  it('R005 shows that 100/s were asked and 10/s could be sent', () => {
    const plan = createPlan({
      ratePerSecond: 100,
      durationNs: 10 * SECOND,
      overrides: { limits: { ...DEFAULT_LIMITS, maxInFlight: 10 } },
    });
    const run = new TrialSimulation({ plan, answer: () => ({ serviceNs: SECOND }) }).run();
    expect(run.book('decided')).toBe(scheduled(plan));
    expect(run.book('sent')).toBeLessThanOrEqual(110);
    expect(run.book('dropped:max-in-flight')).toBe(scheduled(plan) - run.book('sent'));
    expectBalanced(run);
  });

  it('R012 releases at 5000/s one by one, at or after each own instant', () => {
    const base = createPlan({ durationNs: SECOND });
    const plan: Plan = { ...base, phases: [phase('quick', 0, SECOND, even(5000, 1))] };
    for (const pacing of ['hybrid', 'spin', 'timer'] as const) {
      const run = new TrialSimulation({
        plan,
        pacing,
        turnCostNs: 2_000,
        answer: () => ({ serviceNs: 0.1 * MS }),
      }).run();
      expect(run.book('sent')).toBe(5000);
      expect(run.histogram('wakeLag').min).toBeGreaterThanOrEqual(0);
      // The timer alone gathers up to a millisecond, and says so; the others do not.
      expect(run.histogram('wakeLag').max).toBeLessThan(pacing === 'timer' ? 1.2 * MS : 0.01 * MS);
    }
  });

  it('R013 sleeps through a quiet phase of 30 days without a timer of 1 ms', () => {
    const day = 86_400 * SECOND;
    const base = createPlan();
    const plan: Plan = {
      ...base,
      phases: [
        phase('burst', 0, 0, { kind: 'all-at-once', count: 1 }),
        phase('quiet', 0, 30 * day, even(1 / 1_296_000, 2_592_000)),
      ],
    };
    const run = new TrialSimulation({ plan, pacing: 'timer', answer: () => ({ serviceNs: MS }) });
    run.run(2000 * SECOND);
    expect(run.finishedNs).toBeNull();
    expect(run.book('sent')).toBe(1);
    expect(run.loop.turns).toBeLessThan(10_000);
  });

  it('R014 drops what a phase left unsent after its grace, for that phase', () => {
    const limits = { ...DEFAULT_LIMITS, phaseGraceNs: SECOND };
    const base = createPlan({ overrides: { limits } });
    const plan: Plan = {
      ...base,
      phases: [phase('too much', 0, 5 * SECOND, even(400, 5)), phase('little', 5 * SECOND, 5 * SECOND, even(10, 5))],
    };
    // 5 ms a dispatch: 200/s can be done, 400/s are asked.
    const run = new TrialSimulation({ plan, answer: () => ({ serviceNs: MS }), sendCostNs: 5 * MS }).run();
    const dropped = run.book('dropped:phase-end', 0);
    expect(run.book('sent', 0) + dropped).toBe(2000);
    expect(dropped).toBeGreaterThan(700);
    expect(run.book('dropped:phase-end', 1)).toBe(0);
    expect(run.book('sent', 1)).toBe(50);
    expectBalanced(run);
  });

  it.each([
    ['above the in-flight cap', { maxInFlight: 5, maxQueue: 10_000 }, null],
    ['for a connection', { maxInFlight: 10_000, maxQueue: 0 }, 'queue'],
    ['for a stream', { maxInFlight: 10_000, maxQueue: 0 }, 'stream'],
  ] as const)('R014 the backlog of a phase that waits %s is not sent in the next one', (_what, more, kind) => {
    const limits = { ...DEFAULT_LIMITS, phaseGraceNs: SECOND, ...more };
    const plan: Plan = {
      ...createPlan({ overrides: { limits } }),
      phases: [phase('too much', 0, 4 * SECOND, even(200, 4)), phase('little', 4 * SECOND, 4 * SECOND, even(10, 4))],
    };
    // 100 ms each, five at a time, are 50/s; of the client's own waits: one arrival in four goes at once.
    const run = new TrialSimulation({
      plan,
      answer: (index) => ({
        serviceNs: 100 * MS,
        ...(kind === null || index >= 800 || index % 4 === 0 ? {} : { wait: { kind, ns: 60 * SECOND } }),
      }),
    }).run();
    const unfinished = run.book('unfinished', 0);
    expect(unfinished).toBeGreaterThan(500);
    expect(run.book('unfinished-held', 0)).toBe(unfinished);
    expect(run.book('sent', 0)).toBe(800 - unfinished);
    // Each waits until its phase and the grace are over, and all of that is known.
    const ages = run.histogram('unfinishedAge', 'failed', 0);
    expect(ages.max).toBeLessThan(5.001 * SECOND);
    expect(ages.min).toBeGreaterThanOrEqual(SECOND);
    const waits = run.histogram(kind === 'stream' ? 'waitStream' : 'waitQueue', 'failed', 0);
    expect(waits.count).toBe(unfinished);
    expect(run.book('ok', 1)).toBe(40);
    expect(run.book('unfinished', 1)).toBe(0);
    // Those of its first second may meet what was still let in by the grace.
    expect(run.histogram('response', 'ok', 1).percentile(70)).toBeLessThan(110 * MS);
    expectBalanced(run);
  });

  it('R014 leaves alone what waits for the target beyond its phase: open requests, and connections being made', () => {
    const plan: Plan = {
      ...createPlan({ overrides: { limits: { ...DEFAULT_LIMITS, phaseGraceNs: SECOND } } }),
      phases: [phase('slow', 0, 2 * SECOND, even(10, 2)), phase('quick', 2 * SECOND, 4 * SECOND, even(10, 4))],
    };
    const run = new TrialSimulation({
      plan,
      answer: (index) =>
        index < 10
          ? { serviceNs: 5 * SECOND }
          : { serviceNs: MS, ...(index < 20 ? { wait: { kind: 'connect', ns: 4 * SECOND } } : {}) },
    }).run();
    expect(run.book('ok', 0)).toBe(20);
    expect(run.book('unfinished')).toBe(0);
    expectBalanced(run);
  });

  it('R014 the last phase has the drain: what waits may still be sent in it', () => {
    const limits = { ...DEFAULT_LIMITS, maxInFlight: 5, maxQueue: 10_000, drainNs: 20 * SECOND };
    const plan: Plan = {
      ...createPlan({ overrides: { limits } }),
      phases: [phase('too much', 0, 4 * SECOND, even(200, 4))],
    };
    const run = new TrialSimulation({ plan, answer: () => ({ serviceNs: 100 * MS }) }).run();
    expect(run.book('ok')).toBe(800);
  });

  it('charges late arrivals by default and drops them under drop-after', () => {
    const base = createPlan({ durationNs: SECOND });
    const plan = (late: Plan['limits']['late']): Plan => ({
      ...base,
      limits: { ...DEFAULT_LIMITS, late },
      phases: [phase('load', 0, SECOND, even(100, 1))],
    });
    const answer = () => ({ serviceNs: MS });
    const stall = (run: TrialSimulation): TrialSimulation => {
      run.loop.at(300 * MS, () => run.loop.spend(200 * MS));
      return run.run();
    };
    const charged = stall(new TrialSimulation({ plan: plan({ kind: 'send' }), answer }));
    expect(charged.book('sent')).toBe(100);
    expect(charged.histogram('wakeLag').max).toBeGreaterThan(190 * MS);
    const dropped = stall(new TrialSimulation({ plan: plan({ kind: 'drop-after', lateNs: 50 * MS }), answer }));
    expect(dropped.book('dropped:late')).toBe(15);
    expect(dropped.book('sent')).toBe(85);
    expect(dropped.histogram('wakeLag').max).toBeLessThanOrEqual(51 * MS);
    expectBalanced(dropped);
  });

  it('R066 attributes by scheduled instant: a warm-up request that ends later stays warm-up', () => {
    const base = createPlan();
    const plan: Plan = {
      ...base,
      phases: [{ ...phase('warm', 0, SECOND, even(10, 1)), warmup: true }, phase('load', SECOND, SECOND, even(10, 1))],
    };
    const run = new TrialSimulation({ plan, answer: (index) => ({ serviceNs: index < 10 ? 1500 * MS : MS }) }).run();
    expect(run.histogram('response', 'ok', 0).count).toBe(10);
    expect(run.histogram('response', 'ok', 0).min).toBeGreaterThanOrEqual(1500 * MS);
    expect(run.histogram('response', 'ok', 1).count).toBe(10);
    expect(run.histogram('response', 'ok', 1).max).toBeLessThan(2 * MS);
  });

  it('R059 counts what is open at the end of the drain as unfinished, with its age', () => {
    const limits = { ...DEFAULT_LIMITS, timeoutNs: 200 * SECOND, drainNs: 3 * SECOND };
    const base = createPlan({ overrides: { limits } });
    const plan: Plan = { ...base, phases: [phase('load', 0, 10 * SECOND, even(1, 10))] };
    const run = new TrialSimulation({ plan, answer: () => ({ serviceNs: 100 * SECOND }) }).run();
    expect(run.book('unfinished')).toBe(10);
    expect(run.finishedNs).toBeGreaterThanOrEqual(13 * SECOND);
    expect(run.finishedNs).toBeLessThan(13.01 * SECOND);
    const ages = run.histogram('unfinishedAge', 'failed');
    expect(ages.count).toBe(10);
    expect(ages.min).toBeGreaterThanOrEqual(3.5 * SECOND);
    expect(ages.max).toBeLessThan(12.51 * SECOND);
    expect(run.histogram('wakeLag', 'failed').count).toBe(10);
    expectBalanced(run);
  });

  it('R056 shows every arrival of a freeze its remaining wait, through one connection', () => {
    const base = createPlan({
      overrides: { limits: { ...DEFAULT_LIMITS, maxInFlight: 1, maxQueue: 100, timeoutNs: 100 * SECOND } },
    });
    const plan: Plan = { ...base, phases: [phase('load', 0, 10 * SECOND, even(1, 10))] };
    // The third request meets a frozen server and is answered 45 s later.
    const run = new TrialSimulation({
      plan: { ...plan, limits: { ...plan.limits, drainNs: 100 * SECOND } },
      answer: (index) => ({ serviceNs: index === 2 ? 45 * SECOND : MS }),
    }).run();
    expect(run.book('ok')).toBe(10);
    const response = run.histogram('response');
    const service = run.histogram('service');
    expect(response.countAbove(37 * SECOND)).toBe(8);
    expect(service.countAbove(SECOND)).toBe(1);
    expect(run.histogram('waitQueue').countAbove(37 * SECOND)).toBe(7);
    expect(run.histogram('wait').sum).toBe(run.histogram('waitQueue').sum);
    expect(run.histogram('wakeLag').max).toBeLessThan(MS);
  });

  it('R060 balances over ok, refusals, resets and silence when it is stopped early', () => {
    const plan = createPlan({ ratePerSecond: 1000, durationNs: 30 * SECOND });
    const run = new TrialSimulation({
      plan,
      answer: (index) => {
        const kind = index % 10;
        if (kind < 7) return { serviceNs: 20 * MS };
        if (kind === 7) return { serviceNs: MS, outcome: { kind: 'ok', status: 503 } };
        if (kind === 8) return { outcome: { kind: 'failed', class: 'reset', status: null, detail: 'ECONNRESET' } };
        return {};
      },
    });
    run.run(4 * SECOND);
    run.cells[0] = 1;
    run.trial.stop(SECOND);
    run.continueTo(Infinity);
    expect(run.book('failed:http-status')).toBeGreaterThan(300);
    expect(run.book('failed:reset')).toBeGreaterThan(300);
    expect(run.book('unfinished')).toBeGreaterThan(300);
    expectBalanced(run);
    const last = run.handovers.at(-1)!;
    const rest = countArrivals(basisOf(plan), { phase: 0, lanes: allLanes(64), fromNs: last.decidedThroughNs });
    expect(run.book('decided') + rest).toBe(scheduled(plan));
  });

  it('hands over books that match decidedThroughNs exactly, every time', () => {
    const plan = createPlan({ ratePerSecond: 700, durationNs: 6 * SECOND });
    const run = new TrialSimulation({ plan, answer: () => ({ serviceNs: 3 * MS }), sendCostNs: MS }).run();
    const decided: number[] = [];
    let total = 0;
    for (const handover of run.handovers) {
      for (const { scope, cell } of handover.counters) if (scope.kind === 'window') total += cell[0]!;
      decided.push(
        countArrivals(basisOf(plan), { phase: 0, lanes: allLanes(64), toNs: handover.decidedThroughNs }) - total,
      );
    }
    expect(decided.length).toBeGreaterThan(5);
    expect(decided).toEqual(decided.map(() => 0));
  });

  it('does not split arrivals of one instant over two hand-overs, and cancels their rest on a stop', () => {
    const base = createPlan({ overrides: { limits: { ...DEFAULT_LIMITS, maxInFlight: 50, maxQueue: 5000 } } });
    const plan: Plan = { ...base, phases: [phase('burst', 0, 0, { kind: 'all-at-once', count: 5000 })] };
    const whole = new TrialSimulation({ plan, answer: () => ({ serviceNs: 10 * MS }) }).run();
    expect(whole.book('ok')).toBe(5000);
    expect(whole.client.openPeak).toBe(50);

    const stopped = new TrialSimulation({ plan, answer: () => ({ serviceNs: 10 * MS }), sendCostNs: 0.2 * MS });
    stopped.run(2 * MS);
    stopped.cells[0] = 1;
    stopped.continueTo(5 * MS);
    stopped.trial.stop(SECOND);
    stopped.continueTo(Infinity);
    expect(stopped.book('cancelled')).toBeGreaterThan(0);
    expect(stopped.book('decided')).toBe(5000);
    expectBalanced(stopped);
  });

  it('stops at the flag and at the end of the lease, before the next release', () => {
    const base = createPlan();
    const plan: Plan = { ...base, phases: [phase('load', 0, 10 * SECOND, even(100, 10))] };
    const run = new TrialSimulation({ plan, answer: () => ({ serviceNs: MS }) });
    run.setLease(2 * SECOND);
    run.run(6 * SECOND);
    expect(run.client.sent.length).toBe(200);
    run.setLease(100 * SECOND);
    run.continueTo(6.2 * SECOND);
    expect(run.client.sent.length).toBeGreaterThan(600);
    const before = run.client.sent.length;
    run.cells[0] = 1;
    run.continueTo(7.1 * SECOND);
    expect(run.client.sent.length).toBe(before);
    expect(run.handovers.at(-1)!.decidedThroughNs).toBe((before + 0.5) * 10 * MS);
  });

  it('sends nothing out of the queue without a lease, nor after a stop, also in the drain', () => {
    const limits = { ...DEFAULT_LIMITS, maxInFlight: 10, maxQueue: 1000 };
    const base = createPlan({ overrides: { limits } });
    const plan: Plan = { ...base, phases: [phase('burst', 0, 0, { kind: 'all-at-once', count: 500 })] };
    const run = new TrialSimulation({ plan, answer: () => ({ serviceNs: 100 * MS }) });
    run.setLease(SECOND);
    run.run(3 * SECOND);
    expect(run.client.sent.length).toBe(100);
    run.setLease(100 * SECOND);
    run.continueTo(4 * SECOND);
    const sent = run.client.sent.length;
    expect(sent).toBeGreaterThan(150);
    run.trial.stop(5 * SECOND);
    run.continueTo(Infinity);
    expect(run.client.sent.length).toBe(sent);
    expect(run.finishedNs).toBeLessThan(4.2 * SECOND);
    expect(run.book('unfinished')).toBe(500 - sent);
    expectBalanced(run);
  });

  it('fails at the timeout from send, but not an answer that came while the loop was busy (R017)', () => {
    const limits = { ...DEFAULT_LIMITS, timeoutNs: 500 * MS, drainNs: 2 * SECOND };
    const base = createPlan({ overrides: { limits } });
    const plan: Plan = { ...base, phases: [phase('load', 0, 2 * SECOND, even(1, 2))] };
    const run = new TrialSimulation({ plan, answer: (index) => ({ serviceNs: (index === 0 ? 499 : 600) * MS }) });
    // Busy over the deadline of the first request, whose answer is there in time.
    run.loop.at(950 * MS, () => run.loop.spend(300 * MS));
    run.run();
    expect(run.book('ok')).toBe(1);
    expect(run.book('failed:timeout')).toBe(1);
    expect(run.histogram('service', 'failed').min).toBeGreaterThanOrEqual(500 * MS);
    expect(run.histogram('service', 'failed').max).toBeLessThan(505 * MS);
  });

  it('R017 tells an answer that never began from one that never ended', () => {
    const limits = { ...DEFAULT_LIMITS, timeoutNs: 500 * MS, drainNs: 2 * SECOND };
    const base = createPlan({ overrides: { limits } });
    const plan: Plan = { ...base, phases: [phase('load', 0, 2 * SECOND, even(1, 2))] };
    const run = new TrialSimulation({
      plan,
      answer: (index) => (index === 0 ? {} : { serviceNs: 100 * MS, bodyNs: 2 * SECOND }),
    }).run();
    const details = run.handovers.flatMap((handover) => handover.failures.map(({ detail }) => detail));
    expect(details.sort()).toEqual([
      'no answer within the timeout',
      'the answer had begun, and did not end within the timeout',
    ]);
  });

  it('fails a silent answer at the idle limit, and lets a slow but steady one live', () => {
    const limits = { ...DEFAULT_LIMITS, timeoutNs: 60 * SECOND, idleTimeoutNs: 200 * MS };
    const base = createPlan({ overrides: { limits } });
    const plan: Plan = { ...base, phases: [phase('load', 0, SECOND, even(2, 1))] };
    const run = new TrialSimulation({
      plan,
      answer: (index) => ({ serviceNs: 300 * MS, bodyNs: index === 0 ? 190 * MS : 10 * SECOND }),
    }).run();
    expect(run.book('ok')).toBe(1);
    expect(run.book('failed:timeout')).toBe(1);
    expect(run.handovers.flatMap((handover) => handover.failures)).toEqual([
      { class: 'timeout', detail: 'silent beyond the idle limit', count: 1 },
    ]);
  });

  it('splits the wait and adds it to the response', () => {
    const base = createPlan();
    const plan: Plan = { ...base, phases: [phase('load', 0, SECOND, even(4, 1))] };
    const run = new TrialSimulation({
      plan,
      answer: (index) => ({ serviceNs: MS, wait: { kind: index % 2 === 0 ? 'connect' : 'stream', ns: 7 * MS } }),
    }).run();
    expect(run.histogram('waitConnect').max).toBe(7 * MS);
    expect(run.histogram('waitStream').count).toBe(2);
    expect(run.histogram('wait').min).toBe(7 * MS);
    expect(run.histogram('lag').sum).toBe(run.histogram('wait').sum + run.histogram('wakeLag').sum);
  });

  it('counts goodput, redirects and names', () => {
    const base = createPlan();
    const requests = [
      createRequestTemplate({ name: 'quick', url: 'http://127.0.0.1:9/q', weight: 3 }),
      createRequestTemplate({ name: 'slow', url: 'http://127.0.0.1:9/s', weight: 1 }),
    ];
    const plan: Plan = {
      ...base,
      requests,
      slo: [{ metric: 'response', maxNs: 10 * MS }],
      phases: [phase('load', 0, 4 * SECOND, even(500, 4))],
    };
    const run: TrialSimulation = new TrialSimulation({
      plan,
      answer: (index) => {
        const slow = run.client.sent[index]?.request.template === 1;
        return { serviceNs: (slow ? 20 : 1) * MS, outcome: { kind: 'ok', status: slow ? 302 : 200 } };
      },
    });
    run.run();
    const slow = run.namedHistogram('slow', 'response').count;
    expect(slow).toBeGreaterThan(400);
    expect(slow).toBeLessThan(600);
    expect(run.namedHistogram('quick', 'response').count).toBe(2000 - slow);
    expectBalanced(run);
  });

  it('takes no room for loop gaps while it sleeps, and shows a stall of the loop', () => {
    const base = createPlan();
    const plan: Plan = { ...base, phases: [phase('load', 0, 5 * SECOND, even(2, 5))] };
    const run = new TrialSimulation({ plan, answer: () => ({ serviceNs: MS }) });
    run.loop.at(2.1 * SECOND, () => run.loop.spend(80 * MS));
    run.run();
    const gaps = run.histogram('loopGap');
    expect(gaps.max).toBeGreaterThanOrEqual(80 * MS);
    expect(gaps.max).toBeLessThan(83 * MS);
    expect(gaps.countAbove(5 * MS)).toBe(1);
  });

  it('finishes no earlier than the plan ends, and hands over each second', () => {
    const base = createPlan();
    const plan: Plan = {
      ...base,
      phases: [phase('load', 0, SECOND, even(10, 1)), phase('quiet', SECOND, 5 * SECOND, even(0, 5))],
    };
    const run = new TrialSimulation({ plan, answer: () => ({ serviceNs: MS }) }).run();
    expect(run.finishedNs).toBeGreaterThanOrEqual(6 * SECOND);
    expect(run.handovers.length).toBeGreaterThanOrEqual(6);
    expect(run.handovers.at(-1)!.decidedThroughNs).toBe(6 * SECOND + 1);
  });

  it('takes no time that it spent blocked for a gap of its loop, or for work', () => {
    const plan = createPlan({ ratePerSecond: 100, durationNs: 2 * SECOND });
    const run = new TrialSimulation({ plan, answer: () => ({ serviceNs: MS }) });
    run.run();
    expect(run.loop.blocksNs.some((ns) => ns === MS)).toBe(true);
    const valuesOf = (gauge: string): readonly number[] =>
      run.handovers.flatMap(({ gauges }) => gauges.filter(({ name }) => name === gauge).map(({ value }) => value ?? 0));
    expect(Math.max(...valuesOf('loopGapMaxNs'))).toBeLessThan(0.5 * MS);
    expect(Math.max(...valuesOf('loopBusyShare'))).toBeLessThan(0.1);
  });

  it('hands over what its client has to tell the report', () => {
    const plan = createPlan({ ratePerSecond: 10, durationNs: 3 * SECOND });
    const run = new TrialSimulation({ plan, answer: () => ({ serviceNs: MS }) });
    run.run(1.5 * SECOND);
    run.client.warnings.push('the target is odd');
    run.continueTo(Infinity);
    expect(run.handovers.flatMap(({ warnings }) => warnings)).toEqual(['the target is odd']);
  });
});
