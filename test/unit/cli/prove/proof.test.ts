import { describe, expect, it } from 'vitest';
import { betweenRuns, betweenRunsText } from '../../../../cli/between-runs.ts';
import {
  type Arm,
  type ArmRun,
  exitCodeOfProof,
  proofOf,
  proofText,
  scheduleDigest,
} from '../../../../cli/prove/proof.ts';
import { armPlans, probeOf } from '../../../../cli/prove/run-proof.ts';
import { createPlan } from '../../../support/plan-fixture.ts';

// The batch-means vectors of M§9.3, in ms.
const A = [101.2, 98.7, 103.4, 99.9, 100.8, 97.6, 102.1, 100.3, 99.1, 101.9];
const B = [102.0, 99.5, 101.1, 103.2, 100.4, 98.9, 101.7, 102.8, 99.9, 100.6];
const question = { percentile: 99, margin: 0.05 };

function run(blocks: readonly number[], p99 = blocks[0] ?? null): ArmRun {
  const percentiles = { '50': 1e6, '99': p99 };
  return {
    runId: 'run-1',
    seed: '1',
    status: 'valid',
    ok: 100,
    failureShare: 0,
    percentiles,
    blocks,
    excessBound: null,
  };
}

function arm(name: string, runs: readonly ArmRun[], digest = 'same'): Arm {
  return { name, agents: 1, workersPerAgent: 1, scheduleDigest: digest, runs };
}

describe('proof', () => {
  it('M§9.3 calls the vectors equivalent: ratio 1.005123, 0.992862 to 1.017536', () => {
    const proof = proofOf('doubling', question, [arm('as-planned', [run(A)]), arm('doubled', [run(B)])]);
    expect(proof.verdict).toBe('equivalent');
    expect(proof.comparison).toMatchObject({ of: 'blocks', values: [10, 10] });
    expect(proof.comparison?.ratio).toBeCloseTo(1.005123, 6);
    expect(proof.comparison?.degrees).toBeCloseTo(17.198, 3);
    expect(proof.comparison?.low).toBeCloseTo(0.992862, 6);
    expect(proof.comparison?.high).toBeCloseTo(1.017536, 6);
    expect(exitCodeOfProof(proof)).toBe(0);
    expect(proofText(proof)).toContain('PROOF doubling: EQUIVALENT');
  });

  it('tells different from what cannot be concluded: no difference that is not shown counts as sameness', () => {
    const slower = A.map((value) => value * 1.2);
    const different = proofOf('half', question, [arm('full', [run(A)]), arm('half', [run(slower)])]);
    expect(different.verdict).toBe('different');
    expect(exitCodeOfProof(different)).toBe(3);
    const noisy = [60, 90, 150, 110, 80, 140];
    const open = proofOf('half', question, [arm('full', [run(A)]), arm('half', [run(noisy)])]);
    expect(open.verdict).toBe('cannot-conclude');
    expect(exitCodeOfProof(open)).toBe(1);
    const unsound = proofOf('half', question, [
      arm('full', [run(A)]),
      arm('half', [{ ...run(noisy), status: 'invalid' }]),
    ]);
    expect(unsound.reason).toContain('; the harness was invalid in 1 of 2 runs');
  });

  it('cannot conclude from too few values, nor when a doubling changed the schedule', () => {
    const few = proofOf('doubling', question, [arm('a', [run([1, 2])]), arm('b', [run(B)])]);
    expect(few).toMatchObject({ verdict: 'cannot-conclude', comparison: null });
    const other = proofOf('doubling', question, [arm('a', [run(A)]), arm('b', [run(B)], 'other')]);
    expect(other).toMatchObject({ verdict: 'cannot-conclude', reason: 'the arms had different schedules' });
  });

  it.each([
    ['equivalent', 1],
    ['different', 1.2],
  ])('says beside %s in how many runs the harness was invalid', (verdict, factor) => {
    const second = { ...run(A.map((value) => value * factor)), status: 'invalid' };
    const note = 'the harness was invalid in 1 of 2 runs';
    const proof = proofOf('doubling', question, [arm('a', [run(A)]), arm('b', [second])]);
    expect(proof.verdict).toBe(verdict);
    expect(proof.reason).toContain(note);
    const sound = proofOf('doubling', question, [arm('a', [run(A)]), arm('b', [{ ...second, status: 'valid' }])]);
    expect(sound.reason).not.toContain('harness');
  });

  it('R058 cannot conclude from the quick successes of an arm in which more failed than the percentile allows', () => {
    const failing = { ...run(A), failureShare: 0.4 };
    const proof = proofOf('doubling', question, [arm('as-planned', [run(A)]), arm('doubled', [failing])]);
    expect(proof.verdict).toBe('cannot-conclude');
    expect(proof.reason).toContain('40.00 % of doubled failed, the limit for p99 is 1.00 %');
    const few = { ...run(A), failureShare: 0.009 };
    expect(proofOf('doubling', question, [arm('a', [run(A)]), arm('b', [few])]).verdict).toBe('equivalent');
  });

  it.each([
    [99.9, 1 / 1000],
    [90, 100 / 1000],
    [99.99, 1 / 10_000],
  ])(
    'R058 p%d has a value where just as many failed as it leaves, and none where one more did',
    (percentile, share) => {
      const verdictAt = (failureShare: number): string =>
        proofOf('doubling', { percentile, margin: 0.05 }, [arm('a', [run(A)]), arm('b', [{ ...run(A), failureShare }])])
          .verdict;
      expect(verdictAt(share)).toBe('equivalent');
      expect(verdictAt(share * 1.001)).toBe('cannot-conclude');
    },
  );

  it('says of arms that were compared by blocks that what differs between runs is not in the interval', () => {
    const reasonOf = (experiment: 'doubling' | 'probe', ...runs: ArmRun[]): string =>
      proofOf(experiment, question, [arm('a', runs), arm('b', runs)]).reason;
    const unseen = 'which do not show what differs between runs: --repeat 3 compares runs';
    expect(reasonOf('doubling', run(A))).toContain(unseen);
    // A probe and the loaded agents are one run.
    expect(reasonOf('probe', run(A))).not.toContain(unseen);
    expect(reasonOf('doubling', run(A, 100), run(A, 101), run(A, 99.5))).not.toContain(unseen);
  });

  it('compares runs instead of blocks from three runs on', () => {
    const runs = [100, 101, 99.5].map((p99) => run(A, p99));
    const proof = proofOf('doubling', question, [arm('a', runs), arm('b', runs)]);
    expect(proof.comparison).toMatchObject({ of: 'runs', values: [3, 3] });
    expect(proof.betweenRuns.find((one) => one.statistic === 'p99(response)')?.interval?.mean).toBeCloseTo(100.1667, 3);
  });
});

