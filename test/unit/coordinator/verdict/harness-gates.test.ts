/** Each gate of the battery (M§9.2) on telemetry made for it, at, above and far above its limit, and unread. */
import { describe, expect, it } from 'vitest';
import { type HarnessEvidence, harnessGates } from '../../../../coordinator/verdict/harness-gates.ts';
import { EXPLAINING_GATES, type GateName } from '../../../../coordinator/verdict/thresholds-table.ts';
import { type Gate, verdictOf } from '../../../../coordinator/verdict/verdict.ts';
import type { GaugeName } from '../../../../shared/metrics/gauges.ts';
import { cleanHarness, gaugesOf, QUIET } from '../../../support/clean-harness.ts';

function gate(name: GateName, changes: Partial<HarnessEvidence>): Gate {
  const found = harnessGates(cleanHarness(changes)).find((one) => one.name === name);
  if (found === undefined) throw new Error(`no gate ${name}`);
  return found;
}

const withGauges = (values: Partial<Record<GaugeName, number | null>>): Partial<HarnessEvidence> => ({
  gauges: gaugesOf({ ...QUIET, ...values }),
});

describe('a clean harness', () => {
  it('passes every gate that can be evaluated', () => {
    const gates = harnessGates(cleanHarness());
    expect(gates.filter((one) => one.kind !== 'pass').map((one) => [one.name, one.kind])).toEqual([
      ['network-card', 'not-measured'],
    ]);
  });

  it('P8 of which nothing could be read passes nothing: every gate on gauges is not measured', () => {
    const unread = Object.fromEntries(Object.keys(QUIET).map((name) => [name, null]));
    for (const gauges of [gaugesOf(unread), []]) {
      const gates = harnessGates(cleanHarness({ gauges }));
      const notMeasured = gates.filter((one) => one.kind === 'not-measured').map((one) => one.name);
      expect(notMeasured).toEqual([
        'loop-busy',
        'file-handles',
        'local-ports',
        'cpu-steal',
        'cpu-throttled',
        'gc-pause',
        'retransmits',
        'network-card',
      ]);
      for (const one of gates) if (one.kind === 'not-measured') expect(one.measured).toBeNull();
    }
  });

  it('without an answered request has no tail to compare with', () => {
    expect(gate('loop-gap', { responseP99Ns: null }).kind).toBe('not-measured');
    expect(gate('gc-pause', { responseP99Ns: null }).kind).toBe('not-measured');
    const times = { requests: 0, responseNs: 0, wakeLagNs: 0, ownWaitNs: 0, waitNs: 0 };
    expect(gate('lag-share', { times }).kind).toBe('not-measured');
  });
});

