import { expect, it } from 'vitest';
import { ProbePartSums } from '../../../../coordinator/merge/probe-parts.ts';
import { partData } from '../../../../coordinator/report/scope-data.ts';
import { createPlan } from '../../../support/plan-fixture.ts';
import { resultOf } from '../../../support/result-of.ts';
import { syntheticRun } from '../../../support/synthetic-run.ts';

const plan = createPlan({ ratePerSecond: 400, durationNs: 3e9 });

it('a probe and the loaded agents are the run: the books balance, and the parts add up to the whole', () => {
  const run = syntheticRun({ plan, agents: 3, probe: { slot: 1, lanes: 4 } });
  const parts = new ProbePartSums({ runId: 'run-1', trial: 0, plan }, run.slots, 'agent-2');
  for (const report of run.reports) parts.apply(report);
  const [probe, loaded] = [partData(plan, parts.probe), partData(plan, parts.loaded)];
  const { value, measured } = resultOf(run);
  expect(value.verdict.gates.find(({ name }) => name === 'books-balance')?.kind).toBe('pass');
  expect(value.agents[1]?.accounting).toMatchObject({ scheduled: probe.accounting.ok, lost: 0 });
  // 4 of 64 lanes at 400 a second for 3 s are 75 arrivals, give or take.
  expect(probe.accounting.ok).toBeGreaterThan(40);
  expect(probe.accounting.ok).toBeLessThan(115);
  expect(probe.accounting.ok + loaded.accounting.ok).toBe(value.accounting.ok);
  const sum = probe.histogram('response', 'ok');
  sum.add(loaded.histogram('response', 'ok'));
  expect(sum.percentile(50)).toBe(measured.histogram('response', 'ok').percentile(50));
  expect(sum.sum).toBe(measured.histogram('response', 'ok').sum);
});
