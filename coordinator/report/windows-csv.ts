/**
 * `windows.csv`: every window of every phase, then the totals of each phase, of the measured phases and of the run. RFC 4180, times in
 * integer ns as in `result.json`, missing numbers empty. Safe to open in a spreadsheet: no text cell starts a formula (R107).
 */
import { type Accounting, droppedTotal, failedTotal } from '../merge/accounting.ts';
import type { MetricSummary } from './metric-summary.ts';
import type { ResultValue, WindowTimes, WindowValue } from './result-value.ts';
import type { TrafficValue } from './scope-value.ts';
import { printable } from '../../shared/printable-text.ts';

const TIMES = ['count', 'p50_ns', 'p99_ns', 'max_ns'] as const;

/** The columns, in order. `row` is window, phase, measured or run; `phase` is empty for the last two. */
const CSV_COLUMNS = [
  'row',
  'phase',
  'start_ns',
  'length_ns',
  'scheduled',
  'attempted',
  'sent',
  'dropped',
  'cancelled',
  'lost',
  'ok',
  'failed',
  'unfinished',
  'bytes_received',
  ...TIMES.map((name) => `response_${name}`),
  ...TIMES.map((name) => `service_${name}`),
  ...TIMES.map((name) => `wake_lag_${name}`),
  'status',
  'marks',
  'fano_1ms',
  'fano_10ms',
  'worker_backlog_max',
  'worker_behind_share',
  'phase_ns',
] as const;

type Cell = string | number | null;

/** The file. */
export function windowsCsv(value: ResultValue): string {
  const rows: Cell[][] = [[...CSV_COLUMNS]];
  for (const window of value.windows) {
    rows.push([
      'window',
      window.phase,
      window.startNs,
      window.lengthNs,
      window.scheduled,
      window.attempted,
      window.sent,
      window.dropped,
      window.cancelled,
      // What a dead member would have done here is known for the phase only.
      null,
      window.ok,
      window.failed,
      window.unfinished,
      window.bytesReceived,
      ...windowTimes(window.response),
      ...windowTimes(window.service),
      ...windowTimes(window.wakeLag),
      window.status,
      window.marks.join(' '),
      ...paceCells(window.fidelity),
      window.phaseNs,
    ]);
  }
  for (const phase of value.phases) {
    const place = ['phase', phase.name, phase.startNs, phase.durationNs];
    const { status, broken } = phase.verdict;
    rows.push([
      ...place,
      ...totals(phase.accounting, phase.traffic),
      ...metricTimes(phase.metrics),
      status,
      broken.join(' '),
      ...paceCells(phase.fidelity),
      null,
    ]);
  }
  const { measured, verdict } = value;
  const broken = verdict.gates.filter(({ kind }) => kind === 'warn' || kind === 'fail').map(({ name }) => name);
  const whole = [verdict.status, broken.join(' '), ...paceCells(value.fidelity), null];
  const measuredPlace = ['measured', '', null, measured.lengthNs];
  rows.push([...measuredPlace, ...totals(measured.accounting, value.traffic), ...metricTimes(value.metrics), ...whole]);
  const runTraffic = value.phases.reduce((sum, phase) => sum + phase.traffic.bytesReceived, 0);
  const noTimes: Cell[] = Array.from({ length: 3 * TIMES.length }, () => null);
  const noPace: Cell[] = Array.from({ length: 5 }, () => null);
  rows.push([
    'run',
    '',
    0,
    value.run.durationNs,
    ...totals(value.accounting, { bytesReceived: runTraffic }),
    ...noTimes,
    ...whole.slice(0, 2),
    ...noPace,
  ]);
  return rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
}

function totals(books: Accounting, traffic: Pick<TrafficValue, 'bytesReceived'>): Cell[] {
  return [
    books.scheduled,
    books.attempted,
    books.sent,
    droppedTotal(books),
    books.cancelled,
    books.lost,
    books.ok,
    failedTotal(books),
    books.unfinished,
    traffic.bytesReceived,
  ];
}

function paceCells(pace: WindowValue['fidelity']): Cell[] {
  return [pace.fano1ms, pace.fano10ms, pace.workerBacklogMax, pace.workerBehindShare];
}

function windowTimes(times: WindowTimes): Cell[] {
  return [times.count, times.p50, times.p99, times.max];
}

function metricTimes(metrics: Readonly<Record<string, MetricSummary>>): Cell[] {
  return ['response', 'service', 'wakeLag'].flatMap((name) => {
    const metric = metrics[name];
    if (metric === undefined) return TIMES.map(() => null);
    return [metric.count, metric.percentiles['50'], metric.percentiles['99'], metric.max];
  });
}

/** What spreadsheets begin a formula with, also behind blanks or a quote, and in the wide forms that those of East Asia take for the same. */
const FORMULA_START = /^[\s"]*[=+\-@|%\uff1d\uff0b\uff0d\uff20]/;

/** One cell: numbers as they are, null empty, text printable, never a formula, quoted where it has to be. */
export function csvCell(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const plain = printable(cell);
  const safe = FORMULA_START.test(plain) ? `'${plain}` : plain;
  return /[",;]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
