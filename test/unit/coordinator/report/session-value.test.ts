/** What the report says of sessions of several turns. */
import { describe, expect, it } from 'vitest';
import { emptyAccounting } from '../../../../coordinator/merge/accounting.ts';
import { ScopeData } from '../../../../coordinator/report/scope-data.ts';
import { sessionLines, sessionValue } from '../../../../coordinator/report/session-value.ts';
import { ScopeTotals } from '../../../../coordinator/merge/scope-totals.ts';
import { COUNTER, type CounterName, createCounterCell } from '../../../../shared/metrics/counters.ts';
import { planOfText } from '../../../support/plan-of-text.ts';

const { plan } = planOfText(
  `seed: 1
target: { url: "http://127.0.0.1:9" }
workload: [{ llm: { api: chat, model: m } }]
data: { dataset: { aiperf: { file: s.jsonl } } }
load: [{ rate: 1, duration: 3s }]
`,
  { files: { 's.jsonl': '{"session_id":"a","turns":[{"text":"a0"},{"text":"a1"}]}' } },
);

function dataOf(counts: Partial<Record<CounterName, number>>): ScopeData {
  const cell = createCounterCell();
  for (const [name, count] of Object.entries(counts)) cell[COUNTER[name as CounterName]] = count;
  const totals = new ScopeTotals(65_536);
  totals.addCell(cell);
  return new ScopeData(emptyAccounting(), totals, 0);
}

describe('sessions of several turns in the report', () => {
  it('say which later turns were never issued, and why', () => {
    const value = sessionValue(
      plan,
      dataOf({
        'sessions-begun': 10,
        'sessions-completed': 5,
        'sessions-failed': 3,
        'sessions-cut': 1,
        'follow-ups-planned': 40,
        'follow-ups': 25,
        'follow-ups-behind-failed': 9,
        'follow-ups-behind-cut': 4,
      }),
    );
    expect(value).toEqual({
      begun: 10,
      completed: 5,
      failed: 3,
      cut: 1,
      openAtEnd: 1,
      followUpsPlanned: 40,
      followUps: 25,
      followUpsNotIssued: { failed: 9, cut: 4, openAtEnd: 2 },
    });
    expect(sessionLines(value).at(-1)?.trim()).toBe(
      '15 of 40 later turns were never issued: 9 behind a turn that failed, 4 of sessions not continued, 2 still to come at the end',
    );
  });

  it('say nothing of turns that are missing where none is', () => {
    const value = sessionValue(
      plan,
      dataOf({ 'sessions-begun': 2, 'sessions-completed': 2, 'follow-ups-planned': 3, 'follow-ups': 3 }),
    );
    expect(value?.followUpsNotIssued).toEqual({ failed: 0, cut: 0, openAtEnd: 0 });
    expect(sessionLines(value).join('\n')).not.toMatch(/never issued/);
  });
});
