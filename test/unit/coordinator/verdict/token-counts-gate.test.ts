import { describe, expect, it } from 'vitest';
import { type TokenCountEvidence, tokenCountsGate } from '../../../../coordinator/verdict/token-counts-gate.ts';

const agreeing: TokenCountEvidence = {
  byUsage: 100,
  byChunks: 0,
  mismatches: 0,
  tokensInChunks: 2000,
  chunks: 2000,
  tokenizer: { answers: 0, tokens: 0, otherwise: 0 },
};

const gateOf = (changes: Partial<TokenCountEvidence>) => tokenCountsGate({ ...agreeing, ...changes });

describe('the gate on token counts', () => {
  it.each<[string, Partial<TokenCountEvidence>]>([
    ['all sources agree', {}],
    ['two answers of a hundred differ', { mismatches: 2 }],
    ['usage says that a chunk holds 8 tokens (R047)', { tokensInChunks: 16_000 }],
    ['no server sends usage', { byUsage: 0, byChunks: 100 }],
    ['a tokenizer counts what usage says', { tokenizer: { answers: 10, tokens: 1015, otherwise: 1000 } }],
    ['some have no usage, and a chunk is a token', { byChunks: 10, tokensInChunks: 2010 }],
  ])('passes when %s', (_what, changes) => {
    expect(gateOf(changes).kind).toBe('pass');
  });

  it('warns when more than 2 % of the answers contradict another source, and names both', () => {
    const gate = gateOf({ mismatches: 3, byChunks: 20 });
    expect(gate).toMatchObject({ kind: 'warn', measured: 3 / 120, limit: 0.02 });
    expect(gate.reason).toMatch(/of 100 answers are by usage, of 20 by chunks; those of 3 answers \(2\.50 %\) differ/);
  });

  it('warns when some are counted by chunks although usage says that a chunk holds more', () => {
    const gate = gateOf({ byChunks: 50, tokensInChunks: 4000 });
    expect(gate).toMatchObject({ kind: 'warn', measured: 0.5 });
    expect(gate.reason).toMatch(/a chunk holds 2\.00 tokens/);
  });

  it('warns when a tokenizer counts otherwise, and names it', () => {
    const gate = gateOf({ tokenizer: { answers: 10, tokens: 900, otherwise: 1000 } });
    expect(gate).toMatchObject({ kind: 'warn', measured: 0.1 });
    expect(gate.reason).toMatch(/the tokenizer counted 900 in 10 answers that have 1000 so \(10\.00 % apart\)/);
  });

  it('is not measured without an answer', () => {
    expect(gateOf({ byUsage: 0 }).kind).toBe('not-measured');
  });
});
