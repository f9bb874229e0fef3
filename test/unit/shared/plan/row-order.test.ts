import { describe, expect, it } from 'vitest';
import { RowOrder } from '../../../../shared/plan/row-order.ts';

const seed = { lo: 42, hi: 0 };
const passOf = (order: RowOrder, rowCount: number, pass: number): number[] =>
  Array.from({ length: rowCount }, (_, index) => order.rowAt(pass * rowCount + index));

describe('R092 the order of rows', () => {
  it.each([1, 2, 3, 4, 5, 16, 17, 100, 255, 256, 257, 1000, 4097])(
    'R092 %i rows come once each in every pass',
    (rowCount) => {
      const order = new RowOrder(seed, rowCount);
      for (const pass of [0, 1, 7, 5_000_000_000]) {
        expect(new Set(passOf(order, rowCount, pass))).toEqual(
          new Set(Array.from({ length: rowCount }, (_, row) => row)),
        );
      }
    },
  );

  it('differs between passes and seeds, and is the same for everybody', () => {
    const [a, b] = [new RowOrder(seed, 1000), new RowOrder({ lo: 43, hi: 0 }, 1000)];
    expect(passOf(a, 1000, 0)).not.toEqual(passOf(a, 1000, 1));
    expect(passOf(a, 1000, 0)).not.toEqual(passOf(b, 1000, 0));
    expect(passOf(a, 1000, 0)).toEqual(passOf(new RowOrder(seed, 1000), 1000, 0));
  });

  it('does not depend on the order in which it is asked', () => {
    const [forward, backward] = [new RowOrder(seed, 50), new RowOrder(seed, 50)];
    const asked = Array.from({ length: 200 }, (_, ordinal) => ordinal);
    const first = asked.map((ordinal) => forward.rowAt(ordinal));
    const second = asked
      .toReversed()
      .map((ordinal) => backward.rowAt(ordinal))
      .toReversed();
    expect(first).toEqual(second);
  });

  it('puts each row about equally often at each place', () => {
    // 10 rows x 10 places over 20,000 passes: 2000 expected in each cell; chi-square with 81 degrees of freedom.
    const counts = new Float64Array(100);
    const order = new RowOrder(seed, 10);
    for (let ordinal = 0; ordinal < 200_000; ordinal += 1) {
      const cell = (ordinal % 10) * 10 + order.rowAt(ordinal);
      counts[cell] = (counts[cell] as number) + 1;
    }
    const chiSquare = counts.reduce((sum, count) => sum + (count - 2000) ** 2 / 2000, 0);
    // The 1e-6 point of chi-square(81) is 151.
    expect(chiSquare).toBeLessThan(151);
  });

  it('follows no simple pattern: neighbours in the order are far apart', () => {
    const pass = passOf(new RowOrder(seed, 10_000), 10_000, 0);
    const steps = pass.slice(1).map((row, index) => Math.abs(row - (pass[index] as number)));
    const mean = steps.reduce((sum, step) => sum + step, 0) / steps.length;
    // Two independent uniform rows are R / 3 apart on average.
    expect(mean).toBeGreaterThan(3200);
    expect(mean).toBeLessThan(3470);
  });

  it.each([0, -1, 1.5, 2 ** 30 + 1])('refuses %d rows', (rowCount) => {
    expect(() => new RowOrder(seed, rowCount)).toThrow(/rows, allowed are/);
  });
});
