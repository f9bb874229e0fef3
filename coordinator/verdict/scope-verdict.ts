/**
 * The verdict on a part of a run: one phase, or one agent. The same gates at the same limits as for the run, as far as they can be
 * asked of the part. It says where to look; what the run is worth is for the run's own verdict to say.
 */
import type { Histogram } from '../../shared/histogram/histogram.ts';
import type { Accounting } from '../merge/accounting.ts';
import { backlogGate } from './backlog-gate.ts';
import { type NamedExcess, excessGate } from './excess-gate.ts';
import { generatorFailuresGate } from './generator-failures-gate.ts';
import { type HarnessEvidence, harnessGates } from './harness-gates.ts';
import { lagShareGate } from './lag-share-gate.ts';
import { overflowGate } from './overflow-gate.ts';
import { ownWaitsGate } from './own-waits-gate.ts';
import { sendFidelityGate } from './send-fidelity-gate.ts';
import { sentShareGate } from './sent-share-gate.ts';
import { EXPLAINING_GATES } from './thresholds-table.ts';
import { type Gate, type VerdictStatus, verdictOf } from './verdict.ts';
import { wakeLagGate } from './wake-lag-gate.ts';

/** The verdict on a part. */
export interface ScopeVerdict {
  readonly status: VerdictStatus;
  /** Why it is not valid, gravest first; empty for `valid`. */
  readonly reasons: readonly string[];
  /** Names of the gates that it breaks, those that only explain included. */
  readonly broken: readonly string[];
  /** Names of the gates that could be asked of such a part, but could not be evaluated. */
  readonly notMeasured: readonly string[];
}

/** What is known of any part. */
export interface ScopeEvidence {
  readonly accounting: Accounting;
  /** Attempts that a limit of the plan held back until they were given up. */
  readonly heldBack: number;
  /** Sends when the phase and the grace were over; 0 where that is not known. */
  readonly sentAfter: number;
  readonly excess: readonly NamedExcess[];
  /** Of ok and failed requests together. */
  readonly wakeLag: Histogram;
  /** Of ok requests, or of failed ones when none was ok. */
  readonly service: Histogram;
  readonly overflow: number;
  readonly harness: Omit<HarnessEvidence, 'loopGaps' | 'gauges' | 'connections'>;
}

/** The verdict on a phase: what hosts and loops did is known by window, not by phase, and is in the windows' marks. */
export function phaseVerdict(evidence: ScopeEvidence): ScopeVerdict {
  const { times, fidelity, waits, generatorFailures } = evidence.harness;
  return scopeVerdict(evidence, [
    ...ownGates(evidence),
    lagShareGate(times),
    sendFidelityGate(fidelity),
    backlogGate(fidelity),
    ownWaitsGate(waits),
    generatorFailuresGate(generatorFailures),
  ]);
}

/** The verdict on an agent: every gate on the harness, and `more` that are about the agent itself. */
export function agentVerdict(
  evidence: ScopeEvidence & { readonly harness: HarnessEvidence },
  more: readonly Gate[],
): ScopeVerdict {
  return scopeVerdict(evidence, [...more, ...ownGates(evidence), ...harnessGates(evidence.harness)]);
}

function ownGates({
  accounting,
  heldBack,
  sentAfter,
  excess,
  wakeLag,
  service,
  overflow,
}: ScopeEvidence): readonly Gate[] {
  return [
    excessGate(excess),
    sentShareGate(accounting, heldBack, sentAfter),
    wakeLagGate(wakeLag, service),
    overflowGate(overflow),
  ];
}

function scopeVerdict({ accounting }: ScopeEvidence, gates: readonly Gate[]): ScopeVerdict {
  const due = accounting.scheduled - accounting.cancelled;
  const nothing =
    accounting.scheduled === 0 || due === 0 || accounting.attempted > 0
      ? null
      : 'nothing was measured: no request was attempted';
  const { status, reasons } = verdictOf(gates, nothing, EXPLAINING_GATES);
  return {
    status,
    reasons,
    broken: gates.filter(({ kind }) => kind === 'warn' || kind === 'fail').map(({ name }) => name),
    notMeasured: gates.filter(({ kind }) => kind === 'not-measured').map(({ name }) => name),
  };
}
