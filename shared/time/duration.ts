/**
 * The one reader and writer of durations as text: flags, plans, query strings and environment all come here (R086).
 * A duration always carries its unit; a bare number is an error, because every guess at its unit is wrong for somebody.
 * Values are exact integers of nanoseconds up to 2^53 - 1 (about 104 days); nothing is ever rounded in silence.
 */

import { FleetError } from '../fleet-error.ts';

/** Longest duration that stays an exact integer of ns: 2^53 - 1 ns, about 104 days and 6 hours. */
export const MAX_DURATION_NS = Number.MAX_SAFE_INTEGER;

const EXAMPLE = 'write for example 30s, 250ms, 1m30s or 1.5h';

/** Longest text that is looked at; anything longer is no duration. */
const MAX_TEXT_LENGTH = 64;

/** Units from the longest to the shortest; the place in this list is the order they must be written in. */
const UNITS = [
  { name: 'd', ns: 86_400_000_000_000 },
  { name: 'h', ns: 3_600_000_000_000 },
  { name: 'm', ns: 60_000_000_000 },
  { name: 's', ns: 1_000_000_000 },
  { name: 'ms', ns: 1_000_000 },
  { name: 'us', ns: 1_000 },
  { name: 'ns', ns: 1 },
] as const;

const UNIT_NAMES = UNITS.map((unit) => unit.name).join(', ');

/** What people write for a unit we know by another name; used only to make the error more useful. */
const UNIT_HINTS: ReadonlyMap<string, string> = new Map([
  ['M', 'm (minutes) or ms (milliseconds)'],
  ['min', 'm'],
  ['mins', 'm'],
  ['minute', 'm'],
  ['minutes', 'm'],
  ['sec', 's'],
  ['secs', 's'],
  ['second', 's'],
  ['seconds', 's'],
  ['hr', 'h'],
  ['hour', 'h'],
  ['hours', 'h'],
  ['day', 'd'],
  ['days', 'd'],
  ['msec', 'ms'],
  ['usec', 'us'],
  ['nsec', 'ns'],
]);

/**
 * Reads a duration: one or more parts `<number><unit>`, longest unit first, each unit at most once, no spaces and no sign.
 * Units are d, h, m, s, ms, us (also written with the micro sign) and ns; the number is decimal digits with an optional fraction.
 * @returns integer nanoseconds in [0, MAX_DURATION_NS].
 * @throws FleetError code `plan`; the message holds the text, the reason and an example. Callers add the field's path.
 */
export function parseDuration(text: string): number {
  if (text.length > MAX_TEXT_LENGTH) {
    throw durationError(`${text.slice(0, 20)}...`, `is longer than ${String(MAX_TEXT_LENGTH)} characters`);
  }
  if (text === '') throw durationError(text, 'is empty');
  if (/^[+-]/.test(text)) throw durationError(text, 'has a sign; durations are never negative and carry no sign');
  if (/\s/.test(text)) throw durationError(text, 'contains a space');
  if (/^[0-9.]+$/.test(text)) throw durationError(text, 'has no unit');

  const part = /([0-9]+)(?:\.([0-9]+))?([a-z\u00b5\u03bc]+)/iuy;
  let totalNs = 0n;
  let lastPlace = -1;
  while (part.lastIndex < text.length) {
    const at = part.lastIndex;
    const match = part.exec(text);
    if (match === null) throw durationError(text, `cannot be read from "${text.slice(at)}" on`);
    const [, whole = '', fraction = '', unitText = ''] = match;
    const place = unitPlace(text, unitText);
    if (place === lastPlace) throw durationError(text, `repeats the unit "${unitText}"`);
    if (place < lastPlace)
      throw durationError(text, `has the unit "${unitText}" after a shorter one; longest unit first`);
    lastPlace = place;
    totalNs += partNs(text, whole, fraction, BigInt(UNITS[place]?.ns ?? 0));
  }
  if (totalNs > BigInt(MAX_DURATION_NS)) {
    throw durationError(text, `is above the limit of ${formatDuration(MAX_DURATION_NS)} (2^53 - 1 ns)`);
  }
  return Number(totalNs);
}

/**
 * Writes a duration so that `parseDuration` reads the very same value back: "1m30s", "1.5s", "250ms", "0s".
 * Below a minute one unit with a fraction, from a minute on the whole longer units first.
 * @param ns integer nanoseconds in [0, MAX_DURATION_NS].
 * @throws FleetError code `internal` for any other number.
 */
export function formatDuration(ns: number): string {
  if (!Number.isSafeInteger(ns) || ns < 0) {
    throw new FleetError('internal', `formatDuration: ${String(ns)} is not an integer of ns in [0, 2^53 - 1]`);
  }
  if (ns === 0) return '0s';
  let text = '';
  let restNs = ns;
  for (const unit of UNITS) {
    if (restNs < unit.ns) continue;
    if (unit.ns <= 1_000_000_000) return text + decimal(restNs, unit.ns) + unit.name;
    text += `${String(Math.floor(restNs / unit.ns))}${unit.name}`;
    restNs %= unit.ns;
  }
  return text;
}

/** The place of a unit in UNITS, the micro signs U+00B5 and U+03BC taken as u. */
function unitPlace(text: string, unitText: string): number {
  const plain = unitText.replace(/^[\u00b5\u03bc]/u, 'u');
  const place = UNITS.findIndex((unit) => unit.name === plain);
  if (place >= 0) return place;
  const hint = UNIT_HINTS.get(unitText) ?? UNITS.find((unit) => unit.name === plain.toLowerCase())?.name;
  const meant = hint === undefined ? '' : `, did you mean ${hint}?`;
  throw durationError(text, `has the unknown unit "${unitText}"${meant} (known: ${UNIT_NAMES})`);
}

/** whole.fraction x unitNs in exact integers. */
function partNs(text: string, whole: string, fraction: string, unitNs: bigint): bigint {
  const scale = 10n ** BigInt(fraction.length);
  const scaledNs = (BigInt(whole) * scale + BigInt(fraction === '' ? '0' : fraction)) * unitNs;
  if (scaledNs % scale !== 0n) throw durationError(text, 'is not a whole number of nanoseconds');
  return scaledNs / scale;
}

/** value / unit as decimal text without loss; unit is a power of ten. */
function decimal(value: number, unit: number): string {
  const whole = Math.floor(value / unit);
  const digits = Math.round(Math.log10(unit));
  const fraction =
    digits === 0
      ? ''
      : String(value % unit)
          .padStart(digits, '0')
          .replace(/0+$/, '');
  return fraction === '' ? String(whole) : `${String(whole)}.${fraction}`;
}

function durationError(text: string, reason: string): FleetError {
  return new FleetError('plan', `duration "${text}" ${reason}; ${EXAMPLE}`);
}
