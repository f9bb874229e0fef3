/** The LLM workload that was sent, as `result.json` and the summary have it: its rules, its lengths, and how much of it a cache could answer. */

import type { LengthSummary } from '../../shared/llm-workload/describe-rows.ts';
import type { DataRows, Plan } from '../../shared/plan/plan.ts';
import { fitted, shareText } from './text-format.ts';

/** Below this share of different prompts the run says so (R055). */
const UNIQUE_SHARE_NOTED = 0.9;

/** The workload of a plan with a dataset. */
export interface DatasetValue {
  readonly kind: string;
  readonly source: string;
  readonly parameters: Readonly<Record<string, string | number | boolean | null>>;
  readonly leftOut: Readonly<Record<string, number>>;
  readonly rows: number;
  readonly dealt: string;
  readonly sessions: number;
  /** By the source; what the server counted is in `metrics`. */
  readonly inputTokens: LengthSummary;
  readonly outputTokens: LengthSummary | null;
  readonly prefixReuse: number;
  readonly uniquePrompts: number;
  /** Different prompts among those of the schedule; an expectation where rows are drawn with replacement. Null without an arrival. */
  readonly uniquePromptShare: number | null;
}

/** The value; null for a plan without a dataset. */
export function datasetValue({ data }: Plan, scheduled: number): DatasetValue | null {
  const dataset = data?.dataset ?? null;
  if (data === null || dataset === null) return null;
  const { kind, source, parameters, leftOut, description } = dataset;
  return {
    kind,
    source,
    parameters,
    leftOut,
    rows: description.rows,
    dealt: data.rows,
    sessions: description.sessions,
    inputTokens: description.inputTokens,
    outputTokens: description.outputTokens,
    prefixReuse: description.prefixReuse,
    uniquePrompts: description.uniquePrompts,
    uniquePromptShare: uniqueShare(data, scheduled),
  };
}

function uniqueShare(data: DataRows, scheduled: number): number | null {
  const { dataset, rows, rowCount } = data;
  if (dataset === null || scheduled === 0) return null;
  const unique = dataset.description.uniquePrompts;
  if (rows === 'random') return (unique * -Math.expm1(scheduled * Math.log1p(-1 / unique))) / scheduled;
  const isFreshEachPass = dataset.recipe !== null && dataset.recipe.salt !== '';
  return isFreshEachPass || scheduled <= rowCount ? unique / rowCount : unique / scheduled;
}

/** What is worth a word (R055). */
export function datasetWarnings(value: DatasetValue | null): readonly string[] {
  const share = value?.uniquePromptShare ?? null;
  if (share === null || share >= UNIQUE_SHARE_NOTED) return [];
  return [
    `only ${shareText(share)} of the prompts differ: a server that caches prompts answers the others faster (R055)`,
  ];
}

/** Lines of the summary. */
export function datasetLines(value: DatasetValue | null): readonly string[] {
  if (value === null) return [];
  const rules = Object.entries(value.parameters).map(([name, setting]) => `${name} ${String(setting)}`);
  const left = Object.entries(value.leftOut).map(([rule, count]) => `${rule} ${count}`);
  return [
    `dataset ${value.kind}: ${value.rows} rows of ${fitted(value.source, 120)}, ${value.dealt}`,
    `  rules            ${rules.join(', ')}`,
    ...(left.length === 0 ? [] : [`  left out         ${left.join(', ')}`]),
    `  input tokens     ${lengthText(value.inputTokens)}`,
    `  output tokens    ${lengthText(value.outputTokens)}`,
    `  prefix reuse     ${shareText(value.prefixReuse)} of input tokens; different prompts ${shareText(value.uniquePromptShare)}`,
  ];
}

function lengthText(lengths: LengthSummary | null): string {
  if (lengths === null) return 'not recorded';
  const { mean, p50, p90, p99, max } = lengths;
  return `mean ${mean.toFixed(1)}, p50 ${p50}, p90 ${p90}, p99 ${p99}, max ${max}`;
}
