/** The verdict on the harness (P7, design §9): whether the numbers of a run may be believed, and why not. */

/** What one gate found. `measured` and `limit` are in `unit`. */
export type Gate =
  | {
      readonly kind: 'pass' | 'warn' | 'fail';
      readonly name: string;
      readonly measured: number;
      readonly limit: number;
      readonly unit: GateUnit;
      readonly reason: string;
    }
  /** Not evaluated: nothing to measure, or not readable here. Never counted as passed. */
  | {
      readonly kind: 'not-measured';
      readonly name: string;
      readonly measured: null;
      readonly limit: number | null;
      readonly unit: GateUnit;
      readonly reason: string;
    };

/** Unit of a gate's numbers. */
export type GateUnit = 'ns' | 'share' | 'count';

/** `invalid`: do not use the numbers. `degraded`: use them knowing the reasons. */
export type VerdictStatus = 'valid' | 'degraded' | 'invalid';

/** The verdict. */
export interface Verdict {
  readonly status: VerdictStatus;
  /** Why it is not valid, gravest first; empty for `valid`. */
  readonly reasons: readonly string[];
  readonly gates: readonly Gate[];
}

/** The verdict that `gates` add up to. */
export function verdictOf(gates: readonly Gate[], nothingMeasured: string | null): Verdict {
  const failed = gates.filter((gate) => gate.kind === 'fail').map((gate) => gate.reason);
  const warned = gates.filter((gate) => gate.kind === 'warn').map((gate) => gate.reason);
  const reasons = [...failed, ...(nothingMeasured === null ? [] : [nothingMeasured]), ...warned];
  const status = failed.length > 0 ? 'invalid' : reasons.length > 0 ? 'degraded' : 'valid';
  return { status, reasons, gates };
}
