import { describe, expect, it } from 'vitest';
import { LLM_COUNTS, type LlmCounts } from '../../../../coordinator/report/llm-counts.ts';
import { llmNotes, type LlmNoteSource } from '../../../../coordinator/report/llm-notes.ts';

const NO_COUNTS = Object.fromEntries(Object.keys(LLM_COUNTS).map((name) => [name, 0])) as LlmCounts;

/** The notes on 10 whole answers of 20 tokens, with these things otherwise. */
function notesOf(otherwise: Partial<LlmNoteSource> = {}): string {
  return llmNotes({
    counts: NO_COUNTS,
    tokenSources: { usage: 10, chunks: 0 },
    tokensPerChunk: 1,
    answersWithInput: 10,
    meanInput: 1020,
    promptTokens: { min: 1000, max: 1000 },
    gaps: 190,
    outputTokens: 200,
    lateTokens: 0,
    workNs: 10e9,
    ...otherwise,
  }).join('\n');
}

describe('notes on LLM numbers', () => {
  it('are none where nothing is odd, or nothing was measured', () => {
    expect(notesOf()).toBe('');
    expect(notesOf({ gaps: 0, outputTokens: 0, workNs: null, answersWithInput: 0 })).toBe('');
  });

  it('R055 say where prompts are not as long as was asked for', () => {
    expect(notesOf({ meanInput: 5128 })).toMatch(/counted 5128\.0 input tokens a prompt, the dataset 1000: /);
    expect(notesOf({ meanInput: 700 })).toMatch(/counted 700\.0/);
    expect(notesOf({ meanInput: 1500, promptTokens: { min: 10, max: 1000 } })).toMatch(/the dataset 10 to 1000/);
    // Templates of chats are longer than short prompts.
    for (const meanInput of [60, 900, null])
      expect(notesOf({ meanInput, promptTokens: { min: 4, max: 800 } })).toBe('');
    expect(notesOf({ meanInput: 5128, promptTokens: null })).toBe('');
  });

  it('R052 name chunks that were collected on the way', () => {
    const shared = (sharedArrivals: number): string => notesOf({ counts: { ...NO_COUNTS, sharedArrivals } });
    expect(shared(170)).toMatch(/a proxy that buffers or compresses.*ttft is too long/);
    expect(shared(95)).toBe('');
  });

  it('R059 say where a rate of tokens holds those of the drain', () => {
    expect(notesOf({ lateTokens: 80 })).toMatch(/^40\.0 % of the output tokens .* within it are 12\.0\/s$/);
    expect(notesOf({ lateTokens: 20 })).toBe('');
    expect(notesOf({ lateTokens: 80, workNs: null })).toBe('');
  });

  it('R040 R047 tell how tokens were counted that did not come one by one', () => {
    const counts = { ...NO_COUNTS, usageAddedUp: 3, hiddenReasoning: 4 };
    expect(notesOf({ counts })).toMatch(/^4 answers had reasoning .*\nusage of 3 answers counted each chunk/);
  });
});
