import { describe, expect, it } from 'vitest';
import { countArrivals } from '../../../../shared/schedule/count-arrivals.ts';
import { allLanes } from '../../../../shared/schedule/deal.ts';
import type { Plan } from '../../../../shared/plan/plan.ts';
import { createPlan, DEFAULT_LIMITS } from '../../../support/plan-fixture.ts';
import { expectBalanced } from '../../../support/trial-books.ts';
import { even, phase, scheduled } from '../../../support/trial-plan.ts';
import { basisOf, TrialSimulation } from '../../../support/trial-simulation.ts';

const MS = 1e6;
const SECOND = 1e9;

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
});
