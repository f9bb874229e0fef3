import { describe, expect, it } from 'vitest';
import type { Gate } from '../../../../coordinator/verdict/verdict.ts';
import { createPlan } from '../../../support/plan-fixture.ts';
import { resultOf } from '../../../support/result-of.ts';
import { type Fate, syntheticRun } from '../../../support/synthetic-run.ts';

const plan = createPlan({ ratePerSecond: 200, durationNs: 5e9 });
const MS = 1e6;

function lagShare(fate: (index: number) => Fate): Gate | undefined {
  let index = 0;
  const { value } = resultOf(syntheticRun({ plan, fate: () => fate(index++) }));
  return value.verdict.gates.find(({ name }) => name === 'lag-share');
}

describe('the share of our own lag in the response time', () => {
  it('is that of ok requests: lag of requests that never ended is not set against times of others', () => {
    const gate = lagShare((index) =>
      index % 2 === 0
        ? { kind: 'ok', wakeLagNs: 10_000, waitNs: 1000, serviceNs: 20 * MS }
        : { kind: 'unfinished', wakeLagNs: MS },
    );
    // 10 us of 20 ms, and now and then an arrival behind a late one.
    expect(gate?.measured).toBeLessThan(0.01);
  });

  it('is not hidden by timeouts', () => {
    const gate = lagShare((index) =>
      index % 10 > 0
        ? { kind: 'ok', wakeLagNs: MS, waitNs: 1000, serviceNs: 19 * MS }
        : { kind: 'failed', class: 'timeout', detail: 'no answer', wakeLagNs: MS, serviceNs: 30_000 * MS },
    );
    expect(gate?.measured).toBeGreaterThan(0.04);
    expect(gate?.kind).toBe('warn');
  });

  it('is of all others when none was ok, with the age of what was open at the end', () => {
    const gate = lagShare((index) =>
      index % 2 === 0
        ? { kind: 'failed', class: 'timeout', detail: 'no answer', wakeLagNs: MS, serviceNs: 10 * MS }
        : { kind: 'unfinished', wakeLagNs: 500 * MS },
    );
    expect(gate?.measured).toBeGreaterThan(0);
    expect(gate?.measured).toBeLessThan(1);
  });
});

describe('sends behind the end of their phase', () => {
  const sentShare = (waitNs: number): Gate | undefined => {
    const fate = (): Fate => ({ kind: 'ok', wakeLagNs: 10_000, waitNs, serviceNs: 20 * MS });
    const { value } = resultOf(syntheticRun({ plan, fate }));
    return value.verdict.gates.find(({ name }) => name === 'sent-share');
  };

  it('R005 are told, and degrade: the books alone say that all was sent', () => {
    // Each waits for 3 s: those of the last two of five seconds leave when the phase and a second of grace are over.
    const gate = sentShare(3000 * MS);
    expect(gate?.kind).toBe('warn');
    expect(gate?.reason).toMatch(/^sent (\d+) of \1 that fell due.*but \d+ of them only when their phase was over/);
  });

  it('are none within the grace', () => {
    expect(sentShare(900 * MS)?.kind).toBe('pass');
  });
});
