/** Irregularities and counts of LLM streams as `result.json` has them, each from its counter. */
import type { CounterName } from '../../shared/metrics/counters.ts';

/** Irregularities and counts of streams, by the name they have in `result.json`. */
export const LLM_COUNTS = {
  events: 'llm-events',
  chunks: 'llm-chunks',
  reasoningChunks: 'llm-reasoning-chunks',
  toolChunks: 'llm-tool-chunks',
  partialChunks: 'llm-partial-chunks',
  sharedArrivals: 'llm-shared-arrivals',
  comments: 'llm-comments',
  unreadableEvents: 'llm-unreadable-events',
  notStreamed: 'llm-not-streamed',
  withoutMarker: 'llm-without-marker',
  emptyAnswers: 'llm-empty',
  unseenPayload: 'llm-unseen-payload',
  gapsNotKept: 'llm-gaps-not-kept',
  tokenMismatches: 'llm-token-mismatch',
  severalChoices: 'llm-several-choices',
  leftOpen: 'llm-left-open',
  toolCalls: 'llm-tool-calls',
  usageAddedUp: 'llm-usage-added-up',
  hiddenReasoning: 'llm-hidden-reasoning',
} as const satisfies Readonly<Record<string, CounterName>>;

/** Their values, of the measured phases. */
export type LlmCounts = Readonly<Record<keyof typeof LLM_COUNTS, number>>;
