import { describe, expect, it } from 'vitest';
import { serverTokens, tokenDifferences } from '../../../../bench/llm/server-counters.ts';

const llamaPage = (fresh: string, cached: string, predicted: string): string =>
  [
    '# HELP llamacpp:prompt_tokens_total Number of prompt tokens processed, excluding cached tokens',
    '# TYPE llamacpp:prompt_tokens_total counter',
    `llamacpp:prompt_tokens_total ${fresh}`,
    '# TYPE llamacpp:prompt_tokens_cached_total counter',
    `llamacpp:prompt_tokens_cached_total ${cached}`,
    '# TYPE llamacpp:tokens_predicted_total counter',
    `llamacpp:tokens_predicted_total ${predicted}`,
    '# TYPE llamacpp:requests_processing gauge',
    'llamacpp:requests_processing 0',
    '',
  ].join('\n');

const tokensOf = (page: string) => {
  const found = serverTokens(page);
  if (found === null) throw new Error('no counters');
  return found;
};

describe("a server's own token counters", () => {
  it("adds cached prompts, which llama.cpp counts apart, and knows its six digits' limits", () => {
    expect(serverTokens(llamaPage('1500', '20', '1.23457e+06'))).toEqual({
      server: 'llama.cpp',
      input: 1520,
      output: 1_234_570,
      inputSlack: 0,
      outputSlack: 5,
    });
  });

  it('adds up the engines of vLLM, and knows no page without a name that it knows', () => {
    const page = [0, 1]
      .flatMap((engine) => [
        `vllm:prompt_tokens_total{engine="${engine}"} 100.0`,
        `vllm:generation_tokens_total{engine="${engine}"} 7.0`,
      ])
      .join('\n');
    expect(serverTokens(page)).toMatchObject({ server: 'vLLM', input: 200, output: 14, outputSlack: 0 });
    expect(serverTokens('process_cpu_seconds_total 4')).toBeNull();
  });

  it('says what differs by more than the digits allow', () => {
    const before = tokensOf(llamaPage('10', '0', '1e+06'));
    const after = tokensOf(llamaPage('110', '5', '1.23457e+06'));
    expect(tokenDifferences(before, after, { input: 105, output: 234_577 })).toEqual([]);
    expect(tokenDifferences(before, after, { input: 104, output: 234_591 })).toEqual([
      'input tokens 104, by the server 105',
      'output tokens 234591, by the server 234570 +- 10',
    ]);
  });
});
