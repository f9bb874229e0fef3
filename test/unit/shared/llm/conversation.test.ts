import { describe, expect, it } from 'vitest';
import { holdsConversation, nextBody } from '../../../../shared/llm/conversation.ts';

const turn = { answer: 'Fine.', text: 'And you?', tokens: null };

function bodyOf(api: 'chat' | 'responses' | 'messages' | 'completions', before: unknown, next = turn): unknown {
  const body = nextBody(api, JSON.stringify(before), next);
  return body === null ? null : JSON.parse(body);
}

describe('the body of a next turn', () => {
  it('holds what was said before, the answer and the next question; the rest stays', () => {
    const before = { model: 'm', messages: [{ role: 'user', content: 'How are you?' }], stream: true, seed: 7 };
    const after = bodyOf('chat', before);
    expect(after).toEqual({
      ...before,
      messages: [
        { role: 'user', content: 'How are you?' },
        { role: 'assistant', content: 'Fine.' },
        { role: 'user', content: 'And you?' },
      ],
    });
    expect(Object.keys(after as object)).toEqual(Object.keys(before));
  });

  it('R086 keeps every digit of a seed', () => {
    const before = '{"messages":[{"role":"user","content":"u"}],"seed":12345678901234567890}';
    expect(nextBody('chat', before, turn)).toContain('"seed":12345678901234567890');
    expect(nextBody('chat', before.slice(1), turn)).toBeNull();
  });

  it('is none where the API takes no turn without text', () => {
    const before = { messages: [{ role: 'user', content: 'u' }] };
    for (const answer of ['', ' \n']) {
      expect(bodyOf('messages', before, { ...turn, answer })).toBeNull();
      expect(bodyOf('chat', before, { ...turn, answer })).not.toBeNull();
    }
  });

  it('grows turn by turn, and keeps a system message in front', () => {
    const first = JSON.stringify({
      messages: [
        { role: 'system', content: 's' },
        { role: 'user', content: 'u' },
      ],
    });
    const second = nextBody('messages', first, turn) ?? '';
    const third = JSON.parse(nextBody('messages', second, { ...turn, answer: 'x', text: 'y' }) ?? '') as {
      messages: { role: string }[];
    };
    expect(third.messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ]);
  });

  it('makes a list of the text that a responses body begins with', () => {
    expect(bodyOf('responses', { input: 'Hi', max_output_tokens: 5 })).toEqual({
      input: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Fine.' },
        { role: 'user', content: 'And you?' },
      ],
      max_output_tokens: 5,
    });
  });

  it('takes the length of the turn where it has one', () => {
    const after = nextBody('chat', '{"messages":[],"max_tokens":9}', {
      ...turn,
      tokens: { member: 'max_tokens', count: 3 },
    });
    expect(JSON.parse(after ?? '')).toMatchObject({ max_tokens: 3 });
  });

  it.each([['no JSON'], ['[]'], ['{}'], ['{"messages":"x"}'], ['{"messages":["x"]}']])('is none after %s', (before) => {
    expect(nextBody('chat', before, turn)).toBeNull();
  });

  it('is none for completions, which hold no conversation', () => {
    expect(holdsConversation('completions')).toBe(false);
    expect(bodyOf('completions', { prompt: 'x' })).toBeNull();
  });
});
