import { describe, expect, it } from 'vitest';
import type { StretchPace } from '../../../../coordinator/merge/stretch-paces.ts';
import type { GateName } from '../../../../coordinator/verdict/thresholds-table.ts';
import {
  type StretchFacts,
  type StretchVerdict,
  stretchVerdict,
} from '../../../../coordinator/verdict/window-marks.ts';
import type { GaugeName } from '../../../../shared/metrics/gauges.ts';

const kept: StretchPace = {
  fine: { ratio: 1.01, deviation: 0 },
  coarse: { ratio: 1.02, deviation: 0 },
  backlogMax: 1,
  behindShare: 0,
};

const quiet: StretchFacts = {
  pace: kept,
  isOwnLag: () => true,
  scheduled: 100,
  dropped: 0,
  droppedByCap: 0,
  attempted: 100,
  generatorFailures: 0,
  wakeLagP99Ns: 50_000,
  serviceP50Ns: 10_000_000,
  responseP99Ns: 20_000_000,
  highest: () => null,
};

const high = (name: GaugeName, value: number): Partial<StretchFacts> => ({
  highest: (asked) => (asked === name ? value : null),
});
const pace = (changes: Partial<StretchPace>): Partial<StretchFacts> => ({ pace: { ...kept, ...changes } });

type Case = readonly [StretchVerdict['status'], readonly GateName[], Partial<StretchFacts>];

describe('the harness in one window', () => {
  it.each<Case>([
    ['valid', [], {}],
    ['degraded', ['wake-lag'], { wakeLagP99Ns: 1_000_001 }],
    ['invalid', ['wake-lag'], { wakeLagP99Ns: 10_000_001 }],
    ['degraded', ['send-fidelity'], pace({ fine: { ratio: 1.2, deviation: 0.06 } })],
    ['invalid', ['send-fidelity'], pace({ coarse: { ratio: 2.3, deviation: 1.1 } })],
    ['degraded', ['send-fidelity'], { ...pace({ coarse: { ratio: 2.3, deviation: 1.1 } }), isOwnLag: () => false }],
    ['degraded', ['backlog'], pace({ behindShare: 0.1 })],
    ['invalid', ['backlog'], pace({ behindShare: 0.2 })],
    ['degraded', ['backlog'], { ...pace({ behindShare: 0.2 }), isOwnLag: () => false }],
    ['valid', [], { dropped: 1 }],
    ['invalid', ['sent-share'], { dropped: 2 }],
    ['degraded', ['own-waits'], { dropped: 1, droppedByCap: 1 }],
    ['degraded', ['generator-failures'], { generatorFailures: 1 }],
    ['invalid', ['generator-failures'], { generatorFailures: 2 }],
    ['degraded', ['loop-busy'], high('loopBusyShare', 0.61)],
    ['invalid', ['loop-busy'], high('loopBusyShare', 0.96)],
  ])('%s %j', (status, marks, facts) => {
    expect(stretchVerdict({ ...quiet, ...facts })).toEqual({ status, marks });
  });

  it.each<Case>([
    ['valid', ['cpu-steal'], high('hostCpuStealPeakShare', 0.06)],
    ['valid', ['cpu-throttled'], high('cgroupThrottledPeriods', 1)],
    ['valid', ['gc-pause'], high('gcPauseMaxNs', 2_000_001)],
    ['valid', [], high('gcPauseMaxNs', 2_000_000)],
  ])('%s %j: what explains is a mark and does not judge', (status, marks, facts) => {
    expect(stretchVerdict({ ...quiet, ...facts })).toEqual({ status, marks });
  });

  it('is not measured where nothing was planned, sent or answered', () => {
    const nothing = {
      pace: null,
      scheduled: 0,
      attempted: 0,
      wakeLagP99Ns: null,
      serviceP50Ns: null,
      responseP99Ns: null,
    };
    expect(stretchVerdict({ ...quiet, ...nothing })).toEqual({ status: 'not-measured', marks: [] });
  });
});
