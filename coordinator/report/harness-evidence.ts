/** Gathers what the gates on the harness are made from: sums, gauges and loop gaps of a run. It judges nothing. */
import type { Histogram } from '../../shared/histogram/histogram.ts';
import { COUNTER, type CounterCell } from '../../shared/metrics/counters.ts';
import type { MetricId } from '../../shared/metrics/metric.ts';
import { timeWeightedQuantiles } from '../../shared/stats/time-weighted.ts';
import type { Phase, Plan } from '../../shared/plan/plan.ts';
import type { RunMerge } from '../merge/run-merge.ts';
import type { WindowRow } from '../merge/window-rows.ts';
import type { SenderSums } from '../merge/sender-sums.ts';
import type { RunRecord } from '../run/run-record.ts';
import type { HarnessEvidence } from '../verdict/harness-gates.ts';
import { isOwnLag, type TimeSums } from '../verdict/lag-share-gate.ts';
import type { FidelityEvidence } from '../verdict/send-fidelity-gate.ts';
import { observedWorkerNs } from './excess-part.ts';
import type { ScopeData } from './scope-data.ts';

/** Share of the time that a loop's gap may be exceeded and still be its p99.9. */
const LOOP_GAP_PROBABILITY = 0.999;
/** Texts of our own failures that a reason names. */
const DETAILS_SHOWN = 3;

/** The evidence of a run; `measured` is its measured phases. */
export function harnessEvidence(record: RunRecord, merge: RunMerge, measured: ScopeData): HarnessEvidence {
  const phases = record.plan.phases.filter((phase) => !phase.warmup);
  const part = partEvidence(measured, phases, ownFailureDetails(merge));
  return {
    ...part,
    fidelity: fidelityEvidence(record, merge, isOwnLag(part.times)),
    loopGaps: loopGaps(record, merge.senders),
    gauges: merge.telemetry.summaries(),
    connections: connectionsOf(merge.senders),
  };
}

/**
 * What the books and series of a part over `phases` say by themselves; `details` are texts of our own failures. Where everything was asked for
 * at once, to wait for a turn below the plan's caps is the load that was meant, and no wait of our making.
 */
export function partEvidence(
  data: ScopeData,
  phases: Plan['phases'],
  details: readonly string[],
): Pick<HarnessEvidence, 'times' | 'responseP99Ns' | 'waits' | 'generatorFailures'> {
  const { accounting } = data;
  const isBatch = phases.every(({ arrivals }) => arrivals.kind === 'all-at-once');
  return {
    times: timeSums(data, isBatch),
    responseP99Ns: data.histogram('response', 'ok').percentile(99),
    waits: {
      queued: isBatch ? 0 : data.pooled('waitQueue').countAbove(0),
      forStream: data.pooled('waitStream').countAbove(0),
      dropped: accounting.dropped['max-in-flight'] + accounting.dropped['queue-full'],
      behindDecoding: data.cell[COUNTER['held-by-decoding']] as number,
    },
    generatorFailures: { count: accounting.failed.generator, attempted: accounting.attempted, details },
  };
}

/**
 * Attempts that a limit of the plan held back until they were given up, from the counters of each phase. Of what was asked for all at once
 * none is: it was meant to wait.
 */
export function heldBackIn(
  parts: readonly { readonly phase: Pick<Phase, 'arrivals'>; readonly cell: CounterCell }[],
): number {
  return parts
    .filter(({ phase }) => phase.arrivals.kind !== 'all-at-once')
    .reduce((sum, { cell }) => sum + (cell[COUNTER['unfinished-held']] as number), 0);
}

/**
 * Sends of a phase in windows that begin when it and the grace are over. Later turns of sessions may be due then, and are not told apart: a
 * phase that has some has none of these.
 */
export function sentAfterPhase(
  { startNs, durationNs, arrivals }: Phase,
  { phaseGraceNs }: Plan['limits'],
  rows: readonly WindowRow[],
): number {
  if (arrivals.kind === 'all-at-once' || arrivals.kind === 'closed') return 0;
  const sum = (counter: number, fromNs: number): number =>
    rows.reduce((total, row) => total + (row.startNs < fromNs ? 0 : (row.totals.cell[counter] as number)), 0);
  return sum(COUNTER['follow-ups'], 0) > 0 ? 0 : sum(COUNTER.sent, startNs + durationNs + phaseGraceNs);
}

/** Connections that agents tried to open, per second of their busiest minute. */
export function connectionsOf(senders: readonly SenderSums[]): HarnessEvidence['connections'] {
  return senders.map(({ agentId, connections }) => ({ agentId, perSecond: connections.perSecondMax() }));
}

/** Planned against sent in the measured phases. */
export function fidelityEvidence(record: RunRecord, merge: RunMerge, isOwn: boolean): FidelityEvidence {
  const { phases } = record.plan;
  const isMeasured = ({ phase }: { readonly phase: number }): boolean => phases[phase]?.warmup === false;
  return {
    slots: merge.fidelity.slots().filter(isMeasured),
    fleet: merge.fidelity.fleet().filter(isMeasured),
    phaseName: (phase) => phases[phase]?.name ?? String(phase),
    isOwnLag: isOwn,
  };
}

function timeSums(measured: ScopeData, isBatch: boolean): TimeSums {
  // Timeouts of half a minute would hide any lag of ours in the requests that the headline is about.
  const ok = measured.histogram('response', 'ok');
  const status = ok.isEmpty() ? 'failed' : 'ok';
  const response = ok.isEmpty() ? measured.histogram('response', 'failed') : ok;
  // Lags of what was open at the end are among those of failed ones; its age is all that is known of its response.
  if (ok.isEmpty()) response.add(measured.pooled('unfinishedAge'));
  const total = (metric: MetricId): number => sumOf(measured.histogram(metric, status));
  return {
    requests: response.count,
    responseNs: sumOf(response),
    wakeLagNs: total('wakeLag'),
    ownWaitNs: (isBatch ? 0 : total('waitQueue')) + total('waitStream'),
    waitNs: total('wait'),
  };
}

/** The sum of a histogram as a number: 2^53 ns are 104 days of waiting, beyond which a share does not mind rounding. */
function sumOf(histogram: Histogram): number {
  return Number(histogram.sum);
}

/** The loops of agents in the measured phases. */
export function loopGaps(record: RunRecord, senders: readonly SenderSums[]): HarnessEvidence['loopGaps'] {
  const phases = record.plan.phases.filter((phase) => !phase.warmup);
  return senders.map(({ agentId, incarnation, slots, measured }) => {
    const gaps = measured.histogram('loopGap', 'ok');
    const agents = record.agents.filter((agent) => agent.agentId === agentId && agent.incarnation === incarnation);
    const observedNs = observedWorkerNs({ ...record, agents, workerSlots: slots.size }, phases, 0);
    const quantiles = timeWeightedQuantiles(gaps, observedNs);
    return { agentId, p999Ns: quantiles?.(LOOP_GAP_PROBABILITY) ?? null, longestNs: gaps.max };
  });
}

function ownFailureDetails(merge: RunMerge): readonly string[] {
  const prefix = 'generator: ';
  return merge.failures
    .entries()
    .filter(({ text }) => text.startsWith(prefix))
    .slice(0, DETAILS_SHOWN)
    .map(({ text }) => text.slice(prefix.length));
}
