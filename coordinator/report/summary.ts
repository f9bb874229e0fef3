/**
 * The summary that a run prints and stores as `summary.txt`, made from the value of `result.json` alone, so that both show the same
 * totals. It leads with intended, sent and dropped (R005); the verdict and the failure share stand next to the numbers (P7, R058).
 */
import { DIRECT } from '../../shared/plan/proxy-setting.ts';
import { printable } from '../../shared/printable-text.ts';
import { bookLines } from './book-lines.ts';
import { datasetLines } from './dataset-value.ts';
import { llmLines } from './llm-summary.ts';
import { loadLines } from './load-lines.ts';
import { SHOWN } from './percentile-text.ts';
import type { JsonValue, ResultValue } from './result-value.ts';
import { agentLines, moreLines, phaseLines, workloadLines } from './row-lines.ts';
import { serverLines } from './server-lines.ts';
import { sessionLines } from './session-value.ts';
import { statisticsLines } from './statistics-lines.ts';
import { countText, fitted, spanText } from './text-format.ts';
import { thresholdLines } from './threshold-lines.ts';
import { timeLines } from './time-lines.ts';

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
    ...proxyLine(run.plan),
  ];
}

/** Named beside the numbers, since its time is in all of them. */
function proxyLine(plan: JsonValue): readonly string[] {
  const proxy = memberOf(memberOf(plan, 'target'), 'proxy');
  return typeof proxy !== 'string' || proxy === DIRECT ? [] : [`all requests went through the proxy ${proxy}`];
}

function memberOf(value: JsonValue, name: string): JsonValue {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? ((value as { readonly [key: string]: JsonValue })[name] ?? null) : null;
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
    ...moreLines(value.failures.length, TEXTS_SHOWN),
  ];
}

function warningLines(value: ResultValue): readonly string[] {
  if (value.warnings.length === 0) return [];
  return [
    'warnings',
    ...value.warnings.slice(0, TEXTS_SHOWN).map((warning) => `  ${fitted(warning, 240)}`),
    ...moreLines(value.warnings.length, TEXTS_SHOWN),
  ];
}

function outcomeLines(value: ResultValue): readonly string[] {
  const { outcome } = value.run;
  if (outcome.exitCode === 0) return ['exit code 0'];
  return [`exit code ${outcome.exitCode} (${outcome.kind})`, ...outcome.reasons.map((reason) => `  - ${reason}`)];
}
