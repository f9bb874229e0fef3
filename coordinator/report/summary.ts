/**
 * The summary that a run prints and stores as `summary.txt`, made from the value of `result.json` alone, so that both show the same
 * totals. It leads with intended, sent and dropped (R005); the verdict and the failure share stand next to the numbers (P7, R058).
 */
import { printable } from '../../shared/printable-text.ts';
import { samplesForUpperBound } from '../../shared/stats/order-statistics.ts';
import { DROP_REASONS, FAILURE_CLASSES } from '../../shared/metrics/outcome.ts';
import { type Accounting, droppedTotal, failedTotal } from '../merge/accounting.ts';
import { llmLines } from './llm-summary.ts';
import { loadLines } from './load-lines.ts';
import type { MetricSummary } from './metric-summary.ts';
import { CONFIDENCE, type PercentileStatistics } from './percentile-statistics.ts';
import type { ResultValue } from './result-value.ts';
import type { ThresholdValue } from './threshold-value.ts';
import { datasetLines } from './dataset-value.ts';
import { serverLines } from './server-lines.ts';
import { sessionLines } from './session-value.ts';
import { statisticsLines } from './statistics-lines.ts';
import { countText, fitted, MISSING, rateText, shareText, spanText, table, timeText } from './text-format.ts';

/** Percentiles of the summary's tables; all others are in `result.json`. */
const SHOWN = ['50', '90', '99', '99.9'] as const;

/** Statistics of a metric, as far as it has some. */
type KnownStatistics = Partial<Readonly<Record<(typeof SHOWN)[number], PercentileStatistics | null>>>;

/** Stands for a percentile that too few samples stand behind. */
const TOO_FEW = '*';

/** Longest name of a phase, a request or an agent in a table. */
const NAME_WIDTH = 32;
/** Rows of the tables per request name and per agent; `result.json` has all. */
const ROWS_SHOWN = 20;
/** Failure texts and warnings that are shown. */
const TEXTS_SHOWN = 10;

/** The summary, ending in a newline. */
export function summaryOf(value: ResultValue): string {
  const sections = [
    heading(value),
    verdictLines(value),
    loadLines(value),
    bookLines(value),
    timeLines(value),
    statisticsLines(value, SHOWN),
    llmLines(value),
    thresholdLines(value),
    phaseLines(value),
    workloadLines(value),
    datasetLines(value.dataset),
    sessionLines(value.sessions),
    serverLines(value),
    agentLines(value),
    requestLines(value),
    failureLines(value),
    warningLines(value),
    outcomeLines(value),
  ].filter((lines) => lines.length > 0);
  // Names, texts of servers and labels come from outside: nothing a terminal obeys leaves here (R107).
  const lines = sections.flatMap((section) => [...section.map(printable), '']);
  return lines.join('\n');
}

function heading(value: ResultValue): readonly string[] {
  const { run } = value;
  const end =
    run.end.kind === 'finished'
      ? 'finished'
      : `${run.end.kind.toUpperCase()} at ${spanText(run.end.atNs)}${run.end.reason === null ? '' : `: ${run.end.reason}`}`;
  return [
    `loadfleet ${run.loadfleetVersion}  run ${run.id}  ${run.startedAt}  ran ${spanText(run.durationNs)}, ${end}`,
    `seed ${String(run.seed)}  ${value.agents.length} agents, ${run.workerSlots} worker slots  measured ${spanText(value.measured.lengthNs)}${phasesText(value)}`,
  ];
}

function phasesText(value: ResultValue): string {
  const warmups = value.phases.filter((phase) => phase.warmup).length;
  return warmups === 0 ? '' : ` (without ${warmups} warm-up ${warmups === 1 ? 'phase' : 'phases'})`;
}

function verdictLines(value: ResultValue): readonly string[] {
  const { verdict } = value;
  const notMeasured = verdict.gates.filter((gate) => gate.kind === 'not-measured').map((gate) => gate.name);
  return [
    `VERDICT on the harness: ${verdict.status.toUpperCase()}`,
    ...verdict.reasons.map((reason) => `  - ${reason}`),
    ...verdict.gates
      .filter((gate) => gate.kind === 'warn' && !verdict.reasons.includes(gate.reason))
      .map((gate) => `  noted, without an effect that a judging gate sees: ${gate.reason}`),
    ...(notMeasured.length === 0 ? [] : [`  not measured: ${notMeasured.join(', ')}`]),
    ...markedLines(value),
  ];
}

/** How many stretches are marked, and by what. */
function markedLines({ windows }: ResultValue): readonly string[] {
  const counts = new Map<string, number>();
  for (const { marks } of windows) for (const mark of marks) counts.set(mark, (counts.get(mark) ?? 0) + 1);
  const marked = windows.filter(({ marks }) => marks.length > 0).length;
  if (marked === 0) return [];
  const why = [...counts].sort((a, b) => b[1] - a[1]).map(([mark, count]) => `${mark} ${countText(count)}`);
  const clean = windows.filter(({ status }) => status === 'valid').length;
  const judged = windows.filter(({ status }) => status !== 'not-measured').length;
  return [
    `  the harness was clean in ${countText(clean)} of ${countText(judged)} windows; ${countText(marked)} are marked: ${why.join(', ')}`,
  ];
}

