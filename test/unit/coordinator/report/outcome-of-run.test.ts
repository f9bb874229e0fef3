import { describe, expect, it } from 'vitest';
import { emptyAccounting } from '../../../../coordinator/merge/accounting.ts';
import { type OutcomeFacts, outcomeOfRun } from '../../../../coordinator/report/outcome-of-run.ts';
import type { ThresholdValue } from '../../../../coordinator/report/threshold-value.ts';
import type { Verdict } from '../../../../coordinator/verdict/verdict.ts';

const good = { ...emptyAccounting(), scheduled: 10, attempted: 10, sent: 10, ok: 10 };
const valid: Verdict = { status: 'valid', reasons: [], gates: [] };
const degraded: Verdict = { status: 'degraded', reasons: ['late'], gates: [] };
const invalid: Verdict = { status: 'invalid', reasons: ['too late'], gates: [] };
const lostMember: Verdict = {
  status: 'degraded',
  reasons: ['agent-2 was lost'],
  gates: [{ kind: 'warn', name: 'members-lost', measured: 1, limit: 0, unit: 'count', reason: 'agent-2 was lost' }],
};

function threshold(result: ThresholdValue['result']): ThresholdValue {
  const reason = result === 'no-data' ? 'no ok request has a response time' : null;
  return {
    text: 'p99(response)<1s',
    result,
    measured: null,
    comparison: '<',
    bound: 1e9,
    unit: 'ns',
    samples: 0,
    reason,
  };
}

function outcome(facts: Partial<OutcomeFacts>) {
  return outcomeOfRun({
    end: { kind: 'finished' },
    failOn: 'invalid',
    verdict: valid,
    thresholds: [],
    total: good,
    measured: good,
    ...facts,
  });
}

const interrupted = { kind: 'interrupted', atNs: 1e9, signal: 'SIGINT', abrupt: false } as const;
const failed = { kind: 'failed', atNs: 1e9, reason: 'an agent was lost' } as const;
const nothingOk = { ...good, ok: 0, failed: { ...good.failed, timeout: 10 } };

describe('R099 exit codes', () => {
  it.each<[string, Partial<OutcomeFacts>, string, number]>([
    ['all well', {}, 'ok', 0],
    ['a passed threshold', { thresholds: [threshold('pass')] }, 'ok', 0],
    ['a failed threshold', { thresholds: [threshold('fail')] }, 'threshold-failed', 1],
    ['a threshold without data', { thresholds: [threshold('no-data')] }, 'threshold-no-data', 1],
    ['nothing ok', { measured: nothingOk }, 'nothing-ok', 1],
    ['nothing planned', { total: emptyAccounting(), measured: emptyAccounting() }, 'nothing-planned', 1],
    ['R098 only warm-up planned', { measured: emptyAccounting() }, 'nothing-planned', 1],
    ['an invalid verdict', { verdict: invalid }, 'verdict-failed', 3],
    ['an invalid verdict that is allowed', { verdict: invalid, failOn: 'never' }, 'ok', 0],
    ['a degraded verdict by default', { verdict: degraded }, 'ok', 0],
    ['a degraded verdict that is not allowed', { verdict: degraded, failOn: 'degraded' }, 'verdict-failed', 3],
    ['R074 a lost member by default', { verdict: lostMember }, 'verdict-failed', 3],
    ['R074 a lost member that is allowed', { verdict: lostMember, failOn: 'never' }, 'ok', 0],
    ['SIGINT', { end: interrupted }, 'interrupted', 130],
    ['SIGTERM', { end: { ...interrupted, signal: 'SIGTERM' } }, 'interrupted', 143],
    ['a stop from elsewhere', { end: { ...interrupted, signal: 'stop' } }, 'interrupted', 130],
    ['a run that failed', { end: failed }, 'run-failed', 4],
    [
      'a run that failed although nothing may fail',
      { end: failed, failOn: 'never', verdict: invalid },
      'run-failed',
      4,
    ],
  ])('%s', (_, facts, kind, exitCode) => {
    expect(outcome(facts)).toMatchObject({ kind, exitCode });
  });

  it('R098 says of a plan of warm-up alone that nothing was measured, not that requests failed', () => {
    expect(outcome({ measured: emptyAccounting() }).reasons).toEqual([
      'nothing was measured: no arrival fell due outside of the warm-up phases',
    ]);
  });

  it('puts 4 before 130 before 3 before 1, and still names every reason', () => {
    const all = { verdict: invalid, thresholds: [threshold('fail'), threshold('no-data')], measured: nothingOk };
    expect(outcome({ ...all, end: failed }).exitCode).toBe(4);
    expect(outcome({ ...all, end: interrupted }).exitCode).toBe(130);
    expect(outcome(all)).toEqual({
      kind: 'verdict-failed',
      exitCode: 3,
      reasons: [
        'the verdict is invalid: too late',
        'threshold failed: p99(response)<1s',
        'no request of the measured phases was ok',
        'threshold without data: p99(response)<1s (no ok request has a response time)',
      ],
    });
    expect(outcome({ ...all, verdict: valid }).kind).toBe('threshold-failed');
  });
});
