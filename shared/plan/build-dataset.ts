/**
 * From `data.dataset` to the rows that travel with the plan: reads the file or draws the lengths, selects, describes, and writes the data
 * file. Requests with an `llm` section and no prompt of their own take prompt and length from it.
 */

import { assertNever } from '../assert-never.ts';
import { FleetError } from '../fleet-error.ts';
import { readAiPerf } from '../llm-workload/aiperf.ts';
import { readAzureTrace, readBurstGpt } from '../llm-workload/csv-trace.ts';
import { describeRows } from '../llm-workload/describe-rows.ts';
import { type LengthSpread, prefixRows, randomRows, sonnetRows } from '../llm-workload/generated.ts';
import { mooncakeFormat, readHashTrace } from '../llm-workload/hash-trace.ts';
import { columnsOf, encodeRows, isGenerated, WORKLOAD_COLUMNS } from '../llm-workload/row-table.ts';
import { instantsOf, type Selection, selectRows } from '../llm-workload/select-rows.ts';
import { readShareGpt } from '../llm-workload/sharegpt.ts';
import { tokenCounterOf } from '../llm-workload/token-counter.ts';
import type { WorkloadRows } from '../llm-workload/workload-row.ts';
import { type Seed, seedFromBigInt } from '../random/seed.ts';
import { decodeDataText } from './data-rows.ts';
import type { DatasetText } from './dataset-grammar.ts';
import type { DataRows } from './plan.ts';
import type { RequestText } from './request-grammar.ts';
import type { Place } from './plan-field.ts';
import type { BlobCollector } from './plan-sources.ts';

/** A dataset, ready to travel. */
export interface BuiltDataset {
  readonly data: DataRows;
  /** Recorded instants from the first row, `speed` times faster; null where the rows have none. */
  readonly instants: (speed: number) => Float64Array | null;
}

/** What a dataset is made with. */
export interface DatasetContext {
  readonly seed: bigint;
  readonly blobs: BlobCollector;
  /** A fresh number that keeps the prompts of this run apart from those of others (R055). */
  readonly chooseSalt: () => bigint;
}

/** Makes a dataset. `rows` null: in order where the rows have instants, else `cycle`. @throws FleetError 'plan'. */
export function buildDataset(
  dataset: DatasetText,
  rows: DataRows['rows'] | null,
  context: DatasetContext,
): BuiltDataset {
  const seed = seedFromBigInt(context.seed);
  const source = 'file' in dataset.value ? dataset.value.file : `dataset ${dataset.kind}`;
  const read = readRows(dataset, source, seed, context.blobs);
  const selected = selectRows(read.rows, selectionOf(dataset), seed, source);
  const isTimed = (selected.rows[0]?.at ?? null) !== null;
  const isCacheFriendly = 'cacheFriendly' in dataset.value && dataset.value.cacheFriendly;
  const salt = isCacheFriendly ? '' : context.chooseSalt().toString(36);
  const data: DataRows = {
    file: context.blobs.add(`rows of ${source}`, encodeRows(selected.rows)),
    columns: [...columnsOf(selected.rows)],
    rowCount: selected.rows.length,
    rows: rows ?? (isTimed ? 'in-order' : 'cycle'),
    dataset: {
      kind: dataset.kind,
      source,
      parameters: { ...read.parameters, ...givenSelection(dataset) },
      leftOut: { ...read.leftOut, ...selected.leftOut },
      description: describeRows(selected.rows),
      recipe: isGenerated(selected.rows) ? { column: WORKLOAD_COLUMNS.indexOf('prompt'), salt } : null,
    },
  };
  return { data, instants: (speed) => instantsOf(selected.rows, speed, source) };
}

/** The request with prompt and length of the row, where it says nothing of its own. */
export function withDatasetPrompt(request: RequestText, place: Place): RequestText {
  const { llm } = request;
  if (llm === null) return request;
  const hasPrompt = llm.prompt !== null || llm.messages !== null;
  return {
    ...request,
    llm: {
      ...llm,
      prompt: hasPrompt ? llm.prompt : { value: '{{prompt}}', place },
      maxTokens: llm.maxTokens ?? '{{output_tokens}}',
    },
  };
}

function readRows(dataset: DatasetText, source: string, seed: Seed, blobs: BlobCollector): WorkloadRows {
  const textOf = (file: string): string => decodeDataText(blobs.readFile(file), file);
  const { kind, value } = dataset;
  switch (kind) {
    case 'azure':
      return readAzureTrace(textOf(value.file), source);
    case 'burstgpt':
      return readBurstGpt(textOf(value.file), source, value);
    case 'mooncake':
      return readHashTrace(textOf(value.file), source, { ...mooncakeFormat, blockTokens: value.blockTokens });
    case 'timedTrace':
      return readHashTrace(textOf(value.file), source, value);
    case 'sharegpt':
      return readShareGpt(
        textOf(value.file),
        source,
        {
          turnsMin: value.minTurns,
          inputTokensMin: value.minInputTokens,
          outputTokensMin: value.minOutputTokens,
          inputTokensMax: value.maxPromptTokens,
          totalTokensMax: value.maxTotalTokens,
          outputTokens: value.outputTokens,
          laterTurns: value.laterTurns,
        },
        tokenCounterOf(value.tokenizer, textOf),
      );
    case 'aiperf':
      return readAiPerf(textOf(value.file), source, value, tokenCounterOf(value.tokenizer, textOf));
    case 'sonnet':
      return sonnetRows(textOf(value.file), source, value, { seed, counter: tokenCounterOf(value.tokenizer, textOf) });
    case 'random':
      return randomRows({ ...value, spread: spreadOf(value.vllmRangeRatio, value.sglangRangeRatio) }, seed);
    case 'prefix':
      return prefixRows(
        {
          groups: value.groups,
          promptsPerGroup: value.promptsPerGroup,
          prefixTokens: value.prefixTokens,
          suffixTokens: value.suffixTokens,
          outputTokens: value.outputTokens,
        },
        seed,
      );
    default:
      return assertNever(kind);
  }
}

function spreadOf(vllm: number | null, sglang: number | null): LengthSpread {
  if (vllm !== null && sglang !== null)
    throw new FleetError('plan', 'vllmRangeRatio and sglangRangeRatio mean opposite things; give one');
  if (vllm !== null) return { kind: 'vllm', ratio: vllm };
  return sglang === null ? { kind: 'fixed' } : { kind: 'sglang', ratio: sglang };
}

function selectionOf({ value }: DatasetText): Selection {
  return {
    limit: value.limit,
    sample: value.sample,
    inputTokensMax: value.maxInputTokens,
    outputTokensMax: value.maxOutputTokens,
    tooLong: value.tooLong,
  };
}

/** The rules of selection that were given, for the report. */
function givenSelection({ value }: DatasetText): Record<string, number | string | boolean> {
  const given: Record<string, number | string | boolean> = {};
  if (value.limit !== null) given['limit'] = value.limit;
  if (value.sample !== null) given['sample'] = value.sample;
  if (value.maxInputTokens !== null) given['maxInputTokens'] = value.maxInputTokens;
  if (value.maxOutputTokens !== null) given['maxOutputTokens'] = value.maxOutputTokens;
  if (value.maxInputTokens !== null || value.maxOutputTokens !== null) given['tooLong'] = value.tooLong;
  if ('cacheFriendly' in value) given['cacheFriendly'] = value.cacheFriendly;
  return given;
}
