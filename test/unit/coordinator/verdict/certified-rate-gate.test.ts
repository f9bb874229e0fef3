import { describe, expect, it } from 'vitest';
import { certifiedRateGate, certifiedRateWarning } from '../../../../coordinator/verdict/certified-rate-gate.ts';

const certified = { kind: 'certified', ratePerSecond: 1000, client: 'wire' } as const;

describe('certified-rate gate', () => {
  it('warns above the certified rate, never fails', () => {
    expect(certifiedRateGate({ ratePerSecond: 1000, certified })).toMatchObject({ kind: 'pass', measured: 1 });
    const gate = certifiedRateGate({ ratePerSecond: 5000, certified });
    expect(gate).toMatchObject({ kind: 'warn', measured: 5 });
    expect(gate.reason).toBe(
      'planned 5000.0/s per worker, certified 1000.0/s with client wire: use more workers or agents',
    );
  });

  it('is not measured without a calibration, and says why', () => {
    const gate = certifiedRateGate({ ratePerSecond: 1, certified: { kind: 'none', reason: 'not calibrated' } });
    expect(gate).toMatchObject({ kind: 'not-measured', measured: null, reason: 'not calibrated' });
  });
});

it.each([
  [600, null],
  [601, 'pre-flight: the plan asks each worker for up to 601.0/s, 60.10 % of its certified 1000.0/s with client wire'],
  [null, null],
])('before the run: %j per second and worker of 1000', (ratePerSecond, text) => {
  const warning = certifiedRateWarning({
    ratePerSecond,
    certified: { kind: 'certified', ratePerSecond: 1000, client: 'wire' },
  });
  if (text === null) expect(warning).toBeNull();
  else expect(warning).toContain(text);
});
