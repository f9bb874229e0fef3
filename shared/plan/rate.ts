/** Rates as text: `100`, `0.5`, `100/s`, `6000/min`, `10/h`. A bare number is per second. */

import { ratePerSecondMax } from '../schedule/rate-curve.ts';
import { type Field, readDecimal, scalarField, valueError } from './plan-field.ts';
import { quoted } from './problem-list.ts';

const SECONDS = { s: 1, min: 60, h: 3600 } as const;
const UNITS = Object.keys(SECONDS).join(', ');

/**
 * Reads a rate in arrivals per second, 0..1e9.
 * @throws FleetError 'plan' for other text.
 */
export function parseRate(text: string): number {
  const [, number = '', unit] = /^([^/]*)(?:\/(.*))?$/s.exec(text) ?? [];
  const value = readDecimal(number.trim());
  if (value === null) throw valueError(`${quoted(text)} is not a rate; write for example 100 (per second) or 6000/min`);
  const seconds = unit === undefined ? 1 : new Map<string, number>(Object.entries(SECONDS)).get(unit.trim());
  if (seconds === undefined) throw valueError(`${quoted(text)} has an unknown unit (known: ${UNITS}, e.g. 6000/min)`);
  const perSecond = value / seconds;
  if (value < 0 || perSecond > ratePerSecondMax) {
    throw valueError(`rate ${quoted(text)} is outside 0..${ratePerSecondMax} per second`);
  }
  // Never -0, whatever was written.
  return perSecond === 0 ? 0 : perSecond;
}

/** A rate in arrivals per second. */
export const rateField: Field<number> = scalarField(
  `a rate per second such as 100, or 6000/min, 0..${ratePerSecondMax} per second`,
  {
    anyOf: [
      { type: 'number', minimum: 0, maximum: ratePerSecondMax },
      { type: 'string', pattern: '/(s|min|h)$' },
    ],
  },
  parseRate,
);
