import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeRecords, encodeRecords } from '../../../../shared/metrics/record-codec.ts';
import {
  RECORD_ALWAYS,
  RECORD_FIELDS,
  RECORD_INSTANTS,
  RECORD_WIDTH,
} from '../../../../shared/metrics/request-record.ts';
import { type RowFields, rowsOf } from '../../../support/request-rows.ts';

const DAY_NS = 86_400e9;

/** Any row that a worker can write. */
const anyRow: fc.Arbitrary<RowFields> = fc
  .record({
    intendedNs: fc.nat({ max: 100 * DAY_NS }),
    values: fc.array(fc.oneof(fc.nat({ max: 2 ** 31 - 1 }), fc.constant(Number.NaN)), {
      minLength: RECORD_WIDTH,
      maxLength: RECORD_WIDTH,
    }),
  })
  .map(({ intendedNs, values }) =>
    Object.fromEntries(
      RECORD_FIELDS.map((field, column) => {
        if (field === 'intendedNs') return [field, intendedNs];
        const drawn = values[column] as number;
        const value = Number.isNaN(drawn) && RECORD_ALWAYS.has(field) ? 0 : drawn;
        return [field, RECORD_INSTANTS.has(field) ? intendedNs + value : value];
      }),
    ),
  );

describe('rows of requests on the wire', () => {
  it('come back as they were, missing values too', () => {
    fc.assert(
      fc.property(fc.array(anyRow, { maxLength: 20 }), (fields) => {
        const rows = rowsOf(...fields);
        expect(decodeRecords(encodeRecords(rows, fields.length), fields.length)).toEqual(rows);
      }),
      { numRuns: 200 },
    );
  });

  it('writes the first rows of a block only', () => {
    const rows = rowsOf({ endNs: 3000 }, { endNs: 4000 });
    expect(decodeRecords(encodeRecords(rows, 1), 1)).toEqual(rows.subarray(0, RECORD_WIDTH));
  });

  it('takes less than 80 bytes for a usual request', () => {
    const usual = { intendedNs: 60e9, releasedNs: 60.0001e9, sendNs: 60.0002e9, firstByteNs: 60.05e9, endNs: 60.2e9 };
    const many = Array.from({ length: 100 }, (_, row) => ({ ...usual, index: row, status: 200, bodyBytes: 5000 }));
    expect(encodeRecords(rowsOf(...many), 100).length).toBeLessThan(8000);
  });

  const good = encodeRecords(rowsOf({}, {}), 2);
  const withoutEnd = rowsOf({ endNs: Number.NaN });
  it.each([
    ['are cut', good.subarray(0, good.length - 1), 2, /truncated/],
    ['have too many', Uint8Array.from([...good, 0]), 2, /1 bytes behind 2 rows/],
    ['cannot be as many', good, 1_000_000, /cannot hold 1000000 rows/],
    ['have no end', encodeRecords(withoutEnd, 1), 1, /a row without endNs/],
  ])('are refused when they %s', (_why, bytes, count, reason) => {
    expect(() => decodeRecords(bytes, count)).toThrow(reason);
  });
});
