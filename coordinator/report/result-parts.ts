/** The lists of `result.json`: phases, request names, agents, windows, gauges and failure texts. */
import { Histogram } from '../../shared/histogram/histogram.ts';
import { COUNTER, type CounterCell } from '../../shared/metrics/counters.ts';
import { windowOf } from '../../shared/metrics/window.ts';
import { type MetricId, unitOf } from '../../shared/metrics/metric.ts';
import { DROP_REASONS, FAILURE_CLASSES } from '../../shared/metrics/outcome.ts';
import { secretWithoutOccasion } from '../../shared/metrics/failure-text.ts';
import type { Phase, Plan } from '../../shared/plan/plan.ts';
import { createPartRedactor } from '../../shared/plan/redact-secrets.ts';
import { type Accounting, emptyAccounting, failureShareOf } from '../merge/accounting.ts';
import type { AgentBooks, RunBooks } from '../merge/books.ts';
import type { RequestSums } from '../merge/request-table.ts';
import type { RunMerge } from '../merge/run-merge.ts';
import type { WindowRow } from '../merge/window-rows.ts';
import { stretchVerdict } from '../verdict/window-marks.ts';
import type { AgentRecord, RunEnd, RunRecord } from '../run/run-record.ts';
import { type BacklogValue, backlogOfPhase } from './backlog-of-phase.ts';
import { observedWorkerNs, receiveDelayOf } from './excess-part.ts';
import { type FidelityValue, fidelityValue } from './fidelity-value.ts';
import { loadValue } from './load-value.ts';
import { summarise } from './metric-summary.ts';
import { phaseNsWithin, ranNsOf } from './phase-span.ts';
import type {
  AgentValue,
  FailureValue,
  GaugeValue,
  PhaseValue,
  WindowTimes,
  WindowValue,
  WorkloadValue,
} from './result-value.ts';
import { statisticsOf } from './percentile-statistics.ts';
import { verdictOnAgent, verdictOnPhase } from './scope-verdicts.ts';
import { sloOf } from './slo-of.ts';
import { requestData, type ScopeData } from './scope-data.ts';

/** Metrics that are shown per agent. */
const AGENT_METRICS: readonly MetricId[] = ['response', 'service', 'lag', 'wakeLag', 'wait'];

/** Failure texts that are shown. */
const FAILURES_SHOWN = 50;

/** What a dead member had in flight never ends in the books, and its part of the load is missing: neither is the target's doing. */
const MEMBER_LOST: BacklogValue = { kind: 'not-judged', reason: 'an agent or worker was lost during the run' };

/** The phases, in the order of the plan. */
export function phaseValues(
  record: RunRecord,
  merge: RunMerge,
  phases: readonly ScopeData[],
  lostSlots: number,
): readonly PhaseValue[] {
  const isWhole = lostSlots === 0 && record.agents.every(({ state }) => state.kind === 'finished');
  return record.plan.phases.map((phase, index) => {
    const data = phases[index] as ScopeData;
    const rows = merge.rows.ofPhase(index);
    const receiveDelay = receiveDelayOf(data, observedWorkerNs(record, [phase], lostSlots));
    return {
      name: phase.name,
      warmup: phase.warmup,
      startNs: phase.startNs,
      durationNs: phase.durationNs,
      arrivals: phase.arrivals.kind,
      ...loadValue(phase, data, isWhole),
      accounting: data.accounting,
      failureShare: failureShareOf(data.accounting),
      rate: data.rate(),
      metrics: data.metrics(),
      metricsFailed: data.metricsFailed(),
      responseWithFailures: data.responseWithFailures().value(),
      statistics: statisticsOf(data, rows, receiveDelay),
      verdict: verdictOnPhase(record, merge, { index, data, lostSlots }),
      fidelity: phaseFidelity(merge, index),
      slo: sloOf(record.plan, data),
      backlog: isWhole
        ? backlogOfPhase({ ...phase, durationNs: ranNsOf([phase], record.end) }, rows, merge.rows.lengthNs)
        : MEMBER_LOST,
      traffic: data.traffic(),
    };
  });
}

/**
 * Says how many attempted requests the books by name lack: a sender that died had counted them by name, but names are reported every ten
 * seconds only.
 */
