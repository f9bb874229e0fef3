/**
 * Rows of `request-record.ts` as bytes for the wire: a varint a column, 0 = missing and value + 1 otherwise; instants as time from the
 * intended one, which is told as it is. Some 60 bytes a request. Pure.
 */

import { FleetError } from '../fleet-error.ts';
import { readVarint, VARINT_BYTES_MAX, type VarintCursor, writeVarint } from '../histogram/varint.ts';
import { RECORD, RECORD_ALWAYS, RECORD_FIELDS, RECORD_INSTANTS, RECORD_WIDTH } from './request-record.ts';

const IS_INSTANT = RECORD_FIELDS.map((field) => RECORD_INSTANTS.has(field));
const IS_ALWAYS = RECORD_FIELDS.map((field) => RECORD_ALWAYS.has(field));

/** The first `count` rows of `rows` as bytes. Every value is a whole number >= 0 or NaN; no instant is before its intended one. */
export function encodeRecords(rows: Float64Array, count: number): Uint8Array {
  const bytes = new Uint8Array(count * RECORD_WIDTH * VARINT_BYTES_MAX);
  let end = 0;
  for (let at = 0; at < count * RECORD_WIDTH; at += RECORD_WIDTH) {
    const intendedNs = rows[at + RECORD.intendedNs] as number;
    for (let column = 0; column < RECORD_WIDTH; column += 1) {
      const value = rows[at + column] as number;
      if (Number.isNaN(value)) end = writeVarint(bytes, end, 0);
      else end = writeVarint(bytes, end, 1 + (IS_INSTANT[column] === true ? value - intendedNs : value));
    }
  }
  return bytes.slice(0, end);
}

/** The `count` rows in `bytes`. @throws FleetError 'protocol' for bytes that hold anything else, or a row without what every row has. */
export function decodeRecords(bytes: Uint8Array, count: number): Float64Array {
  // A column takes a byte at least, so the rows that are made room for are there.
  if (count * RECORD_WIDTH > bytes.length) {
    throw new FleetError('protocol', `request records: ${bytes.length} bytes cannot hold ${count} rows`);
  }
  const rows = new Float64Array(count * RECORD_WIDTH);
  const cursor: VarintCursor = { offset: 0 };
  for (let at = 0; at < rows.length; at += RECORD_WIDTH) {
    for (let column = 0; column < RECORD_WIDTH; column += 1) {
      const told = readVarint(bytes, cursor, 'request records');
      if (told === 0 && IS_ALWAYS[column] === true) {
        throw new FleetError('protocol', `request records: a row without ${RECORD_FIELDS[column] ?? ''}`);
      }
      const isInstant = IS_INSTANT[column] === true;
      rows[at + column] =
        told === 0 ? Number.NaN : told - 1 + (isInstant ? (rows[at + RECORD.intendedNs] as number) : 0);
    }
  }
  if (cursor.offset !== bytes.length) {
    throw new FleetError('protocol', `request records: ${bytes.length - cursor.offset} bytes behind ${count} rows`);
  }
  return rows;
}
