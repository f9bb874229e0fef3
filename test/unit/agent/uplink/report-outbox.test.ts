import { describe, expect, it } from 'vitest';
import { ReportOutbox, type UnnumberedReport } from '../../../../agent/uplink/report-outbox.ts';
import { REPORTS_UNACKNOWLEDGED_MAX } from '../../../../shared/rpc/protocol.ts';

const source = { runId: 'run-1', trial: 0, agentId: 'a', incarnation: 'i' };

function reportOf(window: number): UnnumberedReport {
  return {
    firstWindow: window,
    lastWindow: window,
    counters: [],
    series: [],
    workers: [],
    failures: [],
    telemetry: [],
    fidelity: [],
    requests: [],
    warnings: [],
    final: null,
  };
}

describe('the outbox', () => {
  it('numbers from 1 and keeps the very same bytes until they are answered', () => {
    const outbox = new ReportOutbox(source);
    outbox.number(reportOf(0));
    outbox.number(reportOf(1));
    const first = outbox.waitingAfter(0);
    expect(first.map(({ key }) => key.seq)).toEqual([1, 2]);
    outbox.number(reportOf(2));
    const again = outbox.waitingAfter(0);
    expect(again[0]?.payload).toBe(first[0]?.payload);
    expect(again[1]?.payload).toBe(first[1]?.payload);
    expect(outbox.waitingAfter(2).map(({ key }) => key.seq)).toEqual([3]);
  });

  it('holds at most 8; an answer makes room', () => {
    const outbox = new ReportOutbox(source);
    for (let i = 0; i < REPORTS_UNACKNOWLEDGED_MAX; i += 1) {
      expect(outbox.hasRoom).toBe(true);
      outbox.number(reportOf(i));
    }
    expect(outbox.hasRoom).toBe(false);
    expect(outbox.answered({ ...source, seq: 3 })).toBe(true);
    expect(outbox.hasRoom).toBe(true);
    expect(outbox.waitingAfter(0).map(({ key }) => key.seq)).toEqual([1, 2, 4, 5, 6, 7, 8]);
  });

  it('a repeated answer, and one that is not ours, change nothing', () => {
    const outbox = new ReportOutbox(source);
    outbox.number(reportOf(0));
    for (const stranger of [{ runId: 'run-2' }, { trial: 1 }, { agentId: 'b' }, { incarnation: 'j' }]) {
      expect(outbox.answered({ ...source, ...stranger, seq: 1 })).toBe(false);
    }
    expect(outbox.isEmpty).toBe(false);
    expect(outbox.answered({ ...source, seq: 1 })).toBe(true);
    expect(outbox.answered({ ...source, seq: 1 })).toBe(false);
    expect(outbox.isEmpty).toBe(true);
  });

  it('numbers go on after answers: no number is ever given twice', () => {
    const outbox = new ReportOutbox(source);
    outbox.number(reportOf(0));
    outbox.answered({ ...source, seq: 1 });
    outbox.number(reportOf(1));
    expect(outbox.waitingAfter(0)[0]?.key.seq).toBe(2);
  });
});