describe('arms', () => {
  const plan = createPlan({ ratePerSecond: 100 });
  const two = { ...plan, fleet: { ...plan.fleet, agents: 2, workers: 3 } };

  it('doubling keeps the schedule and doubles the workers', () => {
    const [first, second] = armPlans({ experiment: 'doubling', coordinator: null }, two);
    expect([first.plan.fleet.workers, second.plan.fleet.workers]).toEqual([3, 6]);
    expect(scheduleDigest(first.plan)).toBe(scheduleDigest(second.plan));
  });

  it('doubling on a coordinator’s fleet takes twice the agents, with the workers that they offer', () => {
    const asOffered = { ...two, fleet: { ...two.fleet, workers: null } };
    const [first, second] = armPlans({ experiment: 'doubling', coordinator: '127.0.0.1:7400' }, asOffered);
    expect(first.plan.fleet).toMatchObject({ agents: 2, workers: null });
    expect(second.plan.fleet).toMatchObject({ agents: 4, workers: null });
    expect(scheduleDigest(first.plan)).toBe(scheduleDigest(second.plan));
  });

  it('half load halves every rate', () => {
    const [, half] = armPlans({ experiment: 'half', coordinator: null }, two);
    expect(half.plan.phases[0]?.arrivals).toMatchObject({ knots: [{ ratePerSecond: 50 }, { ratePerSecond: 50 }] });
  });

  it('probe and loaded agents share one plan: one worker beside the planned fleet', () => {
    const [probe, loaded] = armPlans({ experiment: 'probe', coordinator: null }, two);
    expect(probe.plan).toEqual(loaded.plan);
    expect(probe.fleet).toEqual({ agents: 1, workers: 1 });
    expect(loaded.plan.fleet).toMatchObject({ agents: 2, workers: 3 });
  });

  it.each([
    [0.1, 6],
    [0.001, 1],
    [0.999, 63],
  ])('a share of %d of 64 lanes are %i', (share, lanes) => {
    expect(probeOf(plan, share).lanes).toBe(lanes);
  });
});

describe('between runs', () => {
  it('M§4.4: 212 219 208 241 215 have mean 219, 95 % 202.93 to 235.07, median 215', () => {
    const found = betweenRuns(
      'p99(response)',
      'ns',
      [212, 219, 208, 241, 215].map((ms) => ms * 1e6),
    );
    expect(found.interval?.low).toBeCloseTo(202.93e6, -4);
    expect(found.interval?.high).toBeCloseTo(235.07e6, -4);
    expect(found.median).toBe(215e6);
    expect(betweenRunsText(found)).toBe('p99(response): mean of 5 runs 219 ms, 95 % 203 ms to 235 ms; median 215 ms');
  });

  it('leaves out runs without the statistic and has no interval of one', () => {
    expect(betweenRuns('p99(response)', 'ns', [null, 5])).toMatchObject({ values: [5], median: 5, interval: null });
  });

  it('has a median between the two in the middle: the lower of two runs is the better one', () => {
    const medianOf = (...values: number[]): number | null => betweenRuns('p99(response)', 'ns', values).median;
    expect([medianOf(), medianOf(7), medianOf(300, 100), medianOf(9, 1, 4), medianOf(1, 9, 4, 2)]).toEqual([
      null,
      7,
      200,
      4,
      3,
    ]);
  });

  it('has no interval with times below 0 or more than all that failed, where runs swing widely', () => {
    const times = betweenRuns('p99(response)', 'ns', [240.783, 290, 9.1, 296.3]).interval;
    expect(times?.low).toBe(0);
    // The half width stays that of the t interval.
    expect(times?.halfWidth).toBeCloseTo(215.751, 3);
    expect(times?.high).toBeCloseTo(424.797, 3);
    const shares = betweenRuns('failureShare', 'share', [0, 1, 0.9]);
    expect(shares.interval).toMatchObject({ low: 0, high: 1 });
    expect(betweenRunsText(shares)).toBe(
      'failureShare: mean of 3 runs 63.33 %, 95 % 0.00 % to 100.00 %; median 90.00 %',
    );
  });
});
