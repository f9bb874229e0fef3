/** How numbers and texts look in everything that people read. Missing is "-". */

import { durationText } from '../../shared/time/duration-text.ts';

/** What stands for a missing number. */
export const MISSING = '-';

/** A time with three significant digits and its unit: `1.23 ms`, `45.6 us`, `12.0 s`; whole seconds from 1,000 s on. */
export function timeText(ns: number | null): string {
  return ns === null ? MISSING : durationText(ns);
}

/** A count with thousands separated: `1,234,567`. */
export function countText(count: number | null): string {
  return count === null ? MISSING : count.toFixed(0).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** A rate: `2,000.1/s`; small ones keep three digits, and one that is not 0 never looks like it: `0.000278/s`. */
export function rateText(perSecond: number | null): string {
  if (perSecond === null) return MISSING;
  if (perSecond > 0 && perSecond < 0.01) return `${decimalText(perSecond)}/s`;
  const decimals = perSecond >= 100 || perSecond === 0 ? 1 : 3;
  const [whole = '0', fraction = ''] = perSecond.toFixed(decimals).split('.');
  return `${countText(Number(whole))}.${fraction}/s`;
}

/** Three significant digits of a number below 1, without an exponent where that is short. */
function decimalText(value: number): string {
  const rounded = Number(value.toPrecision(3));
  return rounded < 1e-6 ? value.toExponential(2) : rounded.toFixed(2 - Math.floor(Math.log10(rounded)));
}

/** A share as percent: `12.34 %`. A share that is not 0 or 1 never looks like it. */
export function shareText(share: number | null): string {
  if (share === null) return MISSING;
  const text = (share * 100).toFixed(2);
  if (share > 0 && text === '0.00') return '<0.01 %';
  if (share < 1 && text === '100.00') return '>99.99 %';
  return `${text} %`;
}

/** A run time: `1h 02m 03s`, `45.0 s`, below 0.1 s `20.0 ms`. */
export function spanText(ns: number | null): string {
  if (ns === null) return MISSING;
  const seconds = ns / 1e9;
  if (ns > 0 && seconds < 0.1) return durationText(ns);
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.floor(seconds);
  const two = (value: number): string => String(value).padStart(2, '0');
  const rest = `${two(Math.floor(whole / 60) % 60)}m ${two(whole % 60)}s`;
  return whole < 3600 ? rest : `${Math.floor(whole / 3600)}h ${rest}`;
}

/** `text` cut to `width` characters, with a mark where it was cut. */
export function fitted(text: string, width: number): string {
  const characters = Array.from(text);
  return characters.length <= width ? text : `${characters.slice(0, Math.max(0, width - 1)).join('')}…`;
}

/** Rows of cells in columns: the first column to the left, the others to the right, two spaces between. */
export function table(rows: readonly (readonly string[])[], indent: string): readonly string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, lengthOf(cell));
  }
  return rows.map((row) => {
    const cells = row.map((cell, column) => {
      const padding = ' '.repeat((widths[column] as number) - lengthOf(cell));
      return column === 0 ? cell + padding : padding + cell;
    });
    return `${indent}${cells.join('  ')}`.trimEnd();
  });
}

/** Characters of a cell, not UTF-16 units, so that columns stay in line. */
function lengthOf(cell: string): number {
  return Array.from(cell).length;
}

/** Lines with a note behind each, the notes in one column. */
export function withNotes(lines: readonly string[], notes: readonly string[]): readonly string[] {
  const width = lines.reduce((max, line) => Math.max(max, line.length), 0);
  return lines.map((line, index) => {
    const note = notes[index] ?? '';
    return note === '' ? line : `${line.padEnd(width)}  ${note}`;
  });
}
