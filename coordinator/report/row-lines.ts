/** The summary's tables with a row per phase, per request name and per agent. */
import type { Accounting } from '../merge/accounting.ts';
import type { MetricSummary } from './metric-summary.ts';
import { fewNote, percentileText } from './percentile-text.ts';
import type { ResultValue } from './result-value.ts';
import { countText, fitted, MISSING, shareText, spanText, table, timeText, withNotes } from './text-format.ts';

/** Longest name of a phase, a request or an agent in a table. */
const NAME_WIDTH = 32;
/** Rows of the tables per request name and per agent; `result.json` has all. */
const ROWS_SHOWN = 20;
interface RowSource {
  readonly name: string;
  readonly accounting: Pick<Accounting, 'sent' | 'ok'>;
  readonly failureShare: number | null;
  readonly metrics: Readonly<Record<string, MetricSummary>>;
}

const ROW_HEAD = ['sent', 'ok', 'failure share', 'response p50', 'p99', 'service p50', 'p99'];

function rowCells(row: RowSource, statistics?: ResultValue['statistics']['metrics']): readonly string[] {
  const response = row.metrics['response'];
  const service = row.metrics['service'];
  return [
    countText(row.accounting.sent),
    countText(row.accounting.ok),
    shareText(row.failureShare),
    percentileText(response, '50', statistics?.response),
    percentileText(response, '99', statistics?.response),
    percentileText(service, '50', statistics?.service),
    percentileText(service, '99', statistics?.service),
  ];
}

/** A row per phase; none for a single one. */
export function phaseLines(value: ResultValue): readonly string[] {
  if (value.phases.length < 2) return [];
  const rows = value.phases
    .slice(0, ROWS_SHOWN)
    .map((phase) => [
      `${fitted(phase.name, NAME_WIDTH)}${phase.warmup ? ' (warm-up)' : ''}`,
      countText(phase.accounting.scheduled),
      ...rowCells(phase, phase.statistics.metrics),
      phase.verdict.status,
    ]);
  const head = ['phase', 'intended', ...ROW_HEAD, 'harness'];
  return [...table([head, ...rows], '  '), ...fewNote(rows), ...moreLines(value.phases.length)];
}

/** A row per request name; none for a single one. */
export function workloadLines(value: ResultValue): readonly string[] {
  if (value.workload.length < 2) return [];
  const rows = value.workload
    .slice(0, ROWS_SHOWN)
    .map((request) => [fitted(request.name, NAME_WIDTH), ...rowCells(request)]);
  return [...table([['request', ...ROW_HEAD], ...rows], '  '), ...fewNote(rows), ...moreLines(value.workload.length)];
}

/** A row per agent, with its client and pacing. */
export function agentLines(value: ResultValue): readonly string[] {
  const shownAgents = value.agents.slice(0, ROWS_SHOWN);
  if (shownAgents.length === 0) return ['  no agent took part'];
  const rows = shownAgents.map((agent) => [
    fitted(agent.id, NAME_WIDTH),
    agent.state === 'finished' ? agent.state : `${agent.state.toUpperCase()} at ${spanText(agent.lostAtNs)}`,
    countText(agent.accounting.sent),
    percentileText(agent.metrics['response'], '99'),
    percentileText(agent.metrics['wakeLag'], '99'),
    agent.clock === null ? MISSING : `±${timeText(agent.clock.boundNs)}`,
    agent.verdict?.status ?? MISSING,
  ]);
  const head = ['agent', 'state', 'sent', 'response p99', 'wakeLag p99', 'clock', 'harness'];
  const notes = shownAgents.map((agent) => `${agent.client ?? MISSING}, pacing ${agent.pacing ?? MISSING}`);
  return [
    ...withNotes(table([head, ...rows], '  '), ['', ...notes]),
    ...fewNote(rows),
    ...moreLines(value.agents.length),
  ];
}

/** That there are more than the `shownMost` that are shown, where there are. */
export function moreLines(count: number, shownMost: number = ROWS_SHOWN): readonly string[] {
  return count > shownMost ? [`  and ${count - shownMost} more in result.json`] : [];
}
