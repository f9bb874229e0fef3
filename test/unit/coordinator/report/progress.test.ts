import { describe, expect, it } from 'vitest';
import type { LatestWindow } from '../../../../coordinator/merge/latest-window.ts';
import { createProgressPrinter, progressLine, type ProgressState } from '../../../../coordinator/report/progress.ts';

const latest: LatestWindow = {
  startNs: 11e9,
  lengthNs: 1e9,
  scheduled: 2010,
  sent: 2009,
  ok: 1990,
  failed: 19,
  dropped: 1,
  wakeLagP99Ns: 84_000,
  responseP50Ns: 1_420_000,
  responseP99Ns: 12_800_000,
  inFlight: 7,
  failedSoFar: 240,
  droppedSoFar: 3,
};

const nothingYet: LatestWindow = {
  ...latest,
  startNs: null,
  scheduled: 0,
  sent: 0,
  ok: 0,
  wakeLagP99Ns: null,
  responseP50Ns: null,
  responseP99Ns: null,
  inFlight: 0,
  failedSoFar: 0,
  droppedSoFar: 0,
};

function stateAt(seconds: number, changes: Partial<ProgressState> = {}): ProgressState {
  return {
    elapsedNs: seconds * 1e9,
    plannedNs: 90e9,
    state: 'running',
    phase: 'load',
    agentsAlive: 2,
    agentsTotal: 2,
    latest,
    ...changes,
  };
}

describe('progressLine', () => {
  it('shows rates of the newest window and counts so far', () => {
    expect(progressLine(stateAt(12))).toBe(
      'running load 12.0 s of 01m 30s | intended 2,010/s sent 2,009/s ok 1,990/s | ' +
        'failed 240 dropped 3 in flight 7 | response p50 1.42 ms p99 12.8 ms | wakeLag p99 84.0 us',
    );
  });

  it('shows "-" for what is not known yet, and members that are missing', () => {
    const line = progressLine(stateAt(-0.5, { state: 'arming', phase: null, agentsAlive: 1, latest: nothingYet }));
    expect(line).toBe(
      'arming starts in 0.5 s | intended - sent - ok - | failed 0 dropped 0 in flight 0 | response p50 - p99 - | wakeLag p99 - | agents 1 of 2',
    );
  });

  it('gives rates per second for rows of several windows', () => {
    expect(progressLine(stateAt(12, { latest: { ...latest, lengthNs: 2e9 } }))).toContain('intended 1,005/s');
  });

  it('R107 holds no control character, whatever the phase is called', () => {
    expect(progressLine(stateAt(1, { phase: 'a\u001b[2J\r\nb' }))).toContain('running a\ufffd[2J\ufffd\ufffdb 1.0 s');
  });
});

describe('createProgressPrinter', () => {
  function printed(isTerminal: boolean, quiet: boolean, states: readonly ProgressState[], columns = 200): string {
    let text = '';
    const printer = createProgressPrinter({ write: (piece) => (text += piece), isTerminal, quiet, columns });
    for (const state of states) printer.update(state);
    printer.end();
    return text;
  }

  it('rewrites one line on a terminal and blanks what a longer one left', () => {
    const text = printed(true, false, [stateAt(59), stateAt(60, { phase: null })]);
    const [, first = '', second = ''] = text.split('\r');
    expect(second.trimEnd()).toBe(progressLine(stateAt(60, { phase: null })));
    expect(second.length).toBeGreaterThanOrEqual(first.length);
    expect(text.endsWith('\n')).toBe(true);
  });

  it('never writes a line as wide as the terminal, which would wrap', () => {
    const [, line = ''] = printed(true, false, [stateAt(5)], 40)
      .trimEnd()
      .split('\r');
    expect(line).toHaveLength(39);
    expect(line.endsWith('…')).toBe(true);
  });

  it.each([0, Number.NaN])('takes a terminal that says its width is %d for one of 80 columns', (columns) => {
    const [, line = ''] = printed(true, false, [stateAt(5)], columns)
      .trimEnd()
      .split('\r');
    expect(line).toHaveLength(79);
  });

  it('does not flood the log of a long run', () => {
    const states = Array.from({ length: 86_400 }, (_, second) => stateAt(second, { plannedNs: 86_400e9 }));
    const lines = printed(false, false, states).trimEnd().split('\n');
    expect(lines.length).toBeLessThan(500);
    expect(lines[59]).toContain('running load 04m 55s');
    expect(lines[60]).toContain('running load 05m 00s');
    expect(lines[61]).toContain('running load 05m 30s');
    expect(lines.at(-1)).toContain('running load 23h 55m 00s');
  });

  it('prints a plain line every 5 s elsewhere, and at once when the state changes', () => {
    const states = [0, 1, 2, 3, 4, 5, 6, 7].map((second) => stateAt(second));
    const lines = printed(false, false, [...states, stateAt(8, { state: 'draining' })])
      .trimEnd()
      .split('\n');
    expect(lines.map((line) => line.split(' | ')[0])).toEqual([
      'running load 0.0 s of 01m 30s',
      'running load 5.0 s of 01m 30s',
      'draining load 8.0 s of 01m 30s',
    ]);
  });

  it('is silent when quiet', () => {
    expect(printed(true, true, [stateAt(1)])).toBe('');
    expect(printed(false, true, [stateAt(1)])).toBe('');
  });
});