describe('gates that read gauges', () => {
  it.each<[GateName, Partial<Record<GaugeName, number>>, Gate['kind'], number]>([
    ['loop-busy', { loopBusyNs: 600_000_000 }, 'pass', 0.6],
    ['loop-busy', { loopBusyNs: 610_000_000 }, 'warn', 0.61],
    ['loop-busy', { loopBusyNs: 960_000_000 }, 'fail', 0.96],
    ['cpu-steal', { hostCpuStealTicks: 5 }, 'pass', 0.005],
    ['cpu-steal', { hostCpuStealTicks: 6 }, 'warn', 0.006],
    ['cpu-steal', { hostCpuStealTicks: 900 }, 'warn', 0.9],
    ['cpu-steal', { hostCpuStealPeakShare: 0.06 }, 'warn', 0],
    ['cpu-throttled', { cgroupThrottledPeriods: 1 }, 'warn', 1],
    ['gc-pause', { gcPauseMaxNs: 2_000_000 }, 'pass', 2_000_000],
    ['gc-pause', { gcPauseMaxNs: 50_000_000 }, 'warn', 50_000_000],
    ['retransmits', { tcpSegmentsRetransmitted: 10 }, 'pass', 0.0001],
    ['retransmits', { tcpSegmentsRetransmitted: 11 }, 'warn', 0.00011],
    ['file-handles', { fileHandles: 921 }, 'pass', 921 / 1024],
    ['file-handles', { fileHandles: 1000 }, 'warn', 1000 / 1024],
    ['local-ports', { localPortsTaken: 14_116 }, 'pass', 0.5],
    ['local-ports', { localPortsTaken: 20_000 }, 'warn', 20_000 / 28_232],
  ])('%s with %j: %s', (name, values, kind, measured) => {
    const found = gate(name, withGauges(values));
    expect(found.kind).toBe(kind);
    expect(found.measured).toBeCloseTo(measured, 9);
    if (kind !== 'pass') expect(found.reason).toMatch(/agent-1/);
  });

  it('the worst agent is judged and named', () => {
    const gauges = [...gaugesOf(QUIET, 'quiet'), ...gaugesOf({ ...QUIET, loopBusyNs: 990_000_000 }, 'busy')];
    const found = gate('loop-busy', { gauges });
    expect(found).toMatchObject({ kind: 'fail', measured: 0.99 });
    expect(found.reason).toContain('worker 0 of agent busy');
  });

  it('a throttled agent is told for how long it stood still', () => {
    const found = gate('cpu-throttled', withGauges({ cgroupThrottledPeriods: 4, cgroupThrottledNs: 250_000_000 }));
    expect(found.reason).toContain('in 4 periods, for 250.000 ms');
  });

  it('T12 a quota above the visible cgroups stops an agent without a period that is counted', () => {
    const found = gate('cpu-throttled', withGauges({ cgroupThrottledPeriods: 0, cgroupThrottledNs: 80_000_000 }));
    expect(found).toMatchObject({ kind: 'warn', measured: 1 });
    expect(found.reason).toContain('stopped agent agent-1 from above its visible cgroups, for 80.000 ms');
    const clean = gate('cpu-throttled', withGauges({ cgroupThrottledPeriods: 0, cgroupThrottledNs: 0 }));
    expect(clean).toMatchObject({ kind: 'pass', measured: 0 });
  });
});

