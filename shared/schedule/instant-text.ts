/**
 * Reads one time stamp as users' files write it, exactly: digits are moved, never multiplied, so 2023-11-16
 * 18:17:03.9799600 and epoch nanoseconds keep every ns although neither fits a double.
 */

/** How a column of instants is written: a number of one of these units, or a date with a time of day. */
export type InstantUnit = 's' | 'ms' | 'us' | 'ns' | 'date-time';

/** An instant as whole seconds and the ns behind them (0..999,999,999), from whatever zero its file uses. */
export interface ExactInstant {
  readonly seconds: number;
  readonly nanos: number;
}

/** Decimal places from each unit down to ns. */
const placesToNs = { s: 9, ms: 6, us: 3, ns: 0 } as const;

const decimalForm = /^([+-]?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/;
const dateTimeForm =
  /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2}):(\d{2})(?:[.,](\d+))?\s?(?:(Z|z|UTC)|([+-])(\d{2}):?(\d{2}))?$/;

/** More digits than any instant below 2^53 s has. */
const digitsMax = 40;

/** Reads `text` in the given unit; null if it is not written so. Digits below 1 ns are cut off. */
export function parseInstantText(text: string, unit: InstantUnit): ExactInstant | null {
  const trimmed = text.trim();
  return unit === 'date-time' ? parseDateTime(trimmed) : parseDecimal(trimmed, placesToNs[unit]);
}

/** `a` - `b` in ns; exact while the result is below 2^53 ns (104 days). */
export function nsBetween(a: ExactInstant, b: ExactInstant): number {
  return (a.seconds - b.seconds) * 1e9 + (a.nanos - b.nanos);
}

function parseDecimal(text: string, places: number): ExactInstant | null {
  const match = decimalForm.exec(text);
  if (match === null) return null;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const shift = places + Number(exponent);
  // The digits left of the decimal point once it has moved `shift` places: the instant in ns.
  const digits = (whole + fraction).slice(0, Math.max(0, whole.length + shift)).padEnd(whole.length + shift, '0');
  if (digits.replace(/^0+/, '').length > digitsMax) return null;
  const seconds = Number(digits.slice(0, -9));
  const nanos = Number(digits.slice(-9));
  if (!Number.isSafeInteger(seconds)) return null;
  if (sign !== '-' || (seconds === 0 && nanos === 0)) return { seconds, nanos };
  return nanos === 0 ? { seconds: -seconds, nanos: 0 } : { seconds: -seconds - 1, nanos: 1_000_000_000 - nanos };
}

/** `YYYY-MM-DD hh:mm:ss.fffffffff`, with T or a space, with Z or an offset; UTC if it names none. */
function parseDateTime(text: string): ExactInstant | null {
  const match = dateTimeForm.exec(text);
  if (match === null) return null;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (hour > 23 || minute > 59 || second > 59) return null;
  const midnight = new Date(Date.UTC(year, month - 1, day));
  // A day that the month does not have rolls over, and shows.
  if (midnight.getUTCMonth() !== month - 1 || midnight.getUTCDate() !== day) return null;
  const [offsetSign, offsetHours, offsetMinutes] = [match[9], Number(match[10] ?? 0), Number(match[11] ?? 0)];
  if (offsetHours > 23 || offsetMinutes > 59) return null;
  const offsetSeconds = (offsetSign === '-' ? -1 : 1) * (offsetHours * 3600 + offsetMinutes * 60);
  const seconds = midnight.getTime() / 1000 + hour * 3600 + minute * 60 + second - offsetSeconds;
  return { seconds, nanos: Number((match[7] ?? '').slice(0, 9).padEnd(9, '0')) };
}
