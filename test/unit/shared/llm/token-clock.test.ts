import { expect, it } from 'vitest';
import type { StreamDelta } from '../../../../shared/llm/stream-delta.ts';
import { TokenClock } from '../../../../shared/llm/token-clock.ts';

const text: StreamDelta = { kind: 'payload', payload: 'text', text: 'x', call: null };

function usage(outputTokens: number): StreamDelta {
  return { kind: 'usage', usage: { inputTokens: null, outputTokens, cachedTokens: null, reasoningTokens: null } };
}

it('an end marker alone is no event, and one beside a finish reason is', () => {
  const clock = new TokenClock();
  clock.event([{ kind: 'done' }], 5);
  expect([clock.events, clock.done, clock.firstChunkNs]).toEqual([0, true, null]);
  clock.event([{ kind: 'finish', reason: 'stop' }, { kind: 'done' }], 6);
  expect([clock.events, clock.firstChunkNs]).toEqual([1, 6]);
});

it('gaps per token follow the running count of the server, until it stops counting', () => {
  const clock = new TokenClock();
  clock.event([text, usage(2)], 100);
  clock.event([text, usage(5)], 160);
  expect([clock.firstChunkTokens, clock.tokenGaps.count, clock.tokenGaps.sum]).toEqual([2, 3, 60]);
  clock.event([text], 200);
  clock.event([text, usage(9)], 300);
  expect([clock.tokensPerChunkKnown, clock.tokenGaps.count, clock.gaps.count]).toEqual([false, 3, 3]);
});

it('keeps the first error, and starts anew after reset', () => {
  const clock = new TokenClock();
  clock.event([{ kind: 'error', code: null, message: 'first' }], 1);
  clock.event([{ kind: 'error', code: null, message: 'second' }, text, { kind: 'unreadable' }], 2);
  expect([clock.error?.message, clock.unreadable]).toEqual(['first', 1]);
  clock.reset();
  expect(clock).toEqual(new TokenClock());
});
