/** The data file of a plan as columns and rows (design §5). Read where the plan is made and again by every worker. */

import { FleetError } from '../fleet-error.ts';
import { visitCsv } from './csv.ts';
import { quoted } from './problem-list.ts';
import { ROW_COUNT_MAX } from './row-order.ts';

/** Columns in file order; one text per column in each row. */
export interface DataTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Most bytes of a file that is read as one text: longer ones may not fit into a string. */
const TEXT_BYTES_MAX = 2 ** 29 - 24;

/** UTF-8 text of a data file. @throws FleetError 'plan' for other bytes, and for too many; `source` names the file. */
export function decodeDataText(bytes: Uint8Array, source: string): string {
  if (bytes.length > TEXT_BYTES_MAX) {
    throw new FleetError('plan', `${source}: has ${bytes.length} bytes, the limit for rows is ${TEXT_BYTES_MAX}`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new FleetError('plan', `${source}: is not UTF-8 text`, { cause: error });
  }
}

/**
 * Reads a data file whole.
 * @throws FleetError 'plan', with the line, for a file that is no CSV, has a ragged row, an unnamed or repeated column, or no row.
 */
export function readDataTable(bytes: Uint8Array, source: string): DataTable {
  const rows: (readonly string[])[] = [];
  let columns: readonly string[] = [];
  visitCsv(decodeDataText(bytes, source), source, {
    header: (names) => {
      columns = names;
      checkColumns(names, source);
    },
    row: (cells) => rows.push(cells),
  });
  if (rows.length === 0) throw new FleetError('plan', `${source}: has a header but no row`);
  if (rows.length > ROW_COUNT_MAX)
    throw new FleetError('plan', `${source}: has ${rows.length} rows, the limit is ${ROW_COUNT_MAX}`);
  return { columns, rows };
}

function checkColumns(names: readonly string[], source: string): void {
  for (const [index, name] of names.entries()) {
    if (name.trim() === '') throw new FleetError('plan', `${source}: column ${index + 1} has no name`);
    if (name !== name.trim()) {
      throw new FleetError('plan', `${source}: column ${quoted(name)} has spaces around its name`);
    }
    if (names.indexOf(name) !== index) throw new FleetError('plan', `${source}: has two columns ${quoted(name)}`);
  }
}
