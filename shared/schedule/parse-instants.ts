/**
 * Turns a recorded trace (CSV or JSON lines, one row per arrival) into instants of a phase: integer ns, ascending. Runs once,
 * where the plan is compiled. The unit of the time column is always named by the user: publishers differ, and a guess is
 * wrong by a factor of 1000 in silence.
 */

import { type ExactJson, parseExactJson } from '../exact-json.ts';
import { FleetError } from '../fleet-error.ts';
import { knownNamesHint } from '../nearest-name.ts';
import { visitCsv } from '../plan/csv.ts';
import { type ExactInstant, type InstantUnit, nsBetween, parseInstantText } from './instant-text.ts';

/** Where the time stamps are in the file. */
export type InstantFormat =
  /** A CSV file with a header; the column of this name. */
  | { readonly kind: 'csv'; readonly column: string; readonly unit: InstantUnit; readonly delimiter?: string }
  /** One JSON object per line; its top-level field of this name. */
  | { readonly kind: 'jsonl'; readonly field: string; readonly unit: InstantUnit };

/** The format of the Azure LLM inference traces. */
export const azureTraceFormat: InstantFormat = { kind: 'csv', column: 'TIMESTAMP', unit: 'date-time' };

/** How the file's instants become the phase's. */
export interface InstantOptions {
  readonly format: InstantFormat;
  /** `first-row`: the first arrival is at 0. `keep`: the file's own zero is the phase start (not for dates). */
  readonly origin: 'first-row' | 'keep';
  /** How many times faster than recorded; 0.5 is half as fast. */
  readonly speed: number;
  /**
   * What to do with a row that is earlier than the row before. `ascending`: refuse it, for a trace out of order is usually
   * a wrong column or unit. `sort`: put the rows in time order (those of equal instants stay as they were).
   */
  readonly order: 'ascending' | 'sort';
  /** What the error of a row out of order advises, in the words of whoever names the file; by default the key `order` of a trace too. */
  readonly orderAdvice?: string;
}

/** A trace, ready to be a phase. */
export interface ParsedInstants {
  /** Integer ns from the phase start, ascending. */
  readonly instantsNs: Float64Array;
  /** For each instant the 0-based data row it comes from, so that payloads of the same file stay with their instants. */
  readonly rows: Uint32Array;
}

/**
 * Reads the instants of `text`; `source` names the file in messages.
 * @throws FleetError 'plan', with the line, for a row that cannot be read, is ragged, out of order or out of range.
 */
export function parseInstants(text: string, source: string, options: InstantOptions): ParsedInstants {
  if (!(options.speed > 0 && options.speed < Infinity)) {
    throw new FleetError('plan', `${source}: speed ${options.speed} is not a positive number`);
  }
  if (options.origin === 'keep' && options.format.unit === 'date-time') {
    throw new FleetError('plan', `${source}: dates have no zero to keep; let the first row be the phase start`);
  }
  const recorded = readRows(text, source, options);
  const order = Uint32Array.from(recorded, (_, row) => row);
  if (options.order === 'sort') order.sort((a, b) => compareInstants(recorded, a, b) || a - b);
  const zero = options.origin === 'keep' ? { seconds: 0, nanos: 0 } : (recorded[order[0] as number] as ExactInstant);
  const instantsNs = Float64Array.from(order, (row) =>
    Math.floor(nsBetween(recorded[row] as ExactInstant, zero) / options.speed),
  );
  const first = instantsNs[0] as number;
  const last = instantsNs.at(-1) as number;
  if (first < 0) throw new FleetError('plan', `${source}: its earliest instant lies before its zero, by ${-first} ns`);
  if (!Number.isSafeInteger(last)) {
    throw new FleetError(
      'plan',
      `${source}: spans ${last} ns at speed ${options.speed}, the limit is 2^53 ns (104 days)`,
    );
  }
  return { instantsNs, rows: order };
}

function compareInstants(recorded: readonly ExactInstant[], a: number, b: number): number {
  return nsBetween(recorded[a] as ExactInstant, recorded[b] as ExactInstant);
}

/** The time stamps in file order, checked to ascend if that is asked for. Never empty. */
function readRows(text: string, source: string, options: InstantOptions): ExactInstant[] {
  const { format } = options;
  const recorded: ExactInstant[] = [];
  const add = (value: string, line: () => number): void => {
    const instant = parseInstantText(value, format.unit);
    if (instant === null) {
      throw new FleetError('plan', `${source}: line ${line()}: "${value}" is not ${expectationOf(format.unit)}`);
    }
    const before = recorded.at(-1);
    if (options.order === 'ascending' && before !== undefined && nsBetween(instant, before) < 0) {
      throw new FleetError(
        'plan',
        `${source}: line ${line()}: "${value}" is earlier than the row before; ${options.orderAdvice ?? 'sort the rows or ask for it (order: sort)'}`,
      );
    }
    recorded.push(instant);
  };
  if (format.kind === 'csv') readCsvColumn(text, source, format, add);
  else readJsonField(text, source, format.field, add);
  if (recorded.length === 0) throw new FleetError('plan', `${source}: holds no rows`);
  return recorded;
}

function expectationOf(unit: InstantUnit): string {
  return unit === 'date-time' ? 'a date and time such as 2023-11-16 18:17:03.9799600' : `a number of ${unit}`;
}

type AddRow = (value: string, line: () => number) => void;

function readCsvColumn(
  text: string,
  source: string,
  format: Extract<InstantFormat, { kind: 'csv' }>,
  add: AddRow,
): void {
  let column = 0;
  visitCsv(
    text,
    source,
    {
      header: (names) => {
        column = names.indexOf(format.column);
        if (column < 0) {
          throw new FleetError(
            'plan',
            `${source}: has no column "${format.column}"${knownNamesHint(format.column, names)}`,
          );
        }
      },
      row: (cells, line) => add(cells[column] as string, line),
    },
    format.delimiter,
  );
}

function readJsonField(text: string, source: string, field: string, add: AddRow): void {
  for (const [i, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    if (line.trim() === '') continue;
    const at = (): number => i + 1;
    const value = jsonFieldOf(line, field);
    if (value === null) {
      throw new FleetError('plan', `${source}: line ${at()}: is not a JSON object with a number or text in "${field}"`);
    }
    add(value, at);
  }
}

/** The field's text, of a number as it is written; null where there is neither. */
function jsonFieldOf(line: string, field: string): string | null {
  let row: ExactJson;
  try {
    row = parseExactJson(line);
  } catch {
    // Not JSON at all: the same message as for a row without the field.
    return null;
  }
  const { value } = row;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, field)) return null;
  const cell = (value as Record<string, unknown>)[field];
  return typeof cell === 'string' ? cell : row.numberText(value, field);
}
