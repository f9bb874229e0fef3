/**
 * Evaluates the gates and makes the verdict (P7). It judges the harness, not the target: a slow or
 * failing target is not a reason, a run in which nothing could be measured is.
 */
import { assertNever } from '../../shared/assert-never.ts';
import type { Histogram } from '../../shared/histogram/histogram.ts';
import type { Accounting } from '../merge/accounting.ts';
import type { RunBooks } from '../merge/books.ts';
import type { Completeness } from '../merge/sender-sums.ts';
import type { RunRecord } from '../run/run-record.ts';
import { certifiedRateGate, type PlannedAgainstCertified } from './certified-rate-gate.ts';
import { closedSlotsText } from './closed-slots.ts';
import { clockBoundGate } from './clock-bound-gate.ts';
import { excessGate, type NamedExcess } from './excess-gate.ts';
import { type HarnessEvidence, harnessGates } from './harness-gates.ts';
import { overflowGate } from './overflow-gate.ts';
import { type CalibrationRecheck, recheckGate } from './recheck-gate.ts';
import { sentShareGate } from './sent-share-gate.ts';
import { EXPLAINING_GATES, type GateName } from './thresholds-table.ts';
import { type TokenCountEvidence, tokenCountsGate } from './token-counts-gate.ts';
import { type Gate, type Verdict, verdictOf } from './verdict.ts';
import { wakeLagGate } from './wake-lag-gate.ts';

/** Whether one agent's reports are all here. */
export interface SenderCompleteness {
  readonly agentId: string;
  readonly incarnation: string;
  readonly completeness: Completeness;
}

/** What the verdict is made from. */
export interface Evidence {
  readonly record: RunRecord;
  readonly books: RunBooks;
  /** Books of the phases that are not warm-up. */
  readonly measured: Accounting;
  /** Of these, the phases whose arrivals are a schedule's; all of them where none is. */
  readonly arrivals: Accounting;
  /** Attempts of these that a limit of the plan held back until they were given up. */
  readonly heldBack: number;
  /** Sends of these when their phase and the grace were over. */
  readonly sentAfter: number;
  readonly senders: readonly SenderCompleteness[];
  /** Worker slots that died inside living agents. */
  readonly lostSlots: readonly number[];
  readonly rejections: { readonly reasons: readonly string[]; readonly count: number };
  /** Of the measured phases, ok and failed requests together. */
  readonly wakeLag: Histogram;
  /** Of the measured phases: ok requests, or failed ones when none was ok. */
  readonly service: Histogram;
  readonly overflow: number;
  /** Of the measured phases: the percentiles that the run is judged by. */
  readonly excess: readonly NamedExcess[];
  /** The plan's rate against what the machine was certified for. */
  readonly planned: PlannedAgainstCertified;
  /** Checks of the machine before and after the run; null where nobody asked for them. */
  readonly recheck: CalibrationRecheck | null;
  /** What shows or explains that the harness was a bottleneck. */
  readonly harness: HarnessEvidence;
  /** Of the measured phases; null for a plan without LLM requests. */
  readonly tokenCounts: TokenCountEvidence | null;
}

/** The verdict on a run. */
export function judge(evidence: Evidence): Verdict {
  const gates: Gate[] = [
    runCompleted(evidence.record),
    booksBalance(evidence.books),
    reportsComplete(evidence),
    excessGate(evidence.excess),
    sentShareGate(evidence.arrivals, evidence.heldBack, evidence.sentAfter),
    membersLost(evidence),
    wakeLagGate(evidence.wakeLag, evidence.service),
    overflowGate(evidence.overflow),
    certifiedRateGate(evidence.planned),
    ...(evidence.recheck === null ? [] : [recheckGate(evidence.recheck)]),
    clockBoundGate(evidence.record.agents),
    ...harnessGates(evidence.harness),
    ...(evidence.tokenCounts === null ? [] : [tokenCountsGate(evidence.tokenCounts)]),
  ];
  return verdictOf(gates, nothingMeasured(evidence), EXPLAINING_GATES);
}

function runCompleted(record: RunRecord): Gate {
  const { end } = record;
  switch (end.kind) {
    case 'finished':
      return counted('run-completed', 'pass', 0, 'the run reached its end');
    case 'interrupted':
      return counted('run-completed', 'pass', 0, 'stopped on purpose; judged on what fell due before');
    case 'failed':
      return counted('run-completed', 'fail', 1, `the run failed: ${end.reason}`);
    default:
      return assertNever(end);
  }
}