describe('gates on requests and connections', () => {
  it.each([
    [0.009, 0, 'pass'],
    [0.02, 0, 'warn'],
    [0.3, 0, 'fail'],
    // A cap of the plan holds requests back: not the worker's lateness.
    [0.001, 0.5, 'warn'],
  ] as const)('lag-share: wakeLag %d and own waits %d of the response time: %s', (lag, wait, kind) => {
    const times = {
      requests: 1000,
      responseNs: 1e10,
      wakeLagNs: lag * 1e10,
      ownWaitNs: wait * 1e10,
      waitNs: wait * 1e10,
    };
    const found = gate('lag-share', { times });
    expect(found.kind).toBe(kind);
    expect(found.measured).toBeCloseTo(lag + wait, 12);
  });

  it('lag-share: up to 0.1 ms a request passes, however quick the target', () => {
    const times = { requests: 1000, responseNs: 1e8, wakeLagNs: 5e7, ownWaitNs: 0, waitNs: 0 };
    expect(gate('lag-share', { times }).kind).toBe('pass');
  });

  it('R017 loop-gap: a loop that was blocked is named with its longest gap', () => {
    const loopGaps = [
      { agentId: 'agent-1', p999Ns: 90_000, longestNs: 500_000 },
      { agentId: 'agent-2', p999Ns: 200_000_000, longestNs: 200_000_000 },
      { agentId: 'agent-3', p999Ns: null, longestNs: null },
    ];
    const found = gate('loop-gap', { loopGaps });
    expect(found).toMatchObject({ kind: 'warn', measured: 200_000_000, limit: 1_000_000 });
    expect(found.reason).toContain('agent agent-2');
    expect(gate('loop-gap', { loopGaps: [loopGaps[2]!] }).kind).toBe('not-measured');
  });

  it('own-waits: one wait is enough to say so, and never invalidates: it may be the target that fills the cap', () => {
    expect(gate('own-waits', { waits: { queued: 1, forStream: 0, dropped: 0, behindDecoding: 0 } })).toMatchObject({
      kind: 'warn',
      measured: 1,
    });
    const found = gate('own-waits', { waits: { queued: 100_000, forStream: 7, dropped: 5, behindDecoding: 0 } });
    expect(found).toMatchObject({ kind: 'warn', measured: 100_012 });
    expect(found.reason).toContain('7 waited for a stream');
    expect(found.reason).toContain('raise limits.connections');
    expect(found.reason).not.toContain('decod');
  });

  it.each([
    ['all of them', { queued: 20, forStream: 0, dropped: 5, behindDecoding: 25 }, '25 of them', false],
    ['some of them', { queued: 20, forStream: 0, dropped: 5, behindDecoding: 9 }, '9 of them', true],
    ['those of a batch', { queued: 0, forStream: 1, dropped: 5, behindDecoding: 9 }, '5 of them', true],
  ] as const)('R030 own-waits names decoding where that filled the cap: %s', (_what, waits, share, namesLimits) => {
    const { reason } = gate('own-waits', { waits });
    expect(reason).toContain(`${share} at a cap that was full of answers whose bodies we were still decoding`);
    expect(reason.includes('raise limits')).toBe(namesLimits);
  });

  it.each([
    [0, 'pass'],
    [1, 'warn'],
    [10, 'warn'],
    [11, 'fail'],
  ] as const)('R032 %i of 1000 requests failed by our own fault: %s', (count, kind) => {
    const details = count === 0 ? [] : ['EMFILE: no file handle'];
    const found = gate('generator-failures', { generatorFailures: { count, attempted: 1000, details } });
    expect(found).toMatchObject({ kind, measured: count / 1000 });
    if (count > 0) expect(found.reason).toContain('EMFILE: no file handle');
  });

  it.each<[Partial<Record<GaugeName, number>>, Gate['kind'], string]>([
    [{}, 'not-measured', 'no host tells which card'],
    [{ networkIsLoopback: 1 }, 'not-measured', 'loopback'],
    [{ networkIsLoopback: 0 }, 'not-measured', 'counts of the card cannot be read'],
    [{ networkIsLoopback: 0, networkProblems: 0 }, 'not-measured', 'does not tell the speed'],
    [{ networkIsLoopback: 0, networkProblems: 0, networkUseShare: 0.6 }, 'pass', '60.00 % of its speed'],
    [{ networkIsLoopback: 0, networkProblems: 0, networkUseShare: 0.61 }, 'warn', 'agent agent-1 carried 61.00 %'],
    [{ networkIsLoopback: 0, networkProblems: 2 }, 'warn', 'agent agent-1 damaged or dropped 2 frames'],
  ])('network-card: %j is %s', (values, kind, text) => {
    const found = gate('network-card', withGauges(values));
    expect(found.kind).toBe(kind);
    expect(found.reason).toContain(text);
  });

  it('new-connections: half of what the ports of the host last for', () => {
    const at = (perSecond: number, localPortsTotal: number | null): Gate =>
      gate('new-connections', { connections: [{ agentId: 'agent-1', perSecond }], ...withGauges({ localPortsTotal }) });
    expect(at(235, 28_232)).toMatchObject({ kind: 'pass', limit: 235 });
    expect(at(236, 28_232)).toMatchObject({ kind: 'warn', limit: 235 });
    expect(at(236, 56_464)).toMatchObject({ kind: 'pass', limit: 470 });
    expect(at(236, null)).toMatchObject({ kind: 'warn', limit: 235 });
  });
});

describe('gates that explain', () => {
  const noisy = harnessGates(
    cleanHarness(withGauges({ hostCpuStealTicks: 100, cgroupThrottledPeriods: 3, gcPauseMaxNs: 90_000_000 })),
  );

  it('do not judge alone: the run stays valid, and the gates are shown', () => {
    const verdict = verdictOf(noisy, null, EXPLAINING_GATES);
    expect(verdict).toMatchObject({ status: 'valid', reasons: [] });
    expect(verdict.gates.filter((one) => one.kind === 'warn').map((one) => one.name)).toEqual([
      'cpu-steal',
      'cpu-throttled',
      'gc-pause',
    ]);
  });

  it('name the cause where another gate sees the effect', () => {
    const loopGaps = [{ agentId: 'agent-1', p999Ns: 90_000_000, longestNs: 90_000_000 }];
    const effect = harnessGates(cleanHarness({ loopGaps })).filter((one) => one.name === 'loop-gap');
    const verdict = verdictOf([...noisy, ...effect], null, EXPLAINING_GATES);
    expect(verdict.status).toBe('degraded');
    expect(verdict.reasons[0]).toContain('to come round');
    expect(verdict.reasons.slice(1)).toEqual([
      expect.stringContaining('stolen'),
      expect.stringContaining('quota'),
      expect.stringContaining('garbage collection'),
    ]);
  });
});
