/** From a synthetic run to its result, with the checks that hold for every output: its schema, and no NaN or Infinity (R093). */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { createRunMerge, type RunMerge, type TakeRequests } from '../../coordinator/merge/run-merge.ts';
import { resultSchema } from '../../coordinator/report/result-schema.ts';
import type { ResultValue } from '../../coordinator/report/result-value.ts';
import { buildRunResult, type RunResult } from '../../coordinator/report/run-result.ts';
import type { AgentReport } from '../../shared/metrics/agent-report.ts';
import type { RunRecord } from '../../coordinator/run/run-record.ts';
import type { SyntheticRun } from './synthetic-run.ts';

const validate = new Ajv2020({ allErrors: true }).compile(resultSchema);

/** What is wrong with a value of `result.json`, as readable texts; empty when it is as published. */
export function schemaErrors(value: unknown): readonly string[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message ?? ''}`);
}

/** A merge of `reports`; every report must be taken or be known. */
export function mergeOf(
  run: Pick<SyntheticRun, 'record' | 'slots'>,
  reports: readonly AgentReport[],
  onRequests: TakeRequests = () => undefined,
): RunMerge {
  const { runId, trial, plan } = run.record;
  const merge = createRunMerge({ runId, trial, plan, slots: run.slots, onRequests });
  for (const report of reports) {
    const outcome = merge.apply(report);
    if (outcome.kind === 'rejected') throw new Error(outcome.reason);
  }
  return merge;
}

/** The result of a synthetic run, after a round trip through JSON, checked against the published schema. */
export function resultOf(
  run: SyntheticRun,
  options: { readonly record?: Partial<RunRecord>; readonly reports?: readonly AgentReport[] } = {},
): RunResult {
  const merge = mergeOf(run, options.reports ?? run.reports);
  return checkedResult({ ...run.record, ...options.record }, merge);
}

/** The result of a merge, checked as above. */
export function checkedResult(record: RunRecord, merge: RunMerge): RunResult {
  const result = buildRunResult(record, merge, new Map());
  const stored = JSON.parse(result.files.get('result.json') ?? '') as ResultValue;
  const errors = schemaErrors(stored);
  if (errors.length > 0) throw new Error(`result.json breaks its schema:\n${errors.slice(0, 10).join('\n')}`);
  for (const [name, text] of result.files) {
    const found = /\b(NaN|-?Infinity|undefined)\b/.exec(name.endsWith('.hlog') ? '' : text);
    if (found !== null) throw new Error(`${name} holds ${found[0]}`);
  }
  return { ...result, value: stored };
}
