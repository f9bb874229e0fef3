import { describe, expect, it } from 'vitest';
import { certify, ladderPlan, ladderRates } from '../../../../cli/calibration/ladder.ts';
import { spreadOf } from '../../../../cli/calibration/timer-error.ts';
import type { Rung } from '../../../../shared/calibration/calibration.ts';
import { planOfText } from '../../../support/plan-of-text.ts';

const spread = spreadOf([]);
const rung = (ratePerSecond: number, level: Rung['level'], sent = 100): Rung => ({
  ratePerSecond,
  scheduled: 100,
  sent,
  ok: sent,
  wakeLag: spread,
  serviceError: spread,
  excess: { '50': null, '99': null },
  level,
});

describe('ladder', () => {
  it('climbs to 1.5 times the asked rate, as a plan with a warm-up and a phase for each rate of all workers', () => {
    expect(ladderRates(1000)).toEqual([100, 250, 500, 750, 1000, 1250, 1500]);
    const text = ladderPlan({
      targetUrl: 'http://127.0.0.1:9',
      client: 'wire',
      workers: 2,
      rates: ladderRates(100),
      stepSeconds: 3,
    });
    const { plan } = planOfText(text);
    expect(plan.phases.map((phase) => phase.warmup)).toEqual([true, ...Array.from({ length: 7 }, () => false)]);
    expect(plan.phases.at(-1)?.arrivals).toMatchObject({ kind: 'poisson', knots: [{ ratePerSecond: 300 }, {}] });
    expect(plan.target.client).toBe('wire');
    expect(plan.fleet.workers).toBe(2);
  });

  it('climbs over HTTP/2 with the client that speaks it', () => {
    const options = { targetUrl: 'http://127.0.0.1:9', client: 'h2', workers: 1, rates: [100], stepSeconds: 3 };
    expect(planOfText(ladderPlan(options)).plan.target).toMatchObject({ client: 'auto', httpVersion: '2' });
  });

  it('certifies the highest rate below the first that is not clean', () => {
    const rungs = [rung(100, 'pass'), rung(200, 'pass'), rung(300, 'warn'), rung(400, 'pass')];
    expect(certify(rungs)).toEqual({ certifiedRatePerSecond: 200, limitedBy: 'excess' });
    expect(certify(rungs.slice(0, 2))).toEqual({ certifiedRatePerSecond: 200, limitedBy: 'ladder' });
    expect(certify([rung(100, 'pass'), rung(200, 'pass', 98)])).toEqual({
      certifiedRatePerSecond: 100,
      limitedBy: 'load',
    });
    expect(certify([rung(100, 'not-measured')])).toEqual({ certifiedRatePerSecond: null, limitedBy: 'excess' });
  });
});

describe('spreadOf', () => {
  it('has nearest-rank percentiles, and null without a value', () => {
    expect(spreadOf([3, 1, 2])).toEqual({ p50: 2, p99: 3, p999: 3, max: 3 });
    expect(spreadOf([])).toEqual({ p50: null, p99: null, p999: null, max: null });
  });
});