export function workloadWarnings(workload: readonly WorkloadValue[], measured: Accounting): readonly string[] {
  const named = workload.reduce((sum, { accounting }) => sum + accounting.attempted, 0);
  const missing = measured.attempted - named;
  if (missing <= 0) return [];
  return [
    `${missing} of ${measured.attempted} attempted requests are missing in the figures by request name: their sender died before it reported them by name; they are in all others`,
  ];
}

/** Every request name of the plan over the measured phases, and `other` where workers used it. */
export function workloadValues(plan: Plan, merge: RunMerge): readonly WorkloadValue[] {
  const weights = plan.requests.reduce((sum, request) => sum + request.weight, 0);
  const names = new Map<string, number | null>(plan.requests.map(({ name, weight }) => [name, weight / weights]));
  const byName = new Map<string, RequestSums[]>([...names.keys()].map((name) => [name, []]));
  for (const sums of merge.requests()) {
    const known = byName.get(sums.request);
    if (plan.phases[sums.phase]?.warmup !== false) continue;
    if (known === undefined) byName.set(sums.request, [sums]);
    else known.push(sums);
  }
  return [...byName].map(([name, sums]) => {
    const weightShare = names.get(name) ?? null;
    const data = requestData(sums);
    const { attempted, sent, dropped, ok, failed, unfinished } = data.accounting;
    // A turn of the loop is no request's.
    const { loopGap: _loopGap, ...metrics } = data.metrics();
    return {
      name,
      weightShare,
      accounting: { attempted, sent, dropped, ok, failed, unfinished },
      failureShare: failureShareOf(data.accounting),
      metrics,
      metricsFailed: data.metricsFailed(),
    };
  });
}

/** Every agent of the run, by id: `agent-2` before `agent-10`. */
export function agentValues(record: RunRecord, merge: RunMerge, books: RunBooks): readonly AgentValue[] {
  const byId = new Intl.Collator('en', { numeric: true });
  const ordered = [...record.agents].sort((a, b) => byId.compare(a.agentId, b.agentId));
  return ordered.map((agent) => {
    const isSame = (one: { agentId: string; incarnation: string }): boolean =>
      one.agentId === agent.agentId && one.incarnation === agent.incarnation;
    const sender = merge.senders.find(isSame);
    const own = books.agents.find(isSame);
    const metrics = AGENT_METRICS.map((metric) => {
      const histogram = sender?.measured.histogram(metric, 'ok') ?? new Histogram();
      return [metric, summarise(histogram, unitOf(metric))] as const;
    });
    return {
      ...agentFacts(agent),
      reports: merge.completenessOf(agent.agentId, agent.incarnation).kind,
      ...agentBooks(own),
      verdict:
        sender === undefined || own === undefined ? null : verdictOnAgent(record, merge, agent, { sender, books: own }),
      metrics: Object.fromEntries(metrics),
    };
  });
}

function agentFacts(agent: AgentRecord) {
  return {
    id: agent.agentId,
    incarnation: agent.incarnation,
    region: agent.region,
    labels: agent.labels,
    cores: agent.cores,
    nodeVersion: agent.nodeVersion,
    workerSlots: agent.slots,
    client: agent.clientName,
    pacing: agent.pacing,
    clock: agent.clock,
    state: agent.state.kind,
    lostAtNs: agent.state.kind === 'finished' ? null : agent.state.atNs,
    lostReason: agent.state.kind === 'finished' ? null : agent.state.reason,
  };
}

function agentBooks(books: AgentBooks | undefined): Pick<AgentValue, 'undecidedFromNs' | 'accounting'> {
  if (books === undefined) return { undecidedFromNs: null, accounting: emptyAccounting() };
  return { undecidedFromNs: books.undecidedFromNs, accounting: books.total };
}

function phaseFidelity(merge: RunMerge, index: number): FidelityValue {
  const isOfPhase = ({ phase }: { readonly phase: number }): boolean => phase === index;
  return fidelityValue(merge.fidelity.slots().filter(isOfPhase), merge.fidelity.fleet().filter(isOfPhase));
}

/** The time series of all phases. */
export function windowValues({ plan, end }: RunRecord, merge: RunMerge): readonly WindowValue[] {
  const scratch = new Histogram();
  return plan.phases.flatMap((phase, index) =>
    merge.rows.ofPhase(index).map((row) => windowValue(phase, end, merge, row, scratch)),
  );
}

