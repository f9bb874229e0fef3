/** The plan's `data.dataset` section: LLM workloads from files and laws. What they mean: `shared/llm-workload`; put together in `build-dataset.ts`. */

import { booleanField, fileNameField, integerField, numberField, placed, textField, wordField } from './plan-field.ts';
import { choiceField, optional, recordField, required } from './record-field.ts';

const fileKey = required(fileNameField, 'File, from the folder of the plan.');
const tokens = (min: number) => integerField(min, 10_000_000);
const rowCount = integerField(1, 10_000_000);

/** Keys of every dataset. */
const selectionKeys = {
  limit: optional(rowCount, 'The first so many rows, after all other rules.', null, 'all'),
  sample: optional(rowCount, 'So many rows, drawn by the seed without replacement.', null, 'all'),
  maxInputTokens: optional(tokens(1), 'Rows with a longer input are left out or cut.', null, 'none'),
  maxOutputTokens: optional(tokens(1), 'Rows with a longer output are left out or cut.', null, 'none'),
  tooLong: optional(
    wordField(['leave-out', 'cut']),
    'What happens to rows above a maximum; only generated prompts can be cut.',
    'leave-out',
    'leave-out',
  ),
};

/** Keys of those whose prompts are texts. */
const textKeys = {
  ...selectionKeys,
  tokenizer: optional(
    textField({ max: 4096, what: 'a tokenizer' }),
    'Counts tokens of the texts: `words` (words and punctuation marks), `o200k_base`, `cl100k_base`, `p50k_base`, `r50k_base`, `gpt2`, or a tokenizer.json from the folder of the plan.',
    'words',
    'words',
  ),
};

/** Keys of those whose prompts are generated. */
const generatedKeys = {
  ...selectionKeys,
  cacheFriendly: optional(
    booleanField(),
    'The same words in every run, trial and pass. Off, each has its own, so that no prompt is in the cache of a server from before.',
    false,
    'false',
  ),
};

const lengthKeys = {
  inputTokens: optional(tokens(1), 'Tokens of a prompt.', 1024, '1024'),
  outputTokens: optional(tokens(1), 'Tokens of an answer.', 128, '128'),
};

const hashKeys = {
  blockTokens: integerField(1, 1_000_000),
};

/** A key that names a field of a trace's lines. */
function traceField(meaning: string, usual: string) {
  return optional(textField({ max: 200, what: 'a field name' }), meaning, usual, usual);
}

/** Keys by kind, for the reference page. */
export const DATASET_KEYS = {
  azure: { file: fileKey, ...generatedKeys },
  burstgpt: {
    file: fileKey,
    model: optional(
      textField({ max: 200, what: 'a model name' }),
      "Rows of this model alone; vLLM's reader takes GPT-4.",
      null,
      'all',
    ),
    ...generatedKeys,
  },
  mooncake: {
    file: fileKey,
    blockTokens: optional(hashKeys.blockTokens, 'Tokens of a hashed block.', 512, '512'),
    ...generatedKeys,
  },
  timedTrace: {
    file: fileKey,
    blockTokens: optional(hashKeys.blockTokens, 'Tokens of a hashed block.', 16, '16'),
    unit: optional(wordField(['s', 'ms', 'us', 'ns']), 'Unit of the timestamps.', 's', 's'),
    timestamp: traceField('Field of the instant.', 'timestamp'),
    inputLength: traceField('Field of the input tokens.', 'input_length'),
    outputLength: traceField('Field of the output tokens.', 'output_length'),
    hashIds: traceField('Field of the block hashes.', 'hash_ids'),
    ...generatedKeys,
  },
  sharegpt: {
    file: fileKey,
    minTurns: optional(integerField(1, 1000), 'Fewer turns: left out.', 2, '2'),
    minInputTokens: optional(tokens(0), 'A shorter prompt: left out.', 4, '4'),
    minOutputTokens: optional(tokens(0), 'A shorter recorded answer: left out; not with outputTokens.', 4, '4'),
    maxPromptTokens: optional(tokens(1), 'A longer prompt: left out.', 1024, '1024'),
    maxTotalTokens: optional(tokens(1), 'Prompt and answer longer: left out.', 2048, '2048'),
    outputTokens: optional(tokens(1), 'Every answer this long.', null, 'as recorded'),
    laterTurns: optional(
      wordField(['first', 'send']),
      'The first question of a conversation alone, as vLLM does, or all of its questions as one session. The rules look at the first. As sessions, conversations in which question and answer do not take turns are left out.',
      'first',
      'first',
    ),
    ...textKeys,
  },
  aiperf: {
    file: fileKey,
    laterTurns: optional(
      wordField(['send', 'first', 'refuse']),
      'Sessions of several turns: all of their turns, the first turn of each, or refused.',
      'send',
      'send',
    ),
    ...textKeys,
  },
  sonnet: {
    file: fileKey,
    count: optional(rowCount, 'Prompts to make.', 1000, '1000'),
    prefixTokens: optional(tokens(0), 'Of them the first lines of the file, the same for all.', 200, '200'),
    inputTokens: optional(tokens(1), 'Tokens of a prompt.', 550, '550'),
    outputTokens: optional(tokens(1), 'Tokens of an answer.', 150, '150'),
    ...textKeys,
  },
  random: {
    count: optional(rowCount, 'Prompts to make.', 1000, '1000'),
    ...lengthKeys,
    prefixTokens: optional(tokens(0), 'Tokens in front of every prompt, the same for all.', 0, '0'),
    vllmRangeRatio: optional(
      numberField({ min: 0, max: 0.999999 }),
      "vLLM's random-range-ratio r: lengths uniform on L(1-r) .. L(1+r).",
      null,
      'fixed lengths',
    ),
    sglangRangeRatio: optional(
      numberField({ min: 0, max: 1 }),
      "SGLang's random-range-ratio r: lengths uniform on L*r .. L. The opposite of vLLM's.",
      null,
      'fixed lengths',
    ),
    ...generatedKeys,
  },
  prefix: {
    groups: optional(rowCount, 'Groups, each with a prefix of its own.', 10, '10'),
    promptsPerGroup: optional(rowCount, 'Prompts of a group.', 100, '100'),
    prefixTokens: optional(tokens(1), 'Tokens of the prefix.', 256, '256'),
    suffixTokens: optional(tokens(1), "Tokens of a prompt's own.", 256, '256'),
    outputTokens: optional(tokens(1), 'Tokens of an answer.', 128, '128'),
    ...generatedKeys,
  },
};

const datasets = {
  azure: recordField(DATASET_KEYS.azure, 'an Azure LLM trace'),
  burstgpt: recordField(DATASET_KEYS.burstgpt, 'a BurstGPT trace'),
  mooncake: recordField(DATASET_KEYS.mooncake, 'a Mooncake trace'),
  timedTrace: recordField(DATASET_KEYS.timedTrace, "a trace of vLLM's timed_trace kind"),
  sharegpt: recordField(DATASET_KEYS.sharegpt, 'ShareGPT conversations'),
  aiperf: recordField(DATASET_KEYS.aiperf, "AIPerf's JSON lines"),
  sonnet: recordField(DATASET_KEYS.sonnet, 'lines of a text'),
  random: recordField(DATASET_KEYS.random, 'random lengths'),
  prefix: recordField(DATASET_KEYS.prefix, 'prefix groups'),
};

/** One dataset, by kind. */
export const datasetField = placed(choiceField(datasets, `a mapping with one of ${Object.keys(datasets).join(', ')}`));

/** A dataset as read. */
export type DatasetText = Exclude<ReturnType<typeof datasetField.read>, symbol>['value'];
