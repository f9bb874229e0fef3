/** Which part of a run was the harness at fault in? One of two agents, in one of two phases, is late. */
import { describe, expect, it } from 'vitest';
import type { Phase } from '../../../../shared/plan/plan.ts';
import type { Arrival } from '../../../../shared/schedule/arrival-stream.ts';
import { createPlan } from '../../../support/plan-fixture.ts';
import { resultOf } from '../../../support/result-of.ts';
import { type Fate, steadyFate, type SyntheticOptions, syntheticRun } from '../../../support/synthetic-run.ts';
import type { SeededRandom } from '../../../support/seeded-random.ts';

function poisson(name: string, startNs: number, durationNs: number, ratePerSecond: number): Phase {
  const knots = [
    { tSeconds: 0, ratePerSecond },
    { tSeconds: durationNs / 1e9, ratePerSecond },
  ];
  return { name, warmup: false, startNs, durationNs, arrivals: { kind: 'poisson', knots } };
}

const plan = createPlan({ overrides: { phases: [poisson('calm', 0, 2e9, 200), poisson('late', 2e9, 2e9, 200)] } });

/** Worker slots are dealt lane mod W (design §5): of two agents the second has the odd lanes. */
function isOfSecondAgent(arrival: Arrival): boolean {
  return arrival.lane % 2 === 1;
}

function lateFate(arrival: Arrival, random: SeededRandom): Fate {
  if (arrival.phase === 0 || !isOfSecondAgent(arrival)) return steadyFate(arrival, random);
  return { kind: 'ok', wakeLagNs: 60_000_000, waitNs: 0, serviceNs: 5_000_000 };
}

function valueOf(options: Partial<SyntheticOptions> = {}) {
  return resultOf(syntheticRun({ plan, agents: 2, ...options }));
}

describe('verdicts on parts of a run', () => {
  it('a clean run is valid in every phase, agent and window, and says what was not measured', () => {
    const { value } = valueOf();
    expect(value.phases.map(({ verdict }) => verdict)).toEqual([
      { status: 'valid', reasons: [], broken: [], notMeasured: ['excess-bound'] },
      { status: 'valid', reasons: [], broken: [], notMeasured: ['excess-bound'] },
    ]);
    expect(value.agents.map(({ verdict }) => verdict?.status)).toEqual(['valid', 'valid']);
    expect(value.agents[0]?.verdict?.notMeasured).toContain('loop-busy');
    expect(new Set(value.windows.filter(({ scheduled }) => scheduled > 0).map(({ status }) => status))).toEqual(
      new Set(['valid']),
    );
    expect(value.windows[0]?.fidelity).toMatchObject({ workerBehindShare: 0 });
    expect(value.windows[0]?.fidelity.fano10ms).toBeCloseTo(1, 1);
  });

  it('names the phase, the agent and the windows where the harness was late, and clears the others', () => {
    const { value, files } = valueOf({ fate: lateFate });
    expect(value.phases.map(({ verdict }) => verdict.status)).toEqual(['valid', 'invalid']);
    expect(value.phases[1]?.verdict.broken).toEqual(expect.arrayContaining(['wake-lag', 'lag-share', 'backlog']));
    expect(value.phases[1]?.verdict.reasons[0]).toContain('generator-limited');
    expect(value.agents.map(({ verdict }) => verdict?.status)).toEqual(['valid', 'invalid']);
    const planned = value.windows.filter(({ scheduled }) => scheduled > 0);
    expect(planned.map(({ phase, status }) => [phase, status])).toEqual([
      ['calm', 'valid'],
      ['calm', 'valid'],
      ['late', 'invalid'],
      ['late', 'invalid'],
    ]);
    expect(planned[3]?.marks).toEqual(expect.arrayContaining(['wake-lag', 'backlog']));
    const csv = (files.get('windows.csv') ?? '').split('\r\n').map((line) => line.split(','));
    const place = csv[0]?.indexOf('status') ?? -1;
    const statusOf = (row: string, phase: string) =>
      csv.filter((line) => line[0] === row && line[1] === phase).map((line) => line[place]);
    expect(statusOf('phase', 'calm')).toEqual(['valid']);
    expect(statusOf('phase', 'late')).toEqual(['invalid']);
    expect(statusOf('run', '')).toEqual([value.verdict.status]);
    expect(files.get('summary.txt')).toMatch(/agent-2 .* invalid/);
  });

  it('an agent that sent too little is named, though the fleet as a whole was late with nothing', () => {
    const { value } = valueOf({
      fate: (arrival, random) =>
        isOfSecondAgent(arrival) && random.below(20) === 0
          ? { kind: 'dropped', reason: 'late' }
          : steadyFate(arrival, random),
    });
    expect(value.agents.map(({ verdict }) => verdict?.broken)).toEqual([[], ['sent-share']]);
    expect(value.windows.some(({ marks }) => marks.includes('sent-share'))).toBe(true);
  });
});
