/**
 * How every message for people writes a time: three significant digits and a unit. For text that is read back, or must be exact, there
 * is `formatDuration`.
 */

/** Units from the longest; a value is written in the longest one that leaves it at least 1. */
const UNITS = [
  { name: 's', ns: 1e9 },
  { name: 'ms', ns: 1e6 },
  { name: 'us', ns: 1e3 },
] as const;

/** `ns` as `1.23 ms`, `45.6 us`, `-12.0 s`; whole seconds from 1,000 s on. Any finite number. */
export function durationText(ns: number): string {
  const size = Math.abs(ns);
  const sign = ns < 0 ? '-' : '';
  const unit = UNITS.find((one) => size >= one.ns * 0.9995);
  if (unit === undefined) return `${sign}${size.toFixed(0)} ns`;
  const value = size / unit.ns;
  const decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return `${sign}${value.toFixed(decimals)} ${unit.name}`;
}
