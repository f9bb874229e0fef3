import { describe, expect, it } from 'vitest';
import { EXAMPLES_PER_CLASS, FailureExamples, normaliseDetail } from '../../../../agent/worker/failure-examples.ts';

describe('failure examples', () => {
  it('R095 takes out what differs from request to request', () => {
    const texts = [
      'connect to http://10.0.0.1:8080/items/17?token=s3cret failed',
      'request 4711 to user 0f8fad5b-d9cb-469f-a165-70867728950e timed out\u0000\u001b[31m',
    ];
    const shown = texts.map(normaliseDetail);
    expect(shown[0]).toBe('connect to <url> failed');
    expect(shown[1]).not.toMatch(/4711|0f8fad5b|\p{Cc}/u);
    expect(normaliseDetail('x'.repeat(5000)).length).toBeLessThanOrEqual(120);
  });

  it('R042 R095 keeps the codes of status and server, and no other number', () => {
    expect(normaliseDetail('status 400, server error 400: asked for 4321 tokens of 4096')).toBe(
      'status 400, server error 400: asked for # tokens of #',
    );
    expect(normaliseDetail('server error 500: worker 17 died')).toBe('server error 500: worker # died');
    expect(normaliseDetail('status 503')).toBe('status 503');
    expect(normaliseDetail('server error 123456: no')).toBe('server error #: no');
    for (const text of ['grpc-status 13', 'RST_STREAM 11', 'GOAWAY 2']) expect(normaliseDetail(text)).toBe(text);
    expect(normaliseDetail('grpc-status 4711')).toBe('grpc-status #');
  });

  it('R095 is capped per class, whatever a server invents, and still counts each', () => {
    const examples = new FailureExamples();
    const letters = 'abcdefghijklmnopqrstuvwxyz';
    for (const first of letters) for (const second of letters) examples.note('protocol', `oddity ${first}${second}`);
    examples.note('http-status', 'status 503');
    const taken = examples.take();
    expect(taken.filter((example) => example.class === 'protocol')).toHaveLength(EXAMPLES_PER_CLASS + 1);
    expect(taken.reduce((sum, { count }) => sum + count, 0)).toBe(26 * 26 + 1);
    expect(taken).toContainEqual({ class: 'http-status', detail: 'status 503', count: 1 });
    expect(examples.take()).toEqual([]);
  });
});
