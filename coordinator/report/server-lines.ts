/** The server's own numbers in the summary: queue, preemptions and first tokens, beside what the client saw in the same phase. */

import type { MetricSummary } from './metric-summary.ts';
import type { ResultValue } from './result-value.ts';
import type { ServerHistogramValue, ServerPhaseValue } from './server-value.ts';
import { countText, fitted, MISSING, table, timeText } from './text-format.ts';
import type { ServerRole } from '../scrape/server-roles.ts';

const NAME_WIDTH = 32;
/** Rows of the table. */
const ROWS_SHOWN = 20;

/** The lines; none for a run that read no page. */
export function serverLines(value: ResultValue): readonly string[] {
  return value.server.flatMap((server) => {
    const head = `server ${server.name}: ${countText(server.pages)} pages read, ${countText(server.failed)} missed`;
    const measured = server.phases.filter(({ phase }) => value.measured.phases.includes(phase)).slice(0, ROWS_SHOWN);
    const rows = measured.map((phase) => rowOf(phase, value));
    const isKnown = measured.some(({ gauges, histograms }) =>
      [...gauges, ...histograms].some(({ role }) => role !== null),
    );
    return isKnown ? [head, ...table([HEAD, ...rows], '  ')] : [head];
  });
}

const HEAD = [
  'phase',
  'running max',
  'waiting max',
  'preempted',
  'server TTFT p50',
  'p99',
  'client TTFT from send p50',
  'p99',
  'from intended p99',
];

function rowOf(phase: ServerPhaseValue, value: ResultValue): string[] {
  const client = value.phases.find(({ name }) => name === phase.phase)?.metrics ?? {};
  const ttft = pooledByRole(phase, 'ttft');
  return [
    fitted(phase.phase, NAME_WIDTH),
    gaugeMax(phase, 'running'),
    gaugeMax(phase, 'waiting'),
    counterText(phase),
    quantileText(ttft, '50'),
    quantileText(ttft, '99'),
    clientText(client['ttft_send'], '50'),
    clientText(client['ttft_send'], '99'),
    clientText(client['ttft'], '99'),
  ];
}

/** Of several series of one role (engines, models) the largest. */
function gaugeMax(phase: ServerPhaseValue, role: ServerRole): string {
  const values = phase.gauges.filter((gauge) => gauge.role === role).map(({ max }) => max);
  return values.length === 0 ? MISSING : countText(Math.max(...values));
}

function counterText(phase: ServerPhaseValue): string {
  const deltas = phase.counters.filter(({ role }) => role === 'preemptions').map(({ delta }) => delta);
  return deltas.length === 0 ? MISSING : countText(deltas.reduce((sum, delta) => sum + delta, 0));
}

/** The one histogram of a role; several cannot be pooled from their quantiles, so none is shown. */
function pooledByRole(phase: ServerPhaseValue, role: ServerRole): ServerHistogramValue | null {
  const found = phase.histograms.filter((histogram) => histogram.role === role);
  return found.length === 1 ? (found[0] as ServerHistogramValue) : null;
}

/** Between the bounds of its bucket: more the server does not tell. */
function quantileText(histogram: ServerHistogramValue | null, key: string): string {
  const quantile = histogram?.quantiles[key] ?? null;
  if (quantile === null) return MISSING;
  if (quantile.high === null) return `>${timeText(quantile.low * 1e9)}`;
  return `${timeText(quantile.low * 1e9)}..${timeText(quantile.high * 1e9)}`;
}

function clientText(metric: MetricSummary | undefined, key: '50' | '99'): string {
  return timeText(metric?.percentiles[key] ?? null);
}
