import { describe, expect, it } from 'vitest';
import { apiOfPath, readCompletionRequest } from '../../../../target/llm/completion-request.ts';

describe('requests to the reference LLM target', () => {
  it('knows the four paths', () => {
    expect(
      ['/v1/chat/completions', '/v1/completions', '/v1/responses', '/v1/messages', '/v1/embeddings'].map(apiOfPath),
    ).toEqual(['chat', 'completions', 'responses', 'messages', null]);
  });

  it('counts the words of every prompt text, and no key', () => {
    const body = {
      system: 'be brief',
      messages: [
        { role: 'user', content: 'one two' },
        { role: 'user', content: [{ type: 'text', text: 'three' }] },
      ],
    };
    expect(readCompletionRequest('messages', JSON.stringify(body))).toMatchObject({ promptTokens: 5, stream: false });
    expect(readCompletionRequest('completions', '{"prompt":[1,2,3]}')).toMatchObject({ promptTokens: 3 });
  });

  it.each([
    ['max_tokens', 'chat'],
    ['max_completion_tokens', 'chat'],
    ['max_output_tokens', 'responses'],
  ] as const)('takes %s as the length', (field, api) => {
    const read = readCompletionRequest(api, JSON.stringify({ messages: [], input: 'x', [field]: 9, ignore_eos: true }));
    expect(read).toMatchObject({ tokensMax: 9, ignoreEos: true });
  });

  it.each([
    ['{', /not JSON/],
    ['[]', /not a JSON object/],
    ['{}', /messages is missing/],
    ['{"messages":[],"max_tokens":0}', /max tokens 0 is not an integer in 1\.\./],
    ['{"messages":[],"max_tokens":1.5}', /max tokens 1\.5/],
  ])('refuses %s', (body, reason) => {
    const read = readCompletionRequest('chat', body);
    expect('refused' in read ? read.refused : '').toMatch(reason);
  });
});
