import { describe, expect, it } from 'vitest';
import { factsOfText } from '../../../../bench/llm/trace-facts.ts';

const AZURE =
  'TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 18:15:46.6805900,374,44\r\n2023-11-16 18:15:50.9951690,396,0\r\n2023-11-16 18:15:52.6805900,10,300\r\n';

describe('facts of a trace', () => {
  it('are those of all rows: an answer of no token is one of one', () => {
    const facts = factsOfText('azure', AZURE);
    expect(facts).toMatchObject({ requests: 3, inputTokens: 780, outputTokens: 345 });
    expect(facts.lengthSeconds).toBeCloseTo(6, 2);
  });

  it('are those of the first rows, with answers cut, where the replay is', () => {
    expect(factsOfText('azure', AZURE, { limit: 2, maxOutputTokens: 40 })).toMatchObject({
      requests: 2,
      inputTokens: 770,
      outputTokens: 41,
    });
  });
});
