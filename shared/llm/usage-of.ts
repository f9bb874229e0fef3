/** Token counts from the `usage` members of the APIs, brought to one meaning (`Usage`). */

import { asCount, asObject } from './json-value.ts';
import type { Usage } from './stream-delta.ts';

/** Usage as the OpenAI-compatible APIs write it: prompt/completion (chat, completions) or input/output (responses). */
export function openAiUsage(value: unknown): Usage | null {
  const usage = asObject(value);
  if (usage === null) return null;
  const inputDetails = asObject(usage['prompt_tokens_details'] ?? usage['input_tokens_details']);
  const outputDetails = asObject(usage['completion_tokens_details'] ?? usage['output_tokens_details']);
  // Gateways between two APIs write the names of both, and fill one pair.
  const inputTokens = promptTokens(larger(asCount(usage['prompt_tokens']), asCount(usage['input_tokens'])));
  const answered = larger(asCount(usage['completion_tokens']), asCount(usage['output_tokens']));
  const reasoningTokens = asCount(outputDetails?.['reasoning_tokens'] ?? usage['reasoning_tokens']);
  const total = asCount(usage['total_tokens']);
  const cachedTokens = asCount(
    // DeepSeek's and Moonshot's own names.
    inputDetails?.['cached_tokens'] ?? usage['prompt_cache_hit_tokens'] ?? usage['cached_tokens'],
  );
  const found: Usage = {
    inputTokens,
    outputTokens: outputOf(answered, reasoningTokens, total, inputTokens),
    cachedTokens,
    reasoningTokens,
  };
  if (found.inputTokens === null && found.outputTokens === null) return null;
  return withTotal(found, total);
}

/**
 * Usage whose total holds more tokens than its parts: those of the cache, where they are as many; else reasoning, which gateways before
 * Gemini put into the total alone.
 */
function withTotal(usage: Usage, total: number | null): Usage {
  const { inputTokens, outputTokens, cachedTokens, reasoningTokens } = usage;
  if (total === null || inputTokens === null || outputTokens === null || reasoningTokens !== null) return usage;
  const more = total - inputTokens - outputTokens;
  if (more <= 0) return usage;
  if (more === cachedTokens) return { ...usage, inputTokens: inputTokens + more };
  return { ...usage, outputTokens: outputTokens + more, reasoningTokens: more };
}

/**
 * Some servers leave reasoning out of the output tokens (xAI's), some leave out the output itself: then the total holds them. More reasoning
 * than output is no part of it, whatever the total says.
 */
function outputOf(
  answered: number | null,
  reasoning: number | null,
  total: number | null,
  input: number | null,
): number | null {
  if (answered !== null && reasoning !== null && reasoning > answered) return answered + reasoning;
  if (total === null || input === null) return answered;
  if (answered === null) return total < input ? null : total - input;
  if (reasoning === null) return answered;
  return total === input + answered + reasoning ? answered + reasoning : answered;
}

/** Usage as the messages API writes it: input without what the cache gave, which is added here. */
export function messagesUsage(value: unknown): Usage | null {
  const usage = asObject(value);
  if (usage === null) return null;
  const fresh = asCount(usage['input_tokens']);
  const read = asCount(usage['cache_read_input_tokens']);
  const written = asCount(usage['cache_creation_input_tokens']);
  const outputTokens = asCount(usage['output_tokens']);
  if (fresh === null && outputTokens === null) return null;
  return {
    inputTokens: fresh === null ? null : promptTokens(fresh + (read ?? 0) + (written ?? 0)),
    outputTokens,
    cachedTokens: read,
    reasoningTokens: null,
  };
}

/** No prompt has 0 tokens: that is what servers write that have not counted it, or not yet. */
function promptTokens(count: number | null): number | null {
  return count === 0 ? null : count;
}

/**
 * The later usage over the earlier: a member that is not said again stays (the messages API tells input first, output last). An input
 * does not shrink: gateways repeat it at the end without its cached part, or as 0. Nor does an output: it is a running count.
 */
export function laterUsage(earlier: Usage | null, later: Usage): Usage {
  if (earlier === null) return later;
  return {
    inputTokens: larger(earlier.inputTokens, later.inputTokens),
    outputTokens: larger(earlier.outputTokens, later.outputTokens),
    cachedTokens: larger(earlier.cachedTokens, later.cachedTokens),
    reasoningTokens: larger(earlier.reasoningTokens, later.reasoningTokens),
  };
}

function larger(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}
