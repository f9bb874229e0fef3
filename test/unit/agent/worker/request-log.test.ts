import { describe, expect, it } from 'vitest';
import { BLOCK_ROWS } from '../../../../agent/worker/request-log.ts';
import { outcomeOfCode, RECORD, RECORD_WIDTH, type RecordField } from '../../../../shared/metrics/request-record.ts';
import { createPlan, DEFAULT_LIMITS } from '../../../support/plan-fixture.ts';
import { TrialSimulation } from '../../../support/trial-simulation.ts';

const MS = 1e6;

type Row = Readonly<Record<RecordField, number>>;

/** All rows that a run handed over. */
function rowsOf(run: TrialSimulation): Row[] {
  return run.handovers
    .flatMap(({ requests }) => requests.blocks)
    .flatMap(({ rows, count }) =>
      Array.from({ length: count }, (_, row) => {
        const entries = Object.entries(RECORD).map(([field, column]) => [field, rows[row * RECORD_WIDTH + column]]);
        return Object.fromEntries(entries) as Row;
      }),
    );
}

function leftOut(run: TrialSimulation): number {
  return run.handovers.reduce((sum, { requests }) => sum + requests.leftOut, 0);
}

const plan = createPlan({
  ratePerSecond: 400,
  durationNs: 3e9,
  overrides: { limits: { ...DEFAULT_LIMITS, drainNs: 1e9 } },
});

/** Two thirds end well, others are refused at once or never answered. */
function mixed(recordLimit: number): TrialSimulation {
  return new TrialSimulation({
    plan,
    recordLimit,
    answer: (index) => {
      if (index % 6 === 0) return {};
      if (index % 6 === 3) {
        return { outcome: { kind: 'failed', class: 'connect-refused', status: null, detail: 'refused' } };
      }
      return { wait: { kind: 'connect', ns: MS }, serviceNs: 2 * MS, bodyNs: MS, body: 'hello' };
    },
  }).run();
}

describe('rows of requests', () => {
  const run = mixed(1e6);
  const rows = rowsOf(run);

  it('are as many as the books say, by outcome', () => {
    const by = (name: string): number => rows.filter(({ outcome }) => outcomeOfCode(outcome) === name).length;
    expect(rows.length).toBeGreaterThan(BLOCK_ROWS);
    expect(rows.length).toBe(run.book('attempted'));
    expect(by('ok')).toBe(run.book('ok'));
    expect(by('connect-refused')).toBe(run.book('failed:connect-refused'));
    expect(by('unfinished')).toBe(run.book('unfinished'));
    expect(Math.min(by('ok'), by('connect-refused'), by('unfinished'))).toBeGreaterThan(0);
    expect(leftOut(run)).toBe(0);
  });

  it('have the stamps that the histograms have', () => {
    const ok = rows.filter(({ outcome }) => outcome === 0);
    const response = run.histogram('response');
    expect(ok.reduce((sum, row) => sum + row.endNs - row.intendedNs, 0)).toBe(Number(response.sum));
    expect(ok.reduce((sum, row) => sum + row.releasedNs - row.intendedNs, 0)).toBe(
      Number(run.histogram('wakeLag').sum),
    );
    for (const row of ok) {
      expect([row.waitConnectNs, row.firstByteNs - row.sendNs, row.endNs - row.firstByteNs]).toEqual([MS, 2 * MS, MS]);
      expect([row.status, row.bodyBytes]).toEqual([200, 5]);
    }
  });

  it('know nothing of what never happened', () => {
    const refused = rows.filter(({ outcome }) => outcomeOfCode(outcome) === 'connect-refused');
    for (const row of refused) expect([row.sendNs, row.firstByteNs, row.status]).toEqual([NaN, NaN, NaN]);
    const unfinished = rows.filter(({ outcome }) => outcomeOfCode(outcome) === 'unfinished');
    for (const row of unfinished) expect([row.sendNs >= row.intendedNs, row.firstByteNs]).toEqual([true, NaN]);
  });

  it('keep the status of an answer that had begun: a time-out stays one, what is still open too', () => {
    const limits = { ...DEFAULT_LIMITS, timeoutNs: 2000 * MS, drainNs: 100 * MS };
    const slow = new TrialSimulation({
      recordLimit: 1000,
      plan: createPlan({ ratePerSecond: 20, durationNs: 4e9, overrides: { limits } }),
      answer: (index) => (index % 2 === 0 ? {} : { serviceNs: MS, bodyNs: 60e9 }),
    });
    const ended = rowsOf(slow.run());
    const statusesOf = (name: string, begun: boolean): number[] =>
      ended
        .filter(({ outcome, firstByteNs }) => outcomeOfCode(outcome) === name && firstByteNs > 0 === begun)
        .map(({ status }) => status);
    for (const name of ['timeout', 'unfinished']) {
      expect(new Set(statusesOf(name, true))).toEqual(new Set([200]));
      expect(new Set(statusesOf(name, false))).toEqual(new Set([NaN]));
    }
    expect(slow.book('ok')).toBe(0);
    expect(slow.book('failed:timeout')).toBe(
      ended.filter(({ outcome }) => outcomeOfCode(outcome) === 'timeout').length,
    );
  });

  it('have identities of their own', () => {
    const identities = new Set(rows.map(({ lane, block, rank }) => `${lane}.${block}.${rank}`));
    expect(identities.size).toBe(rows.length);
  });

  it('end at the limit; the rest is counted', () => {
    const limited = mixed(100);
    expect(rowsOf(limited)).toHaveLength(100);
    expect(leftOut(limited)).toBe(limited.book('attempted') - 100);
  });

  it('are handed over with the window in which their requests ended', () => {
    const early = run.handovers[0];
    const ends = (early?.requests.blocks ?? []).flatMap(({ rows: block, count }) =>
      Array.from({ length: count }, (_, row) => block[row * RECORD_WIDTH + RECORD.endNs] as number),
    );
    expect(ends.length).toBeGreaterThan(100);
    expect(Math.max(...ends)).toBeLessThan(1.5e9);
  });
});
