/** What the reader of the LLM numbers must know, in words: the notes of the section `llm`. */
import type { LlmCounts } from './llm-counts.ts';
import { perSecondOver } from './scope-data.ts';

/** What they are made from: ok answers of the measured phases. */
export interface LlmNoteSource {
  readonly counts: LlmCounts;
  readonly tokenSources: { readonly usage: number; readonly chunks: number };
  readonly tokensPerChunk: number | null;
  /** Answers whose usage told their input. */
  readonly answersWithInput: number;
  /** Their mean input by usage; null without any. */
  readonly meanInput: number | null;
  /** Shortest and longest prompt of the dataset by its own count; null where turns carry more, or there is no dataset. */
  readonly promptTokens: { readonly min: number; readonly max: number } | null;
  /** Gaps between chunks. */
  readonly gaps: number;
  readonly outputTokens: number;
  /** Those of them whose answers ended behind the scheduled length. */
  readonly lateTokens: number;
  /** What rates of tokens are over; null where that is not known. */
  readonly workNs: number | null;
}

/** Above it a chunk gap is no token gap (R047). */
const TOKENS_PER_CHUNK_NOTED = 1.2;
/** Share of gaps that are 0 because one read brought several chunks, above which something on the way collects them (R052). */
const SHARED_NOTED = 0.5;
/** A mean input this far outside of all prompts of the dataset is another load; a chat template adds some tens of tokens. */
const INPUT_NOTED = { part: 0.2, tokens: 64 } as const;
/** Share of tokens of late answers above which a rate of tokens is another one than the server's. */
const LATE_NOTED = 0.1;

/** The notes, the most general first. */
export function llmNotes(source: LlmNoteSource): readonly string[] {
  return [...inputNotes(source), ...promptNotes(source), ...rateNotes(source), ...countNotes(source)];
}

/** A sum over some of the answers beside one over all of them. */
function inputNotes({ answersWithInput, tokenSources: { usage, chunks } }: LlmNoteSource): readonly string[] {
  const answers = usage + chunks;
  if (answersWithInput === 0 || answersWithInput === answers) return [];
  return [
    `input tokens are those of ${answersWithInput} of ${answers} answers: for the others the server told none, so all tokens per second is too low`,
  ];
}

/** Prompts are as long as the server's tokenizer makes them, whatever the dataset asks for. */
function promptNotes({ meanInput, promptTokens }: LlmNoteSource): readonly string[] {
  if (meanInput === null || promptTokens === null) return [];
  const { min, max } = promptTokens;
  const { part, tokens } = INPUT_NOTED;
  if (meanInput >= min * (1 - part) - tokens && meanInput <= max * (1 + part) + tokens) return [];
  const asked = min === max ? String(min) : `${min} to ${max}`;
  return [
    `the server counted ${meanInput.toFixed(1)} input tokens a prompt, the dataset ${asked}: it has another tokenizer, or other text around the prompt`,
  ];
}

/** Answers of the drain count, its time does not: the server gave their tokens in more time than the rate says. */
function rateNotes({ outputTokens, lateTokens, workNs }: LlmNoteSource): readonly string[] {
  if (workNs === null || workNs === 0 || lateTokens <= LATE_NOTED * outputTokens) return [];
  const percent = ((100 * lateTokens) / outputTokens).toFixed(1);
  const perSecond = perSecondOver(outputTokens - lateTokens, workNs).toFixed(1);
  return [
    `${percent} % of the output tokens are of answers that ended behind the scheduled length: tokens per second count them and not that time; those of answers that ended within it are ${perSecond}/s`,
  ];
}

function countNotes({ counts, tokenSources: sources, tokensPerChunk, gaps }: LlmNoteSource): readonly string[] {
  const answers = sources.usage + sources.chunks;
  const notes: string[] = [];
  if (sources.chunks > 0) {
    notes.push(`output tokens of ${sources.chunks} of ${answers} answers are chunks: the server sent no usage`);
  }
  if (counts.hiddenReasoning > 0) {
    notes.push(
      `${counts.hiddenReasoning} answers had reasoning that the server counted and did not send: times per token are of the tokens that came, ttft holds the reasoning`,
    );
  }
  if (counts.usageAddedUp > 0) {
    notes.push(
      `usage of ${counts.usageAddedUp} answers counted each chunk for itself and told no sum: their output tokens are its counts added up`,
    );
  }
  if (tokensPerChunk !== null && tokensPerChunk > TOKENS_PER_CHUNK_NOTED) {
    notes.push(
      `a chunk holds ${tokensPerChunk.toFixed(2)} tokens on average: chunkGap is no gap between tokens; read tpot`,
    );
  }
  if (gaps > 0 && counts.sharedArrivals > SHARED_NOTED * gaps) {
    notes.push(
      'most chunks came in the read of the chunk before: they are made faster than they travel, or collected on the way (a proxy that buffers or compresses): then ttft is too long, and times between tokens are too short',
    );
  }
  if (counts.unseenPayload > 0) {
    notes.push(
      `${counts.unseenPayload} answers had tokens by usage and no payload that was recognised: they have no token times`,
    );
  }
  if (counts.emptyAnswers > 0) notes.push(`${counts.emptyAnswers} answers were empty: they have no token times`);
  if (counts.notStreamed > 0) notes.push(`${counts.notStreamed} answers came whole although a stream was asked for`);
  if (counts.withoutMarker > 0) notes.push(`${counts.withoutMarker} streams ended without an end marker`);
  if (counts.leftOpen > 0) {
    notes.push(
      `${counts.leftOpen} streams ended with their end marker alone: behind it the connection broke, or had not ended the answer a second later`,
    );
  }
  if (counts.severalChoices > 0) {
    notes.push(
      `${counts.severalChoices} answers had several choices (n above 1): their gaps and times per token are of all choices together, shorter than those of each`,
    );
  }
  if (counts.unreadableEvents > 0) notes.push(`${counts.unreadableEvents} events could not be read`);
  if (counts.gapsNotKept > 0) notes.push(`${counts.gapsNotKept} gaps of very long streams are in no series`);
  return notes;
}
