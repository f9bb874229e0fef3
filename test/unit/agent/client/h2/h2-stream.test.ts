/** What the frames of one stream mean for its request: when it ends, and as what. */
import { describe, expect, it } from 'vitest';
import { AnswerHead } from '../../../../../agent/client/h2/answer-head.ts';
import { H2Exchange } from '../../../../../agent/client/h2/h2-exchange.ts';
import { H2Stream } from '../../../../../agent/client/h2/h2-stream.ts';
import { RecordingSink } from '../../../../support/recording-sink.ts';

/** A stream whose request was sent at 100. */
function start(wantsBytes = true) {
  const sink = Object.assign(new RecordingSink(), { wantsBytes });
  const request = { template: 0, method: 'GET', url: '', headers: [], body: null, identity: null };
  const exchange = new H2Exchange(request, sink, '', false);
  exchange.dispatchedNs = 100;
  sink.onSend(100);
  const stream = new H2Stream(1, exchange, 65_535);
  const head = (status: number, contentLength: number | null, nowNs: number): string | null =>
    stream.takeHead(Object.assign(new AnswerHead(), { status, contentLength }), false, nowNs);
  const data = (text: string, nowNs: number): string | null =>
    stream.takeData(Buffer.from(text), 0, text.length, nowNs);
  return { stream, sink, head, data };
}

describe('the end of an answer', () => {
  it.each([
    ['declared: at its last byte', 4, 300],
    ['of unknown length: at the frame that says so', null, 400],
  ])('%s', (_what, declared, endNs) => {
    const { stream, sink, head, data } = start();
    expect(head(200, declared, 200)).toBeNull();
    expect(data('some', 300)).toBeNull();
    stream.endAnswered(400);
    expect([sink.outcome, sink.firstByteNs, sink.endNs]).toEqual([{ kind: 'ok', status: 200 }, 200, endNs]);
  });

  it('with trailers: at the trailers', () => {
    const { stream, sink, head, data } = start();
    head(200, 4, 200);
    data('some', 300);
    expect(stream.takeHead(new AnswerHead(), true, 350)).toBeNull();
    stream.endAnswered(350);
    expect(sink.endNs).toBe(350);
  });

  it('R020 all bytes came before a reset or the end of the connection: at the last byte', () => {
    for (const end of ['reset', 'closed']) {
      const { stream, sink, head, data } = start();
      head(200, 4, 200);
      data('some', 300);
      if (end === 'reset') stream.endReset(1, 400);
      else stream.endClosed(null, 'ECONNRESET', false, 400);
      expect([sink.outcome, sink.endNs]).toEqual([{ kind: 'ok', status: 200 }, 300]);
    }
  });

  it('is counted though nobody wants its bytes', () => {
    const { stream, sink, head, data } = start(false);
    head(200, 4, 200);
    data('some', 300);
    stream.endAnswered(300);
    expect([sink.outcome, sink.body]).toEqual([{ kind: 'ok', status: 200 }, '']);
  });

  it('that never comes: interim heads have a limit', () => {
    const { head } = start();
    for (let count = 0; count < 10_000; count += 1) expect(head(103, null, 200)).toBeNull();
    expect(head(103, null, 200)).toBe('more than 10000 interim heads');
  });
});

describe('the class of a failure', () => {
  it.each([
    ['a code for a breach', 1, 'protocol'],
    ['flow control', 3, 'protocol'],
    ['an internal error', 2, 'reset'],
    ['cancelled', 8, 'reset'],
    ['calm', 11, 'reset'],
  ])('RST_STREAM with %s', (_name, code, failure) => {
    const { stream, sink } = start();
    stream.endReset(code, 400);
    expect(sink.outcome).toEqual({ kind: 'failed', class: failure, status: null, detail: `RST_STREAM ${code}` });
  });

  it('RST_STREAM inside an answer of known length says by which code', () => {
    const { stream, sink, head } = start();
    head(200, 4, 200);
    stream.endReset(2, 400);
    const detail = 'RST_STREAM 2, fewer bytes than Content-Length';
    expect(sink.outcome).toEqual({ kind: 'failed', class: 'truncated', status: 200, detail });
  });

  it.each([
    ['idle before, closed at once', null, true, 200, 'stale-connection'],
    ['idle before, closed long after', null, true, 60e9, 'reset'],
    ['idle before, with a word of farewell', 'GOAWAY 2', true, 200, 'reset'],
    ['busy', null, false, 200, 'reset'],
  ])('R016 a connection that was %s', (_name, farewell, wasIdle, nowNs, failure) => {
    const { stream, sink } = start();
    stream.endClosed(farewell, 'ECONNRESET', wasIdle, nowNs);
    expect(sink.outcome).toMatchObject({ class: failure, status: null });
  });
});
