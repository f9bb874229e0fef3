import { describe, expect, it } from 'vitest';
import { phaseNsWithin, ranNsOf } from '../../../../coordinator/report/phase-span.ts';
import type { ArrivalLaw } from '../../../../shared/schedule/arrival-law.ts';
import { traceOf } from '../../../support/schedule-of.ts';
import type { RunEnd } from '../../../../coordinator/run/run-record.ts';

const arrivals: ArrivalLaw = { kind: 'even', knots: [] };
const phase = { startNs: 1.5e9, durationNs: 2e9, arrivals };
const finished: RunEnd = { kind: 'finished' };
const stoppedAt = (atNs: number): RunEnd => ({ kind: 'interrupted', atNs, signal: 'SIGINT', abrupt: false });

describe('the span of a phase', () => {
  it.each<[number, RunEnd, number]>([
    [0, finished, 0],
    [1e9, finished, 0.5e9],
    [2e9, finished, 1e9],
    [3e9, finished, 0.5e9],
    [4e9, finished, 0],
    [1e9, stoppedAt(1.2e9), 0],
    [2e9, stoppedAt(2.25e9), 0.25e9],
    [3e9, stoppedAt(2.25e9), 0],
    [2e9, { kind: 'failed', atNs: 2.5e9, reason: 'an agent was lost' }, 0.5e9],
    [2e9, { kind: 'failed', atNs: null, reason: 'no agent joined' }, 0],
  ])('in the second from %d ns on, of a run that ended as %j, is %d ns', (startNs, end, expected) => {
    expect(phaseNsWithin(phase, end, { startNs, lengthNs: 1e9 })).toBe(expected);
  });

  it('has none where the phase has no length of its own', () => {
    const atOnce = { startNs: 0, durationNs: 0, arrivals };
    expect(phaseNsWithin(atOnce, finished, { startNs: 0, lengthNs: 1e9 })).toBeNull();
    expect(ranNsOf([atOnce, phase], finished)).toBe(2e9);
    // 1 ns holds all rows of a trace that have one time stamp: a rate over that would be thousands of millions.
    const instant = { startNs: 0, durationNs: 1, arrivals: traceOf([0, 0]).law };
    expect(phaseNsWithin(instant, finished, { startNs: 0, lengthNs: 1e9 })).toBeNull();
    expect(ranNsOf([instant, phase], finished)).toBe(2e9);
  });

  it('is cut by a stop, and nothing for the phases behind it', () => {
    const next = { startNs: 3.5e9, durationNs: 1e9, arrivals };
    expect([finished, stoppedAt(4e9), stoppedAt(2e9), stoppedAt(0)].map((end) => ranNsOf([phase, next], end))).toEqual([
      3e9, 2.5e9, 0.5e9, 0,
    ]);
  });
});
