/**
 * Which exit code a run ends with, and why (design §10). Precedence: 4 (it could not be run), 130/143 (interrupted), 3 (the
 * verdict fails), 1 (a threshold, nothing ok, nothing planned), 0. 2 is the command line's own: then there is no run.
 */
import { assertNever } from '../../shared/assert-never.ts';
import type { FailOn } from '../../shared/plan/plan.ts';
import type { Accounting } from '../merge/accounting.ts';
import type { RunEnd } from '../run/run-record.ts';
import type { Gate, Verdict } from '../verdict/verdict.ts';
import type { ThresholdValue } from './threshold-value.ts';

/** Why a run ends with its exit code. */
export type RunOutcomeKind =
  | 'ok'
  | 'threshold-failed'
  | 'threshold-no-data'
  | 'nothing-ok'
  | 'nothing-planned'
  | 'verdict-failed'
  | 'run-failed'
  | 'interrupted';

/** The end of a run as a process sees it. */
export interface RunOutcome {
  readonly kind: RunOutcomeKind;
  /** 0, 1, 3, 4, 130 or 143. */
  readonly exitCode: number;
  /** All that was found wrong, most important first; empty when ok. */
  readonly reasons: readonly string[];
}

/** What the outcome is made from. */
export interface OutcomeFacts {
  readonly end: RunEnd;
  readonly failOn: FailOn;
  readonly verdict: Verdict;
  readonly thresholds: readonly ThresholdValue[];
  /** All phases. */
  readonly total: Accounting;
  /** The phases that are not warm-up. */
  readonly measured: Accounting;
}

interface Finding {
  readonly kind: RunOutcomeKind;
  readonly exitCode: number;
  readonly reason: string;
}

/** The outcome of a run. */
export function outcomeOfRun(facts: OutcomeFacts): RunOutcome {
  const findings = [...endFindings(facts.end), ...verdictFindings(facts), ...dataFindings(facts)];
  const first = findings[0];
  if (first === undefined) return { kind: 'ok', exitCode: 0, reasons: [] };
  return { kind: first.kind, exitCode: first.exitCode, reasons: findings.map((finding) => finding.reason) };
}

function endFindings(end: RunEnd): readonly Finding[] {
  switch (end.kind) {
    case 'finished':
      return [];
    case 'failed':
      return [{ kind: 'run-failed', exitCode: 4, reason: `the run failed: ${end.reason}` }];
    case 'interrupted': {
      const exitCode = end.signal === 'SIGTERM' ? 143 : 130;
      const reason = `interrupted by ${end.signal} at ${(end.atNs / 1e9).toFixed(3)} s`;
      return [{ kind: 'interrupted', exitCode, reason }];
    }
    default:
      return assertNever(end);
  }
}

function verdictFindings({ verdict, failOn }: OutcomeFacts): readonly Finding[] {
  const finding = (what: string): readonly Finding[] => [{ kind: 'verdict-failed', exitCode: 3, reason: what }];
  switch (failOn) {
    case 'never':
      return [];
    case 'degraded':
      return verdict.status === 'valid' ? [] : finding(verdictText(verdict));
    case 'invalid': {
      if (verdict.status === 'invalid') return finding(verdictText(verdict));
      // Losing a member never passes by default, however little load it carried (R074).
      const lost = verdict.gates.find(isLostMember);
      return lost === undefined ? [] : finding(lost.reason);
    }
    default:
      return assertNever(failOn);
  }
}

/** The gravest reason; the verdict itself has all of them. */
function verdictText({ status, reasons }: Verdict): string {
  const others = reasons.length > 1 ? ` (and ${reasons.length - 1} more)` : '';
  return `the verdict is ${status}: ${reasons[0] ?? ''}${others}`;
}

function isLostMember(gate: Gate): boolean {
  return gate.name === 'members-lost' && gate.kind !== 'pass' && gate.kind !== 'not-measured';
}

function dataFindings(facts: OutcomeFacts): readonly Finding[] {
  const findings: Finding[] = [];
  for (const threshold of facts.thresholds) {
    if (threshold.result !== 'fail') continue;
    findings.push({ kind: 'threshold-failed', exitCode: 1, reason: `threshold failed: ${threshold.text}` });
  }
  if (facts.total.scheduled === 0) {
    findings.push({ kind: 'nothing-planned', exitCode: 1, reason: 'nothing was planned: the plan has no arrival' });
  } else if (facts.measured.scheduled === 0) {
    const reason = 'nothing was measured: no arrival fell due outside of the warm-up phases';
    findings.push({ kind: 'nothing-planned', exitCode: 1, reason });
  } else if (facts.measured.ok === 0) {
    findings.push({ kind: 'nothing-ok', exitCode: 1, reason: 'no request of the measured phases was ok' });
  }
  for (const threshold of facts.thresholds) {
    if (threshold.result !== 'no-data') continue;
    const why = threshold.reason === null ? '' : ` (${threshold.reason})`;
    findings.push({
      kind: 'threshold-no-data',
      exitCode: 1,
      reason: `threshold without data: ${threshold.text}${why}`,
    });
  }
  return findings;
}