function booksBalance(books: RunBooks): Gate {
  const count = books.violations.length;
  if (count === 0) return counted('books-balance', 'pass', 0, 'every arrival is in exactly one place');
  // The same defect shows in the agent, the phase and the run: the widest scope comes last and says it once.
  return counted('books-balance', 'fail', count, `the books do not balance: ${books.violations.at(-1) ?? ''}`);
}

function reportsComplete(evidence: Evidence): Gate {
  const problems: string[] = [...evidence.rejections.reasons];
  let incomplete = 0;
  for (const { agentId, incarnation, completeness } of evidence.senders) {
    const agent = evidence.record.agents.find((one) => one.agentId === agentId && one.incarnation === incarnation);
    // What a dead agent did not report is counted as lost; that it said no farewell is no news.
    if (completeness.kind === 'complete' || agent?.state.kind === 'lost') continue;
    if (completeness.kind === 'no-final' && !wasReleased(evidence, agentId, incarnation)) continue;
    incomplete += 1;
    problems.push(`agent ${agentId}: ${incompletenessText(completeness)}`);
  }
  const count = Math.max(incomplete, evidence.rejections.count > 0 ? 1 : 0);
  if (count === 0)
    return counted('reports-complete', 'pass', 0, 'every report is here and adds up to its sender’s own sums');
  const abrupt = evidence.record.end.kind === 'interrupted' && evidence.record.end.abrupt;
  const onlyLate = evidence.senders.every((sender) => ['complete', 'no-final'].includes(sender.completeness.kind));
  const kind = abrupt && onlyLate && evidence.rejections.count === 0 ? 'warn' : 'fail';
  return counted('reports-complete', kind, count, `the result is incomplete: ${problems.join('; ')}`);
}

/** An agent that never reported anything in a run that failed before T0 has nothing to be complete about. */
function wasReleased(evidence: Evidence, agentId: string, incarnation: string): boolean {
  const { end } = evidence.record;
  if (end.kind !== 'failed' || end.atNs !== null) return true;
  const books = evidence.books.agents.find((one) => one.agentId === agentId && one.incarnation === incarnation);
  return (books?.total.attempted ?? 0) > 0;
}

function incompletenessText(completeness: Completeness): string {
  switch (completeness.kind) {
    case 'complete':
      return 'complete';
    case 'no-final':
      return 'its last report is missing';
    case 'gap':
      return `reports ${completeness.missing.join(', ')} are missing`;
    case 'differs': {
      const first = completeness.counters[0];
      return `its own sums differ, ${first?.name ?? ''}: received ${first?.received ?? ''}, sent ${first?.sent ?? ''}`;
    }
    default:
      return assertNever(completeness);
  }
}

function membersLost(evidence: Evidence): Gate {
  const texts: string[] = [];
  for (const agent of evidence.record.agents) {
    if (agent.state.kind === 'finished') continue;
    const books = evidence.books.agents.find(
      (one) => one.agentId === agent.agentId && one.incarnation === agent.incarnation,
    );
    const from = books?.undecidedFromNs ?? null;
    const gap =
      from === null ? 'no arrivals were lost' : `${books?.total.lost ?? 0} arrivals from ${seconds(from)} on were lost`;
    const silent = closedSlotsText(evidence.record.plan, agent.state.atNs, {
      own: agent.slots,
      all: evidence.record.workerSlots,
    });
    texts.push(
      `agent ${agent.agentId} ${agent.state.kind === 'lost' ? 'was lost' : 'stopped by itself'} at ${seconds(agent.state.atNs)} (${agent.state.reason}): ${gap}${silent}`,
    );
  }
  if (evidence.lostSlots.length > 0) texts.push(`worker slots ${evidence.lostSlots.join(', ')} died`);
  if (texts.length === 0) return counted('members-lost', 'pass', 0, 'no agent and no worker was lost');
  return counted('members-lost', 'warn', texts.length, texts.join('; '));
}

function nothingMeasured(evidence: Evidence): string | null {
  if (evidence.books.total.scheduled === 0) return 'nothing was measured: the plan has no arrival';
  if (evidence.measured.attempted === 0) return 'nothing was measured: no request was attempted in the measured phases';
  return null;
}

function counted(name: GateName, kind: 'pass' | 'warn' | 'fail', measured: number, reason: string): Gate {
  return { kind, name, measured, limit: 0, unit: 'count', reason };
}

function seconds(ns: number): string {
  return `${(ns / 1e9).toFixed(3)} s`;
}
