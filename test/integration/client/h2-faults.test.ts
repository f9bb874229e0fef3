/** The HTTP/2 client against a server whose every frame the test writes: ends of answers and of connections (R016, R020, R022). */
import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { H2Client } from '../../../agent/client/h2/h2-client.ts';
import { CODE, data, END_STREAM, FRAME, frame, goaway, okHead, rstStream, settings } from '../../support/h2-frames.ts';
import { clientOptions, closeOpened, keepOpened } from '../../support/opened.ts';
import { type FrameScript, startRawH2Server } from '../../support/raw-h2-server.ts';
import { type RecordingSink, sendRecorded } from '../../support/recording-sink.ts';

/** Sends `requests` one after the other to a server that answers as `script` says; gives their sinks, ended. */
async function ask(script: FrameScript, requests: number, body: Uint8Array | null = null): Promise<RecordingSink[]> {
  const server = keepOpened(await startRawH2Server(script));
  const client = keepOpened(new H2Client(clientOptions(server.url, { connectionsMax: 1 })));
  const sinks: RecordingSink[] = [];
  for (let index = 0; index < requests; index += 1) {
    const { sink } = sendRecorded(client, { url: server.url, method: body === null ? 'GET' : 'POST', body });
    await sink.done;
    sinks.push(sink);
  }
  return sinks;
}

afterEach(closeOpened);

/** Writes what is given in one piece, so that it arrives in one read. */
function write(socket: Socket, ...frames: readonly Buffer[]): void {
  socket.write(Buffer.concat(frames));
}

describe('the end of an HTTP/2 answer', () => {
  const cases: [string, FrameScript, object][] = [
    [
      'R020 DATA shorter than declared',
      (stream, socket) => write(socket, okHead(stream, 9), data(stream, 'some', END_STREAM)),
      { class: 'truncated', status: 200 },
    ],
    [
      'DATA longer than declared',
      (stream, socket) => write(socket, okHead(stream, 2), data(stream, 'some', END_STREAM)),
      { class: 'protocol', status: 200 },
    ],
    [
      'R022 RST_STREAM NO_ERROR inside an answer of unknown length',
      (stream, socket) => write(socket, okHead(stream, null), data(stream, 'some'), rstStream(stream, 0)),
      { class: 'truncated', status: 200 },
    ],
    [
      'R022 RST_STREAM NO_ERROR instead of an answer',
      (stream, socket) => write(socket, rstStream(stream, 0)),
      { class: 'reset', status: null },
    ],
    [
      'R022 RST_STREAM REFUSED_STREAM inside an answer: a server that has answered has not refused',
      (stream, socket) => write(socket, okHead(stream, null), data(stream, 'some'), rstStream(stream, 7)),
      { class: 'truncated', status: 200 },
    ],
    [
      'R020 all bytes came, then RST_STREAM CANCEL',
      (stream, socket) => write(socket, okHead(stream, 4), data(stream, 'some'), rstStream(stream, 8)),
      { kind: 'ok', status: 200 },
    ],
    [
      'R020 the connection closed inside an answer of unknown length',
      (stream, socket) => {
        write(socket, okHead(stream, null), data(stream, 'some'));
        setTimeout(() => socket.end(), 20);
      },
      { class: 'truncated', status: 200 },
    ],
    [
      'RST_STREAM HTTP_1_1_REQUIRED, which is no reset',
      (stream, socket) => write(socket, rstStream(stream, CODE.http11Required)),
      { class: 'protocol', status: null, detail: 'RST_STREAM 13: the server asks for HTTP/1.1' },
    ],
    [
      'R021 GOAWAY with the words of the server',
      (stream, socket) => write(socket, goaway(stream, 11, 'too_many_pings')),
      { class: 'reset', status: null, detail: 'GOAWAY 11: too_many_pings' },
    ],
    [
      'bytes that are no frames',
      (_stream, socket) => write(socket, frame(FRAME.headers, 4, 1, '\xff\xff\xff\xff\xff')),
      { class: 'protocol', status: null },
    ],
  ];
  it.each(cases)('%s', async (_name, script, expected) => {
    const [sink] = await ask(script, 1);
    expect(sink?.outcome).toMatchObject(expected);
  });

  it('a head of 1,000 fields is a head', async () => {
    const field = '\0\x03x-a\x01v'.repeat(1000);
    const head = (stream: number): Buffer => frame(FRAME.headers, 0x4, stream, `\x88${field}`);
    const sinks = await ask((stream, socket) => write(socket, head(stream), data(stream, 'ok', END_STREAM)), 2);
    for (const { outcome, body } of sinks) expect([outcome, body]).toEqual([{ kind: 'ok', status: 200 }, 'ok']);
  });

  it('R018 DATA frames without content have no limit', async () => {
    const [sink] = await ask((stream, socket) => {
      write(socket, okHead(stream, null), ...Array.from({ length: 3000 }, () => data(stream, '')));
      write(socket, data(stream, 'ok', END_STREAM));
    }, 1);
    expect(sink?.outcome).toEqual({ kind: 'ok', status: 200 });
  });

  it('R020 all bytes came, then a reset long after: the clock stops at the last byte', async () => {
    const [sink] = await ask((stream, socket) => {
      write(socket, okHead(stream, 4), data(stream, 'some'));
      setTimeout(() => write(socket, rstStream(stream, 8)), 300);
    }, 1);
    expect(sink?.outcome).toEqual({ kind: 'ok', status: 200 });
    expect(sink!.endNs! - sink!.firstByteNs!).toBeLessThan(250e6);
  });

  it.each([
    ['and RST_STREAM NO_ERROR', true],
    ['and the rest of the body never taken', false],
  ])('a whole answer before the body is sent counts: %s', async (_name, resets) => {
    const [sink] = await ask(
      (stream, socket) => {
        write(socket, okHead(stream, null), data(stream, 'too large', END_STREAM));
        if (resets) write(socket, rstStream(stream, 0));
      },
      1,
      Buffer.alloc(1_000_000),
    );
    expect(sink?.outcome).toEqual({ kind: 'ok', status: 200 });
    expect(sink?.body).toBe('too large');
  });
});

