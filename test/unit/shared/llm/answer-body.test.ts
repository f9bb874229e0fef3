import { describe, expect, it } from 'vitest';
import { AnswerBody, BODY_BYTES_MAX } from '../../../../shared/llm/answer-body.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('the body of an answer', () => {
  it('is read once, whole, wherever it was cut', () => {
    const bytes = bytesOf('{"text":"Grüße"}');
    const body = new AnswerBody();
    for (let at = 0; at < bytes.length; at += 1) body.take(bytes.subarray(at, at + 1));
    // A client reads the next bytes into the same memory.
    bytes.fill(0);
    expect(body.read()).toBe('{"text":"Grüße"}');
    expect(body.read()).toBeNull();
  });

  it('above the limit is known for it, and not kept', () => {
    const body = new AnswerBody();
    body.take(new Uint8Array(BODY_BYTES_MAX));
    expect(body.isTooLong).toBe(false);
    body.take(new Uint8Array(1));
    expect(body.isTooLong).toBe(true);
    expect(body.read()).toBeNull();
  });

  it('leaves nothing for the next answer', () => {
    const body = new AnswerBody();
    body.take(new Uint8Array(BODY_BYTES_MAX + 1));
    body.reset();
    body.take(bytesOf('{}'));
    expect([body.isTooLong, body.read()]).toEqual([false, '{}']);
  });
});
