import { describe, expect, it } from 'vitest';
import { type CalibrationCheck, recheckGate } from '../../../../coordinator/verdict/recheck-gate.ts';

type Made = Extract<CalibrationCheck, { kind: 'made' }>;

const clean: Made = {
  kind: 'made',
  ratePerSecond: 400,
  workers: 2,
  floorP50Ns: 210_000,
  floorP99Ns: 500_000,
  level: 'pass',
  isCarried: true,
};
const failed: CalibrationCheck = { kind: 'failed', reason: 'no port' };

function gate(before: CalibrationCheck, after: CalibrationCheck, calibratedFloorP50Ns: number | null = 200_000) {
  return recheckGate({ before, after, calibratedFloorP50Ns });
}

describe('calibration-recheck', () => {
  it('passes where both checks are clean and the floor stays, with or without a calibration', () => {
    expect(gate(clean, { ...clean, floorP50Ns: 309_000 })).toMatchObject({ kind: 'pass', measured: 0 });
    expect(gate(clean, clean, null).kind).toBe('pass');
  });

  it.each<[Partial<Made>, string]>([
    [{ level: 'warn' }, 'after the run 400.0/s per worker was not clean'],
    [{ level: 'not-measured' }, 'after the run 400.0/s per worker gave too few answers'],
    [{ isCarried: false }, 'after the run 400.0/s per worker could not be sent'],
    [{ floorP50Ns: 320_000 }, 'the floor went from 0.210 ms (before the run) to 0.320 ms (after the run)'],
  ])('warns after a run with %j', (change, text) => {
    const found = gate(clean, { ...clean, ...change });
    expect(found).toMatchObject({ kind: 'warn', measured: 1 });
    expect(found.reason).toContain(text);
  });

  it('warns of a machine that changed since its calibration', () => {
    expect(gate({ ...clean, floorP50Ns: 600_000 }, { ...clean, floorP50Ns: 600_000 }).reason).toContain(
      'the floor went from 0.200 ms (in the calibration) to 0.600 ms (before the run)',
    );
  });

  it('is not measured where a check could not be made, unless the other found something', () => {
    expect(gate(clean, failed)).toMatchObject({ kind: 'not-measured', measured: null });
    expect(gate(failed, failed).reason).toContain('no port');
    expect(gate({ ...clean, level: 'fail' }, failed).kind).toBe('warn');
  });
});
