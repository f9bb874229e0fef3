/** Holds the rows of requests of a report against the plan, before anything of the report is applied. */
import { FleetError } from '../../shared/fleet-error.ts';
import { decodeRecords } from '../../shared/metrics/record-codec.ts';
import {
  RECORD,
  RECORD_OUTCOMES,
  RECORD_TOKEN_SOURCES,
  RECORD_WIDTH,
  type RecordField,
  type SlotRecords,
} from '../../shared/metrics/request-record.ts';

/** What rows must fit. */
export interface RecordFrame {
  readonly phaseCount: number;
  readonly templateCount: number;
  readonly ownSlots: ReadonlySet<number>;
}

/** The rows of each batch. @throws FleetError 'protocol' that names the field, its value and the limit. */
export function checkRecords(batches: readonly SlotRecords[], frame: RecordFrame): readonly Float64Array[] {
  const below: readonly (readonly [field: RecordField, limit: number])[] = [
    ['phase', frame.phaseCount],
    ['template', frame.templateCount],
    ['outcome', RECORD_OUTCOMES],
    ['tokenSource', RECORD_TOKEN_SOURCES.length],
  ];
  return batches.map(({ slot, count, bytes }) => {
    if (!frame.ownSlots.has(slot)) {
      throw new FleetError('protocol', `request records of worker slot ${slot}, which it was not given`);
    }
    const rows = decodeRecords(bytes, count);
    for (let at = 0; at < rows.length; at += RECORD_WIDTH) {
      for (const [field, limit] of below) {
        const value = rows[at + RECORD[field]] as number;
        if (value >= limit) {
          throw new FleetError('protocol', `request records: ${field} is ${value}, must be below ${limit}`);
        }
      }
    }
    return rows;
  });
}
