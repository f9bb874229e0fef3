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

/**
 * The verdict that `gates` add up to. Gates named in `explaining` are reasons only beside others: they say why, and by themselves leave
 * a run valid (design §9).
 */
export function verdictOf(
  gates: readonly Gate[],
  nothingMeasured: string | null,
  explaining: ReadonlySet<string>,
): Verdict {
  const reasonsOf = (kind: Gate['kind'], isExplaining: boolean): string[] =>
    gates.filter((gate) => gate.kind === kind && explaining.has(gate.name) === isExplaining).map((gate) => gate.reason);
  const failed = reasonsOf('fail', false);
  const reasons = [...failed, ...(nothingMeasured === null ? [] : [nothingMeasured]), ...reasonsOf('warn', false)];
  if (reasons.length === 0) return { status: 'valid', reasons, gates };
  const status = failed.length > 0 ? 'invalid' : 'degraded';
  return { status, reasons: [...reasons, ...reasonsOf('warn', true)], gates };
}
