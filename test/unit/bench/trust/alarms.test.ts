import { describe, expect, it } from 'vitest';
import { alarmLines, countOf, runLines, secondsForAlarms } from '../../../../bench/trust/alarms.ts';
import type { BenchRun } from '../../../../bench/trust/one-run.ts';
import type { ResultValue } from '../../../../coordinator/report/result-value.ts';
import type { Gate, VerdictStatus } from '../../../../coordinator/verdict/verdict.ts';

type Run = Pick<BenchRun, 'result' | 'dirty' | 'witness'>;

const WITNESS = { stealShare: 0.001, stealWorstShare: 0.05, waitShare: null, looks: 60 };

function runOf(status: VerdictStatus | null, gates: readonly string[], dirty = false): Run {
  const all = gates.map(
    (name): Gate => ({ kind: 'warn', name, measured: 2, limit: 1, unit: 'count', reason: `because of ${name}` }),
  );
  const passed: Gate = { kind: 'pass', name: 'overflow', measured: 0, limit: 0, unit: 'count', reason: '' };
  // The parts of a result that are read here.
  const result = status === null ? null : ({ verdict: { status, reasons: [], gates: [...all, passed] } } as unknown);
  return { result: result as ResultValue | null, dirty, witness: WITNESS };
}

describe('counting alarms', () => {
  it('counts a clean run that is not valid as false only where the host was quiet', () => {
    const runs = [runOf('valid', []), runOf('degraded', ['gc-pause']), runOf('invalid', ['wake-lag'], true)];
    expect(countOf('none', runs, null)).toMatchObject({
      runs: 3,
      dirty: 1,
      valid: 1,
      degraded: 1,
      invalid: 1,
      falseAlarms: 1,
      misses: 0,
    });
  });

  it('counts a sabotaged run that is valid as a miss, and one without a result as no miss', () => {
    const runs = [runOf('valid', []), runOf('invalid', ['wake-lag']), runOf(null, [])];
    const counts = countOf('stopped', runs, null);
    expect(counts).toMatchObject({ misses: 1, failed: 1, falseAlarms: 0, gates: ['wake-lag 1'] });
  });

  it('says of a kind that the host does not allow that it was not possible, and shows no count', () => {
    const lines = alarmLines([countOf('quota', [], 'no cgroup can be made')]);
    expect(lines[1]).toBe('quota     not possible here: no cgroup can be made');
  });

  it('says of a clean run which gates alarmed and why', () => {
    const lines = runLines('none', 0, runOf('degraded', ['gc-pause', 'loop-gap']));
    expect(lines).toEqual([
      '  none 1: degraded (host quiet: steal 0.1 %, in its worst 100 ms 5.0 %, waiting not measured)',
      '    warn gc-pause: because of gc-pause',
      '    warn loop-gap: because of loop-gap',
    ]);
    expect(runLines('stopped', 1, runOf(null, [], true))[0]).toContain('stopped 2: no result (host not quiet');
  });

  it('takes longer with more kinds, runs and seconds', () => {
    const one = secondsForAlarms({ kinds: ['none'], runs: 1, seconds: 6 });
    expect(one).toBeGreaterThan(6);
    expect(secondsForAlarms({ kinds: ['none', 'quota'], runs: 20, seconds: 6 })).toBe(40 * one);
  });
});
