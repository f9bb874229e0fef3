/**
 * Reads CSV by RFC 4180: a byte-order mark is dropped, quotes may hold commas, quotes and line breaks, blank lines are
 * skipped, and a ragged row is an error with its line (R091). The only file that sees the CSV library. Rows are visited one
 * by one and not kept.
 */

import { type CsvError, parse } from 'csv-parse/sync';
import { FleetError } from '../fleet-error.ts';

/** What a reader does with a file. */
export interface CsvVisitor {
  /** Called once, with the names in the first row. */
  header(names: readonly string[]): void;
  /** Called for each further row; `line()` is the line it starts on, for messages (1-based, costs a scan). */
  row(cells: readonly string[], line: () => number): void;
}

/**
 * Visits the rows of `text`; `source` names the file in messages. What the visitor throws passes through.
 * @throws FleetError 'plan' for text that is no CSV, a ragged row, or a file without a header.
 */
export function visitCsv(text: string, source: string, visitor: CsvVisitor, delimiter = ','): void {
  let headerLength = 0;
  // Bytes read when the row before was complete: the present row starts there.
  let startByte = 0;
  const line = (): number => lineAt(text, startByte);
  try {
    parse(text, {
      bom: true,
      delimiter,
      // All of them: the library would take the first row's for the whole file, and read others as part of a value.
      record_delimiter: ['\r\n', '\n', '\r'],
      skip_empty_lines: true,
      on_record: (cells: string[], info) => {
        if (headerLength === 0) {
          headerLength = cells.length;
          visitor.header(cells);
        } else {
          visitor.row(cells, line);
        }
        startByte = info.bytes;
        return null;
      },
    });
  } catch (error) {
    if (!isCsvError(error)) throw error;
    throw new FleetError('plan', `${source}: line ${line()}: ${reasonOf(error, headerLength)}`, { cause: error });
  }
  if (headerLength === 0) throw new FleetError('plan', `${source}: is empty, expected a header row`);
}

function isCsvError(error: unknown): error is CsvError {
  return error instanceof Error && 'code' in error && 'bytes_records' in error;
}

function reasonOf(error: CsvError, headerLength: number): string {
  if (error.code === 'CSV_QUOTE_NOT_CLOSED') return 'a quoted value is not closed';
  if (error.code !== 'CSV_RECORD_INCONSISTENT_FIELDS_LENGTH') return `not CSV: ${error.message}`;
  const found = Array.isArray(error['record']) ? error['record'].length : 'another number of';
  return `${found} columns where the header has ${headerLength}`;
}

/** The line on which the first row at or after this byte of the UTF-8 text starts. */
function lineAt(text: string, startByte: number): number {
  const bytes = new TextEncoder().encode(text);
  const lineFeed = 10;
  const carriageReturn = 13;
  let line = 1;
  for (let i = 0; i < bytes.length; i++) {
    const isBreak = bytes[i] === lineFeed || bytes[i] === carriageReturn;
    if (i >= startByte && !isBreak) break;
    if (bytes[i] === lineFeed || (isBreak && bytes[i + 1] !== lineFeed)) line++;
  }
  return line;
}