describe('the end of an HTTP/2 connection', () => {
  it('R016 a reused idle connection that was closed is stale, a fresh one is reset', async () => {
    const [first, second, third] = await ask((stream, socket, requests) => {
      if (requests === 1) write(socket, okHead(stream, null, END_STREAM));
      else socket.end();
    }, 3);
    expect(first?.outcome).toMatchObject({ kind: 'ok' });
    expect(second?.outcome).toMatchObject({ class: 'stale-connection' });
    expect(third?.outcome).toMatchObject({ kind: 'ok' });
    const [fresh] = await ask((_stream, socket) => socket.resetAndDestroy(), 1);
    expect(fresh?.outcome).toMatchObject({ class: 'reset', detail: 'ECONNRESET' });
  });

  it.each([
    [
      'before anything is heard of them: all are stale',
      false,
      ['stale-connection', 'stale-connection', 'stale-connection'],
    ],
    ['behind an answer to one: the others are reset', true, ['ok', 'reset', 'reset']],
  ])('R016 a reused idle connection that is closed under several requests, %s', async (_when, answersOne, expected) => {
    const server = keepOpened(
      await startRawH2Server((stream, socket, requests) => {
        if (requests === 1 || (requests === 2 && answersOne)) write(socket, okHead(stream, null, END_STREAM));
        if (requests === 4) socket.end();
      }),
    );
    const client = keepOpened(new H2Client(clientOptions(server.url, { connectionsMax: 1 })));
    await sendRecorded(client, { url: server.url }).sink.done;
    const sinks = [1, 2, 3].map(() => sendRecorded(client, { url: server.url }).sink);
    const ends = await Promise.all(sinks.map((sink) => sink.done));
    expect(ends.map((end) => (end.kind === 'ok' ? 'ok' : end.class))).toEqual(expected);
  });

  it.each([
    ['takes one of many requests and leaves: all are answered', 1, 'ok', 40],
    ['leaves at once: requests fail after eight moves', 0, 'reset', 0],
  ])('R021 a server that, connection for connection, %s', async (_what, taken, end, answers) => {
    let answered = 0;
    const server = keepOpened(
      await startRawH2Server((stream, socket, requests) => {
        if (requests > 1) return;
        answered += taken;
        const goaway = frame(FRAME.goaway, 0, 0, Uint8Array.of(0, 0, 0, taken, 0, 0, 0, 0));
        write(socket, ...(taken === 1 ? [okHead(stream, null, END_STREAM)] : []), goaway);
      }),
    );
    const client = keepOpened(new H2Client(clientOptions(server.url, { connectionsMax: 1 })));
    const sinks = Array.from({ length: 40 }, () => sendRecorded(client, { url: server.url }).sink);
    const ends = await Promise.all(sinks.map((sink) => sink.done));
    expect(ends.map((each) => (each.kind === 'ok' ? 'ok' : each.class))).toEqual(sinks.map(() => end));
    expect(answered).toBe(answers);
  });

  it.each([
    ['GOAWAY', (): Buffer => goaway(0, 2, 'busy'), 'GOAWAY 2: busy'],
    ['RST_STREAM', (stream: number): Buffer => rstStream(stream, CODE.refusedStream), 'RST_STREAM 7'],
  ])('R021 a request that servers go on refusing says by what words: %s', async (_frame, refusal, words) => {
    const [sink] = await ask((stream, socket) => write(socket, refusal(stream)), 1);
    expect(sink?.outcome).toMatchObject({ class: 'reset', detail: `${words}, refused unprocessed 9 times` });
  });

  it('R021 a server that asks for HTTP/1.1 is not asked again: what it left fails as protocol', async () => {
    const server = keepOpened(
      await startRawH2Server((stream, socket, requests) => {
        if (requests === 1) write(socket, okHead(stream, null));
        if (requests === 3) write(socket, data(1, 'half'), goaway(0, CODE.http11Required));
      }),
    );
    const client = keepOpened(new H2Client(clientOptions(server.url, { connectionsMax: 1 })));
    const sinks = [1, 2, 3].map(() => sendRecorded(client, { url: server.url }).sink);
    const detail = 'GOAWAY 13: the server asks for HTTP/1.1';
    expect(await sinks[0]?.done).toMatchObject({ class: 'truncated', status: 200, detail });
    for (const sink of sinks.slice(1)) expect(await sink.done).toMatchObject({ class: 'protocol', detail });
    expect([server.connections.length, client.counters.retries]).toEqual([1, 0]);
  });

  it('R021 a server that asks for HTTP/1.1 with its first words is not asked again either', async () => {
    const server = keepOpened(
      await startRawH2Server(() => undefined, {
        greeting: Buffer.concat([settings(), goaway(0, CODE.http11Required)]),
      }),
    );
    const client = keepOpened(new H2Client(clientOptions(server.url, { connectionsMax: 1 })));
    const sinks = [1, 2, 3].map(() => sendRecorded(client, { url: server.url }).sink);
    for (const sink of sinks) expect(await sink.done).toMatchObject({ class: 'protocol' });
    expect(server.connections.length).toBe(1);
  });
});
