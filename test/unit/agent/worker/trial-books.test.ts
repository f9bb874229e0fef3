import { describe, expect, it } from 'vitest';
import { countArrivals } from '../../../../shared/schedule/count-arrivals.ts';
import { allLanes } from '../../../../shared/schedule/deal.ts';
import type { Plan } from '../../../../shared/plan/plan.ts';
import { createPlan, createRequestTemplate } from '../../../support/plan-fixture.ts';
import { expectBalanced } from '../../../support/trial-books.ts';
import { even, phase } from '../../../support/trial-plan.ts';
import { basisOf, TrialSimulation } from '../../../support/trial-simulation.ts';

const MS = 1e6;
const SECOND = 1e9;

describe('a trial in virtual time', () => {
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

  it('hands over what its client has to tell the report', () => {
    const plan = createPlan({ ratePerSecond: 10, durationNs: 3 * SECOND });
    const run = new TrialSimulation({ plan, answer: () => ({ serviceNs: MS }) });
    run.run(1.5 * SECOND);
    run.client.warnings.push('the target is odd');
    run.continueTo(Infinity);
    expect(run.handovers.flatMap(({ warnings }) => warnings)).toEqual(['the target is odd']);
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
});
