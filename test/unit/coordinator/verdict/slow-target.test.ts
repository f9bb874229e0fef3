import { describe, expect, it } from 'vitest';
import { createPlan } from '../../../support/plan-fixture.ts';
import { resultOf } from '../../../support/result-of.ts';
import { syntheticRun } from '../../../support/synthetic-run.ts';

const plan = createPlan({ ratePerSecond: 200, durationNs: 5e9 });

describe('a target that is slow for real', () => {
  it('stays not invalid and slow: 3 s of service, sends on time', () => {
    const { value } = resultOf(
      syntheticRun({ plan, fate: () => ({ kind: 'ok', wakeLagNs: 40_000, waitNs: 5_000, serviceNs: 3e9 }) }),
    );
    expect(value.verdict.status).not.toBe('invalid');
    expect(value.verdict.gates.filter((gate) => gate.kind === 'fail')).toEqual([]);
    expect(value.metrics['response']?.percentiles['50']).toBeGreaterThan(2.99e9);
    expect(value.fidelity.workerBehindShare).toBe(0);
  });

  it('that lets connections wait for seconds is not our lateness either', () => {
    const { value } = resultOf(
      syntheticRun({
        plan,
        fate: (_arrival, random) => ({ kind: 'ok', wakeLagNs: 40_000, waitNs: random.below(2e9), serviceNs: 1e6 }),
      }),
    );
    expect(value.verdict.gates.filter((gate) => gate.kind === 'fail')).toEqual([]);
    expect(value.verdict.gates.find((gate) => gate.name === 'backlog')?.kind).toBe('warn');
  });

  it('the same lateness before the release is ours, and invalid', () => {
    const { value } = resultOf(
      syntheticRun({
        plan,
        fate: (_arrival, random) => ({ kind: 'ok', wakeLagNs: random.below(2e9), waitNs: 5_000, serviceNs: 1e6 }),
      }),
    );
    expect(value.verdict.status).toBe('invalid');
    expect(value.verdict.gates.find((gate) => gate.name === 'backlog')?.kind).toBe('fail');
  });
});
