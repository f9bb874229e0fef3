import { describe, expect, it } from 'vitest';
import {
  addCounterCell,
  COUNTER,
  COUNTER_LENGTH,
  COUNTERS,
  createCounterCell,
} from '../../../../shared/metrics/counters.ts';
import { DROP_REASONS, FAILURE_CLASSES } from '../../../../shared/metrics/outcome.ts';

describe('counters', () => {
  it('have distinct names, each with its place in the flat array', () => {
    expect(new Set(COUNTERS).size).toBe(COUNTER_LENGTH);
    for (const [place, name] of COUNTERS.entries()) expect(COUNTER[name]).toBe(place);
  });

  it('cover every drop reason and every failure class, so that none goes uncounted', () => {
    for (const reason of DROP_REASONS) expect(COUNTERS).toContain(`dropped:${reason}`);
    for (const failure of FAILURE_CLASSES) expect(COUNTERS).toContain(`failed:${failure}`);
  });

  it('keep their places: the place is the number on the wire', () => {
    expect(COUNTERS.slice(0, 10)).toEqual([
      'decided',
      'attempted',
      'sent',
      'cancelled',
      'ok',
      'unfinished',
      'dropped:max-in-flight',
      'dropped:queue-full',
      'dropped:late',
      'dropped:phase-end',
    ]);
  });
});

describe('addCounterCell', () => {
  it('adds counter by counter, into the first cell only, exactly above 2^32', () => {
    const into = createCounterCell();
    const from = createCounterCell().map((_, index) => index + 2 ** 40);
    addCounterCell(into, from);
    addCounterCell(into, from);
    expect([...into]).toEqual(COUNTERS.map((_, index) => 2 * (index + 2 ** 40)));
    expect([...from]).toEqual(COUNTERS.map((_, index) => index + 2 ** 40));
  });
});
