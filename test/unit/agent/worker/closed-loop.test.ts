import { describe, expect, it } from 'vitest';
import { CONTROL_CELLS } from '../../../../agent/worker/worker-messages.ts';
import type { Outcome } from '../../../../shared/metrics/outcome.ts';
import type { Limits, Phase, Plan } from '../../../../shared/plan/plan.ts';
import type { ClosedLaw } from '../../../../shared/schedule/arrival-law.ts';
import { createPlan, createRequestTemplate, DEFAULT_LIMITS } from '../../../support/plan-fixture.ts';
import { TrialSimulation, type TrialSimulationOptions } from '../../../support/trial-simulation.ts';

const MS = 1e6;
const SECOND = 1e9;

const REFUSED: Outcome = { kind: 'failed', class: 'connect-refused', status: null, detail: 'refused' };

function closed(law: Partial<ClosedLaw>, durationNs = SECOND, startNs = 0): Phase {
  return {
    name: `loop-${startNs}`,
    warmup: false,
    startNs,
    durationNs,
    arrivals: { kind: 'closed', concurrency: 1, thinkNs: 0, count: null, ...law },
  };
}

function planOf(phases: readonly Phase[], limits: Partial<Limits> = {}): Plan {
  return { ...createPlan(), phases, limits: { ...DEFAULT_LIMITS, ...limits } };
}

function runOf(plan: Plan, options: Partial<TrialSimulationOptions> = {}): TrialSimulation {
  return new TrialSimulation({ plan, pacing: 'spin', answer: () => ({ serviceNs: 10 * MS }), ...options }).run();
}

/** P4, and that all of it was issued. */
function expectBalanced(run: TrialSimulation): void {
  for (const book of [run.book.bind(run), run.namedBook.bind(run)]) {
    expect(book('decided')).toBe(book('issued'));
    const dropped = book('dropped:max-in-flight') + book('dropped:late') + book('dropped:phase-end');
    expect(book('decided')).toBe(book('attempted') + dropped);
    expect(book('attempted')).toBe(
      book('ok') + book('failed:connect-refused') + book('failed:timeout') + book('unfinished'),
    );
  }
}

