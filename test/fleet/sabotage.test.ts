/**
 * One real sabotage of each kind: something is done to the agent, and the verdict must say so and name it (P7). Bounds are wide
 * and one-sided: a shared machine may add trouble of its own, so no run here is asserted to be valid.
 */
import { availableParallelism } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import type { ResultValue } from '../../coordinator/report/result-value.ts';
import { DEFAULT_LIMITS } from '../support/plan-fixture.ts';
import { createQuotaGroup } from '../support/cpu-quota.ts';
import { gateOf, SabotagedFleet } from '../support/sabotaged-fleet.ts';

const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function fleetOf(service = 'constant:5ms'): Promise<SabotagedFleet> {
  const fleet = await SabotagedFleet.start({ service });
  closers.push(() => fleet.close());
  return fleet;
}

/** What every sabotage must lead to, besides being named. */
function expectNotValid({ verdict, run }: ResultValue): void {
  expect(run.end.kind).toBe('finished');
  expect(verdict.status).not.toBe('valid');
}

const MS = 1_000_000;

describe('the verdict on a sabotaged harness', () => {
  it('R017 a worker blocked 200 ms every 2 s: a blocked loop is named, and the sends that came in bursts', async () => {
    const fleet = await fleetOf();
    fleet.runAgentWith(new URL('../support/worker-entries/blocked-worker.ts', import.meta.url));
    const result = await fleet.run({ ratePerSecond: 300, durationNs: 5e9 });
    expectNotValid(result);
    const gap = gateOf(result, 'loop-gap');
    expect(gap.kind).toBe('warn');
    expect(gap.measured).toBeGreaterThan(150 * MS);
    expect(gap.reason).toContain('agent victim');
    expect(gateOf(result, 'send-fidelity').kind).not.toBe('pass');
    expect(gateOf(result, 'backlog').kind).not.toBe('pass');
    expect(result.windows.filter((window) => window.marks.includes('backlog')).length).toBeGreaterThan(0);
  });

  it('R085 an agent starved of CPU: generator-limited, by its own lateness', async () => {
    const fleet = await fleetOf();
    const busy = 'const end = performance.now() + 12000; while (performance.now() < end);';
    // Busy loops on one core, and the agent confined to it with the lowest priority.
    for (let i = 0; i < 2; i += 1) fleet.spawn('taskset', ['-c', '0', process.execPath, '-e', busy]);
    fleet.spawnAgent((agent) => ['taskset', '-c', '0', 'nice', '-n', '10', ...agent]);
    const result = await fleet.run({ ratePerSecond: 500, durationNs: 4e9 });
    expectNotValid(result);
    const lag = gateOf(result, 'wake-lag');
    expect(lag.kind).not.toBe('pass');
    expect(lag.reason).toContain('generator-limited');
    expect(gateOf(result, 'lag-share').kind).not.toBe('pass');
  });

  it('a cgroup quota: throttling is named, timers are chosen, and it was said before the run', async (context) => {
    const group = createQuotaGroup(0.25);
    if ('reason' in group) return context.skip(group.reason);
    closers.push(() => group.remove());
    const fleet = await fleetOf();
    const agent = fleet.spawnAgent((own) => ['bash', '-c', 'echo $$ > "$0" && exec "$@"', group.procs, ...own]);
    const result = await fleet.run({ ratePerSecond: 1000, durationNs: 4e9 });
    await agent.end();
    expectNotValid(result);
    const throttled = gateOf(result, 'cpu-throttled');
    expect(throttled.kind).toBe('warn');
    expect(result.verdict.reasons).toContain(throttled.reason);
    expect(result.agents[0]?.pacing).toContain('quota of 0.25 cores');
    expect(result.warnings.some((warning) => warning.includes('quota leaves 0.25 cores'))).toBe(true);
    expect(agent.output).toContain('pre-flight: a cgroup quota');
    return undefined;
  });

  it('R032 a limit on file handles: failures of our own, not of the target, and it was said before the run', async () => {
    // 300/s x 0.5 s are 150 connections at a time.
    const fleet = await fleetOf('constant:500ms');
    const agent = fleet.spawnAgent((own) => ['bash', '-c', 'ulimit -n 80 && exec "$@"', 'agent', ...own]);
    const limits = { ...DEFAULT_LIMITS, maxInFlight: 1000, connections: 1000, drainNs: 2e9 };
    const result = await fleet.run({ ratePerSecond: 300, durationNs: 3e9, overrides: { limits } });
    expectNotValid(result);
    expect(result.verdict.status).toBe('invalid');
    expect(result.accounting.failed.generator).toBeGreaterThan(10);
    expect(result.accounting.failed['connect-refused']).toBe(0);
    expect(result.accounting.failed['connect-timeout']).toBe(0);
    const failures = gateOf(result, 'generator-failures');
    expect(failures.kind).toBe('fail');
    expect(failures.reason).toMatch(/EMFILE|file handle/i);
    expect(result.warnings.some((warning) => warning.includes('80 file handles'))).toBe(true);
    expect(agent.output).toContain('pre-flight');
  });
});

describe.skipIf(availableParallelism() < 2)('a target that is slow for real', () => {
  it('is slow in the result, and not by our doing: neither lag, nor backlog, nor waits', async () => {
    const fleet = await fleetOf('constant:700ms');
    fleet.spawnAgent((own) => own as [string, ...string[]]);
    const result = await fleet.run({ ratePerSecond: 50, durationNs: 4e9 });
    expect(result.metrics['service']?.percentiles['50']).toBeGreaterThan(690 * MS);
    expect(gateOf(result, 'own-waits').kind).toBe('pass');
    expect(gateOf(result, 'generator-failures').kind).toBe('pass');
    expect(gateOf(result, 'sent-share').kind).toBe('pass');
  });
});
