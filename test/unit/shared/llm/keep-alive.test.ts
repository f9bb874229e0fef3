import { describe, expect, it } from 'vitest';
import { isKeepAlive } from '../../../../shared/llm/keep-alive.ts';

describe('isKeepAlive', () => {
  it.each([
    ['ping', '{"type":"ping"}'],
    ['heartbeat', 'anything'],
    ['message', '{ "type": "ping" }'],
    ['message', '{"event":"keepalive"}'],
    ['message', ''],
    ['message', '  '],
  ])('an event %s with the data %j is one', (type, data) => {
    expect(isKeepAlive(type, data)).toBe(true);
  });

  it.each([
    ['error', ''],
    ['message', '[DONE]'],
    ['message', '{"choices":[{"delta":{"content":"ping"}}]}'],
    ['message', '{"type":"content_block_delta"}'],
    ['message', `{"type":"ping","text":"${'x'.repeat(300)}"}`],
  ])('an event %s with the data %j says something', (type, data) => {
    expect(isKeepAlive(type, data)).toBe(false);
  });
});
