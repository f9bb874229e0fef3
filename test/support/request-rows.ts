/** Rows of requests for tests: what every row has, and what a test says. */
import { RECORD, RECORD_WIDTH, type RecordField } from '../../shared/metrics/request-record.ts';

/** Some columns of one row. */
export type RowFields = Partial<Readonly<Record<RecordField, number>>>;

const DEFAULTS: RowFields = {
  phase: 0,
  template: 0,
  lane: 0,
  block: 0,
  rank: 0,
  index: 0,
  intendedNs: 1000,
  releasedNs: 1000,
  waitQueueNs: 0,
  waitConnectNs: 0,
  waitStreamNs: 0,
  endNs: 2000,
  outcome: 0,
  bodyBytes: 0,
};

/** Rows with these columns; those not given are missing. */
export function rowsOf(...fields: readonly RowFields[]): Float64Array<ArrayBuffer> {
  const rows = new Float64Array(fields.length * RECORD_WIDTH).fill(Number.NaN);
  for (const [row, given] of fields.entries()) {
    for (const [field, value] of Object.entries({ ...DEFAULTS, ...given })) {
      rows[row * RECORD_WIDTH + RECORD[field as RecordField]] = value;
    }
  }
  return rows;
}
