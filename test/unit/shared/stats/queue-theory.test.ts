import { describe, expect, it } from 'vitest';
import { InvariantError } from '../../../../shared/fleet-error.ts';
import {
  erlangC,
  md1WaitMean,
  md1WaitQuantile,
  mm1BacklogDeviation,
  mmcResponseMean,
  mmcResponseQuantile,
  mmcResponseTail,
  mmcWaitMean,
  mmcWaitQuantile,
} from '../../../../shared/stats/queue-theory.ts';
import { QUEUE_TABLE, QUEUE_TABLE_PROBABILITIES, type QueueTableRow } from '../../../support/queue-table.ts';

/** The table has 8 significant digits. */
const TABLE_DIGITS = 1e-7;

function quantileOf({ system, servers, utilisation }: QueueTableRow, probability: number): number {
  if (system === 'md1-wait') return md1WaitQuantile(utilisation, probability);
  return system === 'wait'
    ? mmcWaitQuantile(servers, utilisation, probability)
    : mmcResponseQuantile(servers, utilisation, probability);
}

function meanOf({ system, servers, utilisation }: QueueTableRow): number {
  if (system === 'md1-wait') return md1WaitMean(utilisation);
  return system === 'wait' ? mmcWaitMean(servers, utilisation) : mmcResponseMean(servers, utilisation);
}

function expectClose(value: number, expected: number): void {
  expect(Math.abs(value - expected)).toBeLessThanOrEqual(TABLE_DIGITS * Math.max(1, Math.abs(expected)));
}

describe('the exact curves of M§6.3', () => {
  it.each(QUEUE_TABLE)('$system of $servers servers at utilisation $utilisation', (row) => {
    QUEUE_TABLE_PROBABILITIES.forEach((probability, column) => {
      expectClose(quantileOf(row, probability), row.quantiles[column] as number);
    });
    expectClose(meanOf(row), row.mean);
  });

  it.each([
    [2, [0.3333, 0.7111, 0.8526, 0.9256], 4],
    [4, [0.17391304, 0.59643247, 0.78775326, 0.891419], 8],
    [16, [0.00901881, 0.30488391, 0.59134339, 0.78019246], 8],
  ] as const)('the probability of waiting with %d servers', (servers, expected, digits) => {
    [0.5, 0.8, 0.9, 0.95].forEach((utilisation, i) => {
      expect(erlangC(servers, utilisation)).toBeCloseTo(expected[i] as number, digits);
    });
  });

  it('waits at a busy worker, in task times (M§9.2)', () => {
    // utilisation, then mean, p99, p99.9 of M/D/1 as printed there (two digits).
    const printed: [number, number, number, number][] = [
      [0.3, 0.21, 1.9, 3.0],
      [0.5, 0.5, 3.3, 5.2],
      [0.6, 0.75, 4.5, 7.0],
      [0.7, 1.2, 6.5, 9.9],
      [0.8, 2, 10.4, 15.7],
      [0.9, 4.5, 21.9, 33.0],
    ];
    for (const [utilisation, mean, p99, p999] of printed) {
      expect(Math.abs(md1WaitMean(utilisation) - mean)).toBeLessThan(0.05);
      expect(Math.abs(md1WaitQuantile(utilisation, 0.99) - p99)).toBeLessThan(0.051);
      expect(Math.abs(md1WaitQuantile(utilisation, 0.999) - p999)).toBeLessThan(0.051);
    }
    expect(mmcWaitQuantile(1, 0.5, 0.99)).toBeCloseTo(7.8, 1);
    expect(mmcWaitQuantile(1, 0.7, 0.99)).toBeCloseTo(14.2, 1);
    expect(mmcWaitQuantile(1, 0.9, 0.99)).toBeCloseTo(45, 1);
  });

  it('the spread of a stable queue (M§6.2)', () => {
    expect([0.8, 0.9, 0.95].map((r) => Number(mm1BacklogDeviation(r).toPrecision(3)))).toEqual([4.47, 9.49, 19.5]);
  });
});

describe('the response of M/M/c', () => {
  it('is continuous where theta is 1 (2 servers at 0.5)', () => {
    const at = mmcResponseQuantile(2, 0.5, 0.99);
    expect(Math.abs(mmcResponseQuantile(2, 0.5 + 1e-12, 0.99) - at)).toBeLessThan(1e-9);
    expect(Math.abs(mmcResponseQuantile(2, 0.5 - 1e-12, 0.99) - at)).toBeLessThan(1e-9);
  });

  it('is that of M/M/1 for one server, by either formula', () => {
    for (const probability of [0.1, 0.5, 0.999]) {
      const quantile = mmcResponseQuantile(1, 0.7, probability);
      expect(1 - mmcResponseTail(1, 0.7, quantile)).toBeCloseTo(probability, 12);
    }
  });

  it.each([0, 1, -0.1, NaN])('refuses utilisation %d', (utilisation) => {
    expect(() => mmcResponseQuantile(2, utilisation, 0.5)).toThrow(InvariantError);
    expect(() => md1WaitQuantile(utilisation, 0.5)).toThrow(InvariantError);
  });

  it.each([1, -0.1, NaN])('refuses probability %d', (probability) => {
    expect(() => mmcResponseQuantile(2, 0.5, probability)).toThrow(InvariantError);
    expect(() => mmcWaitQuantile(2, 0.5, probability)).toThrow(InvariantError);
  });

  it.each([0, 1.5, NaN])('refuses %d servers', (servers) => {
    expect(() => erlangC(servers, 0.5)).toThrow(InvariantError);
  });
});
