import { describe, expect, it } from 'vitest';
import type { Plan } from '../../../../shared/plan/plan.ts';
import { createPlan, DEFAULT_LIMITS } from '../../../support/plan-fixture.ts';
import { expectBalanced } from '../../../support/trial-books.ts';
import { even, phase, scheduled } from '../../../support/trial-plan.ts';
import { TrialSimulation } from '../../../support/trial-simulation.ts';

const MS = 1e6;
const SECOND = 1e9;

describe('a trial in virtual time', () => {
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

  it('R014 drops nothing of a batch whose sending takes longer than the grace: it has no end to be late for', () => {
    const limits = { ...DEFAULT_LIMITS, phaseGraceNs: SECOND, maxQueue: 3000 };
    const batch = phase('batch', 0, 0, { kind: 'all-at-once', count: 3000 });
    const base = createPlan({ overrides: { limits } });
    // 1 ms each, as long prompts take to make.
    const options = { answer: () => ({ serviceNs: MS }), sendCostNs: MS };
    const alone = new TrialSimulation({ plan: { ...base, phases: [batch] }, ...options }).run();
    expect(alone.book('ok')).toBe(3000);
    expect(alone.finishedNs).toBeGreaterThan(3 * SECOND);
    const followed: Plan = { ...base, phases: [batch, phase('after', 0, 5 * SECOND, even(10, 5))] };
    const run = new TrialSimulation({ plan: followed, ...options }).run();
    expect([run.book('ok', 0), run.book('ok', 1)]).toEqual([3000, 50]);
    expectBalanced(run);
  });

  it('R004 a batch may wait above the cap as a whole, and lends its room to no other phase', () => {
    const limits = { ...DEFAULT_LIMITS, maxInFlight: 10 };
    const batch = (startNs: number): Plan['phases'][number] =>
      phase(`batch-${startNs}`, startNs, 0, { kind: 'all-at-once', count: 200 });
    const plan: Plan = {
      ...createPlan({ overrides: { limits } }),
      // 20/s can be done, 40/s are asked; two batches at one instant need room for both.
      phases: [phase('too much', 0, 10 * SECOND, even(40, 10)), batch(10 * SECOND), batch(10 * SECOND)],
    };
    const run = new TrialSimulation({ plan, answer: () => ({ serviceNs: 500 * MS }) }).run();
    expect(run.book('dropped:max-in-flight', 0)).toBeGreaterThan(150);
    expect(run.histogram('waitQueue', 'ok', 0).max).toBeLessThan(MS);
    expect([1, 2].map((batchPhase) => run.book('ok', batchPhase))).toEqual([200, 200]);
    expectBalanced(run);
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

  it('vllm-project/vllm#54101 charges the wait above the cap, and does not take it for a late release', () => {
    const limits = { ...DEFAULT_LIMITS, maxInFlight: 1, maxQueue: 100 };
    const of = (more: Partial<typeof DEFAULT_LIMITS>): TrialSimulation => {
      const base = createPlan({ overrides: { limits: { ...limits, ...more } } });
      const plan: Plan = { ...base, phases: [phase('load', 0, 0.8 * SECOND, even(10, 0.8))] };
      return new TrialSimulation({ plan, answer: () => ({ serviceNs: 500 * MS }) }).run();
    };
    const open = of({ maxInFlight: 1000 });
    expect(open.histogram('response').max).toBeLessThan(501 * MS);
    for (const run of [of({}), of({ late: { kind: 'drop-after', lateNs: 50 * MS } })]) {
      expect(run.book('ok')).toBe(8);
      // Number k waits k times 500 - 100 ms.
      expect(run.histogram('response').max).toBeGreaterThanOrEqual(3300 * MS);
      expect(run.histogram('response').mean()).toBeGreaterThanOrEqual(1900 * MS);
      expect(run.histogram('service').max).toBeLessThan(501 * MS);
      expectBalanced(run);
    }
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

  it('R059 works a batch off before the drain begins, however long its turns take', () => {
    const limits = { ...DEFAULT_LIMITS, maxInFlight: 10, timeoutNs: 5 * SECOND, drainNs: 5 * SECOND };
    const plan: Plan = {
      ...createPlan({ overrides: { limits } }),
      phases: [phase('batch', 0, 0, { kind: 'all-at-once', count: 100 })],
    };
    const run = new TrialSimulation({ plan, answer: () => ({ serviceNs: 2 * SECOND }) }).run();
    expect(run.book('ok')).toBe(100);
    expect(run.finishedNs).toBeLessThan(20.1 * SECOND);
    // Every request at its timeout: room for the next all the same.
    const slow = new TrialSimulation({ plan, answer: () => ({}) }).run();
    expect(slow.book('failed:timeout')).toBe(100);
    expectBalanced(slow);
    // The drain is that of the last ones.
    const hung = new TrialSimulation({
      plan: { ...plan, limits: { ...limits, drainNs: 3 * SECOND } },
      answer: (index) => (index < 95 ? { serviceNs: 2 * SECOND } : {}),
    }).run();
    expect([hung.book('ok'), hung.book('unfinished')]).toEqual([95, 5]);
    expect(hung.finishedNs).toBeLessThan(21.2 * SECOND);
  });

  it('R059 waits for no batch that the target lets no further', () => {
    const limits = { ...DEFAULT_LIMITS, timeoutNs: 5 * SECOND, drainNs: SECOND };
    const plan: Plan = {
      ...createPlan({ overrides: { limits } }),
      phases: [phase('batch', 0, 0, { kind: 'all-at-once', count: 20 })],
    };
    const stuck = { wait: { kind: 'stream', ns: 3600 * SECOND } } as const;
    const run = new TrialSimulation({ plan, answer: (index) => (index < 5 ? { serviceNs: MS } : stuck) }).run();
    expect([run.book('ok'), run.book('unfinished')]).toEqual([5, 15]);
    expect(run.finishedNs).toBeLessThan(20 * SECOND);
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
});