function windowValue(phase: Phase, end: RunEnd, merge: RunMerge, row: WindowRow, scratch: Histogram): WindowValue {
  const { lengthNs } = merge.rows;
  const { cell } = row.totals;
  const times = (metric: MetricId): WindowTimes => {
    scratch.clear();
    row.totals.addSeriesTo(metric, 'ok', scratch);
    const { count, max } = scratch;
    return { count, p50: scratch.percentile(50), p99: scratch.percentile(99), max };
  };
  const [response, service, wakeLag] = [times('response'), times('service'), times('wakeLag')];
  return {
    phase: phase.name,
    startNs: row.startNs,
    lengthNs,
    phaseNs: phaseNsWithin(phase, end, { startNs: row.startNs, lengthNs }),
    scheduled: cell[COUNTER.decided] as number,
    attempted: cell[COUNTER.attempted] as number,
    sent: cell[COUNTER.sent] as number,
    dropped: droppedOf(cell),
    cancelled: cell[COUNTER.cancelled] as number,
    ok: cell[COUNTER.ok] as number,
    failed: FAILURE_CLASSES.reduce((sum, failure) => sum + countOf(cell, COUNTER[`failed:${failure}`]), 0),
    unfinished: cell[COUNTER.unfinished] as number,
    bytesReceived: cell[COUNTER['bytes-received']] as number,
    response,
    service,
    wakeLag,
    ...stretchOf(merge, row, { response, service, wakeLag }),
  };
}

function stretchOf(
  merge: RunMerge,
  { startNs, phase, totals }: WindowRow,
  times: Pick<WindowValue, 'response' | 'service' | 'wakeLag'>,
): Pick<WindowValue, 'status' | 'marks' | 'fidelity'> {
  const first = windowOf(startNs);
  const pace = merge.fidelity.stretches.find(phase, first);
  const count = (counter: number): number => countOf(totals.cell, counter);
  const { status, marks } = stretchVerdict({
    pace,
    isOwnLag: () => totals.histogram('wakeLag', 'ok').sum >= totals.histogram('wait', 'ok').sum,
    scheduled: count(COUNTER.decided),
    dropped: droppedOf(totals.cell),
    droppedByCap: count(COUNTER['dropped:max-in-flight']) + count(COUNTER['dropped:queue-full']),
    attempted: count(COUNTER.attempted),
    generatorFailures: count(COUNTER['failed:generator']),
    wakeLagP99Ns: times.wakeLag.p99,
    serviceP50Ns: times.service.p50,
    responseP99Ns: times.response.p99,
    highest: (name) => merge.telemetry.highestIn(first, name),
  });
  const fidelity = {
    fano1ms: pace?.fine?.ratio ?? null,
    fano10ms: pace?.coarse?.ratio ?? null,
    workerBacklogMax: pace?.backlogMax ?? null,
    workerBehindShare: pace?.behindShare ?? null,
  };
  return { status, marks, fidelity };
}

function droppedOf(cell: CounterCell): number {
  return DROP_REASONS.reduce((sum, reason) => sum + countOf(cell, COUNTER[`dropped:${reason}`]), 0);
}

function countOf(cell: CounterCell, counter: number): number {
  return cell[counter] as number;
}

/** Extremes of the gauges that agents sent. */
export function gaugeValues(merge: RunMerge): readonly GaugeValue[] {
  return merge.telemetry.summaries().map((gauge) => ({
    agent: gauge.agentId,
    workerSlot: gauge.slot,
    name: gauge.name,
    min: gauge.min,
    max: gauge.max,
    samples: gauge.samples,
    unread: gauge.unread,
  }));
}

/** Failure texts, most frequent first. They may hold words of servers: what is left in them of `secrets` is taken out (R106). */
export function failureValues(merge: RunMerge, secrets: readonly string[]): readonly FailureValue[] {
  const clean = createPartRedactor([...secrets, ...secrets.flatMap((secret) => secretWithoutOccasion(secret) ?? [])]);
  return merge.failures
    .entries()
    .slice(0, FAILURES_SHOWN)
    .map(({ text, count }) => {
      const colon = text.indexOf(': ');
      return { class: text.slice(0, colon), detail: clean(text.slice(colon + 2)), count };
    });
}