describe('a closed loop', () => {
  it('never has more requests open than slots, and follows each answer at once', () => {
    const run = runOf(planOf([closed({ concurrency: 4 })]));
    expect(run.client.openPeak).toBe(4);
    // 4 slots x 1 s / (10 ms + a turn of the loop).
    expect(run.book('issued')).toBeGreaterThan(4 * 95);
    expect(run.book('issued')).toBeLessThanOrEqual(4 * 100);
    expect(run.histogram('wakeLag').max).toBeLessThan(0.1 * MS);
    expectBalanced(run);
  });

  it('has response = service + own delay: a target twice as slow gets half the requests and shows no wait', () => {
    const quick = runOf(planOf([closed({ concurrency: 2 })]));
    const slow = runOf(planOf([closed({ concurrency: 2 })]), { answer: () => ({ serviceNs: 20 * MS }) });
    expect(slow.book('ok') / quick.book('ok')).toBeCloseTo(0.5, 1);
    for (const run of [quick, slow]) {
      const { response, service, lag } = {
        response: run.histogram('response'),
        service: run.histogram('service'),
        lag: run.histogram('lag'),
      };
      expect(response.sum).toBe(service.sum + lag.sum);
    }
  });

  it('waits out the think time', () => {
    const run = runOf(planOf([closed({ thinkNs: 40 * MS })]));
    expect(run.client.sent.map(({ atNs }) => Math.round(atNs / MS))).toEqual(
      Array.from({ length: 20 }, (_, k) => 50 * k),
    );
  });

  it('ends at its count, of which each slot has its own part', () => {
    const plan = planOf([closed({ concurrency: 4, count: 10 }, 0)]);
    const run = runOf({ ...plan, target: { ...plan.target, identify: true } });
    const identities = run.client.sent.map(({ request }) => Number(request.identity?.split('.').at(-1)));
    expect(identities.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(run.book('issued')).toBe(10);
    // Nothing more is due: it does not wait for a length that it does not have.
    expect(run.finishedNs).toBeLessThan(40 * MS);
  });

  it('gives the same requests per slot whatever number of workers has the slots', () => {
    const requests = ['a', 'b', 'c'].map((name) => createRequestTemplate({ name, url: `http://127.0.0.1:9/${name}` }));
    const base = planOf([closed({ concurrency: 8, count: 200 }, 0)]);
    const plan: Plan = { ...base, requests, target: { ...base.target, identify: true } };
    const sentBy = (slots: number): string[] =>
      Array.from({ length: slots }, (_, slot) => runOf(plan, { slot, slots }))
        .flatMap((run) => run.client.sent.map(({ request }) => `${request.identity} ${request.url}`))
        .toSorted();
    const alone = sentBy(1);
    expect(new Set(alone).size).toBe(200);
    expect(sentBy(3)).toEqual(alone);
  });

  it('issues nothing after the end of its phase, and what is open may end', () => {
    const run = runOf(planOf([closed({ concurrency: 3 })]), { answer: () => ({ serviceNs: 700 * MS }) });
    expect(run.book('issued')).toBe(6);
    expect(run.book('ok')).toBe(6);
    expect(run.finishedNs).toBeGreaterThanOrEqual(1400 * MS);
    expectBalanced(run);
  });

  it('R001 issues nothing after the end of its phase when the worker stalled over it', () => {
    const stalledOver = (phases: readonly Phase[]): TrialSimulation => {
      const run = new TrialSimulation({ plan: planOf(phases), answer: () => ({ serviceNs: 10 * MS }) });
      // The last answers came at 955 ms; what follows them is due at 990 ms.
      run.loop.at(960 * MS, () => run.loop.spend(300 * MS));
      return run.run();
    };
    const thinking = { concurrency: 3, thinkNs: 35 * MS };
    const alone = stalledOver([closed(thinking)]);
    expect(alone.book('issued')).toBe(3 * 22);
    expect(alone.client.sent.filter(({ atNs }) => atNs >= SECOND)).toEqual([]);
    expect(alone.finishedNs).toBeLessThan(1.3 * SECOND);
    expectBalanced(alone);
    // Each slot goes on in the loop behind, as the request that it would have been there.
    const followed = stalledOver([closed(thinking), closed(thinking, SECOND, SECOND)]);
    const late = followed.client.sent.filter(({ atNs }) => atNs >= SECOND).length;
    expect(followed.book('issued', 1)).toBe(late);
    expect(late).toBeGreaterThan(3 * 15);
    expect(followed.client.openPeak).toBe(3);
    expectBalanced(followed);
  });

  it('counts what is open at the end of the drain as unfinished, and the drain begins with the end of the plan', () => {
    const run = runOf(planOf([closed({ concurrency: 3 })], { drainNs: SECOND }), { answer: () => ({}) });
    expect(run.book('unfinished')).toBe(3);
    expect(run.finishedNs).toBeGreaterThanOrEqual(2 * SECOND);
    expect(run.finishedNs).toBeLessThan(2.1 * SECOND);
    expectBalanced(run);
  });

  it('goes on after a failure, and pauses longer and longer while nothing reaches the target', () => {
    const run = runOf(planOf([closed({})]), { answer: () => ({ outcome: REFUSED }) });
    // At 0, 10, 30, 70, 150, 310, 630 ms; the next would be after the end.
    expect(run.client.sent.map(({ atNs }) => Math.round(atNs / MS))).toEqual([0, 10, 30, 70, 150, 310, 630]);
    expect(run.book('closed-pauses')).toBe(7);
    expect(run.book('failed:connect-refused')).toBe(7);
    expectBalanced(run);
  });

  it('forgets its pauses once a request reaches the target, and a failed answer is followed at once', () => {
    const failed: Outcome = { kind: 'failed', class: 'timeout', status: null, detail: 'x' };
    const answers = [{ outcome: REFUSED }, { outcome: REFUSED }, { serviceNs: MS, outcome: failed }];
    const run = runOf(planOf([closed({}, 100 * MS)]), { answer: (n) => answers[n] ?? { outcome: REFUSED } });
    expect(run.client.sent.slice(0, 5).map(({ atNs }) => Math.round(atNs / MS))).toEqual([0, 10, 30, 31, 41]);
  });

  it('drops by name above maxInFlight, and does not spin on it', () => {
    const run = runOf(planOf([closed({ concurrency: 3 })], { maxInFlight: 2 }), {
      answer: () => ({ serviceNs: 2 * SECOND }),
    });
    expect(run.client.openPeak).toBe(2);
    expect(run.book('attempted')).toBe(2);
    expect(run.book('dropped:max-in-flight')).toBe(7);
    expectBalanced(run);
  });

  it('stops issuing at a stop: nothing of it is cancelled or lost, since nothing was scheduled', () => {
    const run = new TrialSimulation({
      plan: planOf([closed({ concurrency: 2, thinkNs: 5 * MS })]),
      answer: () => ({ serviceNs: 10 * MS }),
    });
    run.run(300 * MS);
    run.cells[CONTROL_CELLS.stop] = 1;
    run.trial.stop(SECOND);
    const sent = run.client.sent.length;
    run.continueTo(Infinity);
    expect(run.client.sent.length).toBe(sent);
    expect(run.book('issued')).toBe(sent);
    expect(run.book('cancelled')).toBe(0);
    expectBalanced(run);
  });

  it('issues nothing under a lapsed lease, and charges the wait when it is renewed', () => {
    const run = new TrialSimulation({ plan: planOf([closed({})]), answer: () => ({ serviceNs: 10 * MS }) });
    run.setLease(300 * MS);
    run.run(600 * MS);
    const held = run.client.sent.length;
    expect(held).toBeLessThanOrEqual(31);
    run.setLease(Infinity);
    run.continueTo(Infinity);
    expect(run.client.sent.length).toBeGreaterThan(held);
    expect(run.histogram('wakeLag').max).toBeGreaterThan(250 * MS);
    expectBalanced(run);
  });

  it('follows a schedule and goes before one, each phase with its own books', () => {
    const scheduled = createPlan({ ratePerSecond: 100 }).phases[0] as Phase;
    const plan = planOf([
      closed({ concurrency: 2 }),
      { ...scheduled, startNs: SECOND },
      closed({}, SECOND, 2 * SECOND),
    ]);
    const run = runOf(plan);
    expect(run.book('issued', 1)).toBe(0);
    expect(run.book('attempted', 1)).toBeGreaterThan(60);
    for (const phase of [0, 2]) expect(run.book('issued', phase)).toBe(run.book('decided', phase));
    expect(run.book('issued', 0)).toBeGreaterThan(190);
    expect(run.client.sent.filter(({ atNs }) => atNs > 3 * SECOND)).toEqual([]);
  });

  it('evalscope#1641 goes on from a warm-up without a burst: never more requests open than slots, and none twice', () => {
    const plan = planOf([{ ...closed({ concurrency: 4 }), warmup: true }, closed({ concurrency: 4 }, SECOND, SECOND)]);
    const run = runOf(plan, { answer: (n) => ({ serviceNs: (300 + 20 * (n % 4)) * MS }) });
    expect(run.client.openPeak).toBe(4);
    // What is open at the border ends first; each slot follows its own last answer, so the slots stay out of step.
    const firstsOfSecond = run.client.sent.map(({ atNs }) => atNs / MS).filter((ms) => ms >= 1000);
    expect(firstsOfSecond.slice(0, 4).map(Math.round)).toEqual([1020, 1080, 1200, 1280]);
    expect(run.book('issued', 1)).toBe(run.client.sent.filter(({ atNs }) => atNs >= SECOND).length);
    for (const phase of [0, 1]) expect(run.histogram('wakeLag', 'ok', phase).max).toBeLessThan(0.1 * MS);
    expectBalanced(run);
  });

  it('evalscope#1641 adds the slots that the loop before did not have, and lets those go that the next has not', () => {
    const more = runOf(planOf([closed({ concurrency: 2 }), closed({ concurrency: 5 }, SECOND, SECOND)]), {
      answer: () => ({ serviceNs: 300 * MS }),
    });
    const sentAt = (run: TrialSimulation, fromMs: number, toMs: number): number =>
      run.client.sent.filter(({ atNs }) => atNs >= fromMs * MS && atNs < toMs * MS).length;
    expect(more.client.openPeak).toBe(5);
    expect([sentAt(more, 1000, 1100), sentAt(more, 1100, 1250)]).toEqual([3, 2]);
    const fewer = runOf(planOf([closed({ concurrency: 5 }), closed({ concurrency: 2 }, SECOND, SECOND)]), {
      answer: () => ({ serviceNs: 300 * MS }),
    });
    expect(fewer.client.openPeak).toBe(5);
    expect([sentAt(fewer, 1000, 1150), sentAt(fewer, 1150, 1250)]).toEqual([0, 2]);
  });

  it('evalscope#1641 takes think time over the border, waits for the border after a count, and leaves out a loop that a slow answer spans', () => {
    const sentMs = (phases: readonly Phase[], serviceNs: number): number[] =>
      runOf(planOf(phases), { answer: () => ({ serviceNs }) }).client.sent.map(({ atNs }) => Math.round(atNs / MS));
    expect(sentMs([closed({ thinkNs: 1200 * MS }), closed({}, 500 * MS, SECOND)], 100 * MS)).toEqual([0, 1300, 1400]);
    expect(sentMs([closed({ count: 2 }), closed({ count: 1 }, SECOND, SECOND)], 10 * MS)).toEqual([0, 10, 1000]);
    const spanned = [closed({}), closed({}, SECOND, SECOND), closed({ count: 1 }, 0, 2 * SECOND)];
    expect(sentMs(spanned, 2500 * MS)).toEqual([0, 2500]);
  });

  it('says that a window is complete only when nothing more is issued in it', () => {
    const run = runOf(planOf([closed({ concurrency: 2, thinkNs: 3 * MS }, 3.5 * SECOND)]));
    const late = run.handovers.flatMap(({ counters }, index) =>
      counters.filter(
        ({ scope }) =>
          scope.kind === 'window' &&
          run.handovers.slice(0, index).some((before) => scope.window < before.completeBelowWindow),
      ),
    );
    expect(late).toEqual([]);
  });
});