function bookLines(value: ResultValue): readonly string[] {
  const { accounting } = value.measured;
  const { rate } = value;
  const dropped = droppedTotal(accounting);
  const due = accounting.scheduled - accounting.cancelled;
  const rows: string[][] = [
    ['intended', countText(accounting.scheduled), rateText(rate.intendedPerSecond), ''],
    [
      'sent',
      countText(accounting.sent),
      rateText(rate.sentPerSecond),
      `${ratio(accounting.sent, due)} of what fell due${untilStop(value, accounting.sent)}`,
    ],
    ...(accounting.issued === 0 || accounting.issued === accounting.scheduled ? [] : [issuedRow(accounting)]),
    ['dropped', countText(dropped), '', details(DROP_REASONS, accounting.dropped)],
  ];
  if (accounting.cancelled > 0) rows.push(['cancelled', countText(accounting.cancelled), '', 'not released: stopped']);
  if (accounting.lost > 0) rows.push(['lost', countText(accounting.lost), '', 'their agent or worker died']);
  rows.push(
    ['ok', countText(accounting.ok), rateText(rate.okPerSecond), untilStop(value, accounting.ok).replace(/^, /, '')],
    ['failed', countText(failedTotal(accounting)), '', details(FAILURE_CLASSES, accounting.failed)],
    ['unfinished', countText(accounting.unfinished), '', accounting.unfinished > 0 ? 'still open at the end' : ''],
    ['failure share', shareText(value.failureShare), '', '(failed + dropped + unfinished) / (attempted + dropped)'],
  );
  const numbers = rows.map((row) => row.slice(0, 3));
  return withNotes(
    table(numbers, '  '),
    rows.map((row) => row[3] ?? ''),
  );
}

/** The rate that there was while the load ran, where it was stopped: the column of rates is over all that was planned. */
function untilStop({ measured: { ranNs, lengthNs }, rate }: ResultValue, count: number): string {
  if (ranNs === 0 || ranNs >= lengthNs || rate.sentPerSecond === null) return '';
  return `, ${rateText((count * 1e9) / ranNs)} in the ${spanText(ranNs)} until it was stopped`;
}

/** What of the intended requests no schedule holds. */
function issuedRow({ issued, followUps }: Accounting): string[] {
  const closed = issued - followUps;
  const parts = [
    ...(closed > 0 ? [`${countText(closed)} in closed loops`] : []),
    ...(followUps > 0 ? [`${countText(followUps)} later turns`] : []),
  ];
  return ['of intended, issued', countText(issued), '', parts.join(', ')];
}

/** Lines with a note behind each, the notes in one column. */
function withNotes(lines: readonly string[], notes: readonly string[]): readonly string[] {
  const width = lines.reduce((max, line) => Math.max(max, line.length), 0);
  return lines.map((line, index) => {
    const note = notes[index] ?? '';
    return note === '' ? line : `${line.padEnd(width)}  ${note}`;
  });
}

function ratio(part: number, whole: number): string {
  return shareText(whole === 0 ? null : part / whole);
}

function details<Name extends string>(names: readonly Name[], counts: Readonly<Record<Name, number>>): string {
  return names
    .filter((name) => counts[name] > 0)
    .map((name) => `${name} ${countText(counts[name])}`)
    .join(', ');
}

function timeLines(value: ResultValue): readonly string[] {
  const { metrics } = value;
  const rows: string[][] = [['', ...SHOWN.map((key) => `p${key}`), 'mean', 'max', 'samples']];
  const add = (label: string, metric: MetricSummary | undefined, statistics: KnownStatistics = {}): void => {
    if (metric === undefined) return;
    rows.push([label, ...shown(metric, statistics), ...tail(metric)]);
  };
  const known = value.statistics.metrics;
  add('response', metrics['response'], known.response);
  add('service', metrics['service'], known.service);
  add('wakeLag (ours)', metrics['wakeLag']);
  add('wait', metrics['wait']);
  if ((value.metricsFailed['response']?.count ?? 0) > 0) add('response, failed', value.metricsFailed['response']);
  const all = value.responseWithFailures;
  if (all.count > (metrics['response']?.count ?? 0)) {
    const cells = SHOWN.map((key) => {
      const ns = all.percentiles[key];
      if (ns === null) return 'beyond';
      return `${all.lowerBounds.includes(key) ? '>=' : ''}${timeText(ns)}`;
    });
    rows.push(['response, failures as infinite', ...cells, MISSING, MISSING, countText(all.count)]);
  }
  const few = SHOWN.filter((_, column) => rows.some((row) => row[column + 1] === TOO_FEW));
  return [
    `times of ok requests, from the intended instant; failure share ${shareText(value.failureShare)}, verdict ${value.verdict.status}`,
    ...table(rows, '  '),
    ...(few.length === 0
      ? []
      : [
          `  ${TOO_FEW} few samples: not enough samples for ${few.map((key) => `p${key}`).join(', ')}, of which the interval has no upper end`,
        ]),
  ];
}

