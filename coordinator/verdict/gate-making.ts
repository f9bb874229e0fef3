/** What the gates have in common: levels, gates without a measurement, and numbers as text. */
import type { Gate, GateUnit } from './verdict.ts';

/** Limits of a gate as the table has them: higher is worse. */
export interface Limits {
  readonly warnBeyond: number | null;
  readonly failBeyond: number | null;
}

/** How grave a measurement is. */
export type Level = 'pass' | 'warn' | 'fail';

/** The level of `measured`. */
export function levelOf(measured: number, { warnBeyond, failBeyond }: Limits): Level {
  if (failBeyond !== null && measured > failBeyond) return 'fail';
  return warnBeyond !== null && measured > warnBeyond ? 'warn' : 'pass';
}

/** A gate that could not be evaluated. */
export function notMeasured(name: string, unit: GateUnit, limit: number | null, reason: string): Gate {
  return { kind: 'not-measured', name, measured: null, limit, unit, reason };
}

/** 0.0123 as `1.23 %`. */
export function percentText(share: number): string {
  return `${(share * 100).toFixed(2)} %`;
}

/** ns as `1.234 ms`. */
export function millisecondsText(ns: number): string {
  return `${(ns / 1e6).toFixed(3)} ms`;
}
