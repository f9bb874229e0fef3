/** The plan's `llm` section of a request: what is asked of an LLM server, and how its answer is read. */

import { LLM_APIS } from '../llm/stream-delta.ts';
import { jsonField } from './json-field.ts';
import { booleanField, integerField, placed, scalarField, textField, valueError, wordField } from './plan-field.ts';
import { quoted } from './problem-list.ts';
import { optional, recordField, required, type ValueOf } from './record-field.ts';

/** Most output tokens that can be asked for. */
const TOKENS_MAX = 10_000_000;
/** Sent where the plan has no prompt. */
export const DEFAULT_PROMPT = 'Tell a story about a lighthouse keeper who measures time.';

const tokenCount = integerField(1, TOKENS_MAX);

export const llmKeys = {
  api: required(
    wordField(LLM_APIS),
    'API of the server: OpenAI-compatible `chat`, `completions` or `responses`, or Anthropic-style `messages`. Gives path, headers and body.',
  ),
  model: optional(
    textField({ max: 200, what: 'a model name' }),
    'Model, as sent. May hold `{{column}}`.',
    'default',
    'default',
  ),
  stream: optional(booleanField(), 'Ask for the answer as an event stream.', true, 'true'),
  prompt: optional(
    placed(textField({ min: 0, max: 1_048_576, what: 'text' })),
    'What the user says. May hold `{{column}}`.',
    null,
    'a short sentence, unless there are messages',
  ),
  messages: optional(
    placed(jsonField('a list of messages such as [{role: user, content: Hi}], or JSON text', 'sequence')),
    'The whole conversation instead of `prompt`, or `{{column}}` with JSON in it.',
    null,
    'none',
  ),
  maxTokens: optional(
    scalarField(`${tokenCount.words}, or {{column}}`, { type: ['integer', 'string'] }, parseMaxTokens),
    'Most output tokens of an answer. The messages API demands it.',
    null,
    "the server's own limit",
  ),
  maxTokensName: optional(
    wordField(['max_tokens', 'max_completion_tokens']),
    'Under which name chat and completions send `maxTokens`.',
    'max_tokens',
    'max_tokens',
  ),
  ignoreEos: optional(
    booleanField(),
    'Ask the server to go on to `maxTokens` whatever the model says (vLLM, SGLang).',
    false,
    'false',
  ),
  includeUsage: optional(
    booleanField(),
    'Ask for token counts at the end of a stream (`stream_options.include_usage`).',
    true,
    'true',
  ),
  continuousUsage: optional(
    booleanField(),
    'Ask for token counts in every chunk (vLLM): then `itl` is per token whatever a chunk holds.',
    false,
    'false',
  ),
  extraBody: optional(
    jsonField('a mapping, or JSON text', 'mapping'),
    'More members of the body, sent behind the others; the same name replaces.',
    '{}',
    'none',
  ),
  strictEnd: optional(
    booleanField(),
    'A stream without its end marker failed, even after a finish reason.',
    false,
    'false',
  ),
  tokenizer: optional(
    placed(textField({ max: 4096, what: 'a tokenizer' })),
    'Counts the output tokens of a sample of the answers as well, beside usage and chunks: `words`, `o200k_base`, `cl100k_base`, `p50k_base`, `r50k_base`, `gpt2`, or a tokenizer.json from the folder of the plan.',
    null,
    'none',
  ),
  apiKeyEnv: optional(
    placed(scalarField('the name of an environment variable', { type: 'string' }, parseVariableName)),
    'Environment variable with the API key. Its value is hidden in all output.',
    null,
    'no key',
  ),
};

export const llmField = recordField(llmKeys, 'an LLM request');

/** The section as read. */
export type LlmText = ValueOf<typeof llmKeys>;

/** A number of tokens, or a template for one. */
function parseMaxTokens(text: string): number | string {
  if (/^\{\{[^{}]+\}\}$/.test(text)) return text;
  const value = Number(text);
  if (/^[0-9]{1,8}$/.test(text) && value >= 1 && value <= TOKENS_MAX) return value;
  throw valueError(`${quoted(text)} is neither ${tokenCount.words} nor {{column}}`);
}

function parseVariableName(text: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(text)) return text;
  throw valueError('is not the name of an environment variable; the key itself does not belong into a plan');
}