function shown(metric: MetricSummary, statistics: KnownStatistics): readonly string[] {
  return SHOWN.map((key) => percentileText(metric, key, statistics));
}

function percentileText(
  metric: MetricSummary | undefined,
  key: (typeof SHOWN)[number],
  statistics: KnownStatistics = {},
): string {
  return isTooFew(metric, key, statistics) ? TOO_FEW : timeText(metric?.percentiles[key] ?? null);
}

/** Whether the interval of the percentile has no upper end, so that no number is shown for it (M§4.1). */
function isTooFew(
  metric: MetricSummary | undefined,
  key: (typeof SHOWN)[number],
  statistics: KnownStatistics,
): boolean {
  if (metric === undefined || metric.count === 0) return false;
  const known = statistics[key] ?? null;
  if (known !== null) return !known.enough;
  return metric.count < samplesForUpperBound(Number(key) / 100, (1 + CONFIDENCE) / 2);
}

function tail(metric: MetricSummary): readonly string[] {
  return [timeText(metric.mean), timeText(metric.max), countText(metric.count)];
}

function thresholdLines(value: ResultValue): readonly string[] {
  const lines: string[] = [];
  for (const threshold of value.thresholds) {
    const measured =
      threshold.unit === 'ns'
        ? timeText(threshold.measured)
        : threshold.unit === 'share'
          ? shareText(threshold.measured)
          : threshold.unit === '1/s'
            ? rateText(threshold.measured)
            : tokensOrCountText(threshold.measured, threshold.unit);
    const note = threshold.reason === null ? '' : ` (${threshold.reason})`;
    lines.push(`  ${threshold.result.toUpperCase().padEnd(7)}  ${threshold.text}  measured ${measured}${note}`);
  }
  if (value.slo !== null) {
    const bounds = value.slo.bounds.map((bound) => `${bound.metric} <= ${timeText(bound.maxNs)}`).join(', ');
    const { good, goodShare, goodputPerSecond } = value.slo;
    lines.push(`  goodput  ${countText(good)}  ${rateText(goodputPerSecond)}  ${shareText(goodShare)} met ${bounds}`);
  }
  return lines.length === 0 ? [] : ['thresholds and SLO', ...lines];
}

/** Counts as they are; counts of tokens with their unit. */
function tokensOrCountText(measured: number | null, unit: ThresholdValue['unit']): string {
  if (unit === 'count' || measured === null) return countText(measured);
  return unit.startsWith('milli-') ? `${measured / 1000} ${unit.slice('milli-'.length)}` : `${measured} ${unit}`;
}

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

function phaseLines(value: ResultValue): readonly string[] {
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
  return [...table([head, ...rows], '  '), ...fewNote(rows), ...more(value.phases.length)];
}

function workloadLines(value: ResultValue): readonly string[] {
  if (value.workload.length < 2) return [];
  const rows = value.workload
    .slice(0, ROWS_SHOWN)
    .map((request) => [fitted(request.name, NAME_WIDTH), ...rowCells(request)]);
  return [...table([['request', ...ROW_HEAD], ...rows], '  '), ...fewNote(rows), ...more(value.workload.length)];
}

function agentLines(value: ResultValue): readonly string[] {
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
  return [...withNotes(table([head, ...rows], '  '), ['', ...notes]), ...fewNote(rows), ...more(value.agents.length)];
}

function fewNote(rows: readonly (readonly string[])[]): readonly string[] {
  return rows.some((cells) => cells.includes(TOO_FEW)) ? [`  ${TOO_FEW} few samples`] : [];
}

function more(count: number): readonly string[] {
  return count > ROWS_SHOWN ? [`  and ${count - ROWS_SHOWN} more in result.json`] : [];
}

function requestLines({ requests }: ResultValue): readonly string[] {
  if (requests === null) return [];
  const { file, written, leftOut, limit, problem } = requests;
  const rest = leftOut === 0 ? '' : `, ${countText(leftOut)} requests left out (limit ${countText(limit)})`;
  return [`${file}: ${countText(written)} requests${rest}${problem === null ? '' : `; it ends early: ${problem}`}`];
}

function failureLines(value: ResultValue): readonly string[] {
  if (value.failures.length === 0) return [];
  return [
    'failures',
    ...value.failures
      .slice(0, TEXTS_SHOWN)
      .map((failure) => `  ${countText(failure.count)} x ${failure.class}: ${fitted(failure.detail, 120)}`),
  ];
}

function warningLines(value: ResultValue): readonly string[] {
  if (value.warnings.length === 0) return [];
  return ['warnings', ...value.warnings.slice(0, TEXTS_SHOWN).map((warning) => `  ${fitted(warning, 240)}`)];
}

function outcomeLines(value: ResultValue): readonly string[] {
  const { outcome } = value.run;
  if (outcome.exitCode === 0) return ['exit code 0'];
  return [`exit code ${outcome.exitCode} (${outcome.kind})`, ...outcome.reasons.map((reason) => `  - ${reason}`)];
}
