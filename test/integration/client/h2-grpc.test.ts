/** R036: what a gRPC call came to is its `grpc-status`, not the status of HTTP. */
import { afterEach, describe, expect, it } from 'vitest';
import { data, END_STREAM, head, rstStream } from '../../support/h2-frames.ts';
import { closeOpened, h2For, keepOpened } from '../../support/opened.ts';
import { startRawH2Server } from '../../support/raw-h2-server.ts';
import { sendRecorded } from '../../support/recording-sink.ts';

afterEach(closeOpened);

const OK = { kind: 'ok', status: 200 };
const MISSING = { kind: 'failed', class: 'protocol', status: 200, detail: 'grpc-status missing' };
const failed = (status: number) => ({
  kind: 'failed',
  class: 'in-stream-error',
  status: 200,
  detail: `grpc-status ${status}`,
});

type Fields = readonly (readonly [name: string, value: string])[];

const HEAD: Fields = [
  [':status', '200'],
  ['content-type', 'application/grpc'],
];
/** One empty message. */
const MESSAGE = '\0\0\0\0\0';

function withTrailers(stream: number, trailers: Fields): Buffer[] {
  return [head(stream, HEAD), data(stream, MESSAGE), head(stream, trailers, END_STREAM)];
}

/** Sends one call whose answer is `frames`; how it ended. */
async function call(frames: (stream: number) => Buffer[], contentType = 'application/grpc+proto') {
  const server = keepOpened(
    await startRawH2Server((stream, _socket, _requests, connection) => connection.write(...frames(stream))),
  );
  const headers = [
    ['Content-Type', contentType],
    ['te', 'trailers'],
  ] as const;
  const request = { url: `${server.url}/a.Service/Call`, method: 'POST', headers, body: Buffer.from(MESSAGE) };
  return await sendRecorded(h2For(server.url), request).sink.done;
}

describe('a gRPC call', () => {
  it.each<[string, (stream: number) => Buffer[], object]>([
    ['status 0 in trailers', (stream) => withTrailers(stream, [['grpc-status', '0']]), OK],
    ['status 13 in trailers', (stream) => withTrailers(stream, [['grpc-status', '13']]), failed(13)],
    ['a status that is no number', (stream) => withTrailers(stream, [['grpc-status', 'x']]), failed(2)],
    ['status 14 in a head alone', (stream) => [head(stream, [...HEAD, ['grpc-status', '14']], END_STREAM)], failed(14)],
    ['status 0 in a head alone', (stream) => [head(stream, [...HEAD, ['grpc-status', '0']], END_STREAM)], OK],
    ['trailers without status', (stream) => withTrailers(stream, [['x-a', 'v']]), MISSING],
    ['no trailers', (stream) => [head(stream, HEAD), data(stream, MESSAGE, END_STREAM)], MISSING],
    [
      'all bytes declared, then RST_STREAM',
      (stream) => [head(stream, [...HEAD, ['content-length', '5']]), data(stream, MESSAGE), rstStream(stream, 0)],
      MISSING,
    ],
    [
      'R036 status 0 in a head that DATA follows, none behind it',
      (stream) => [head(stream, [...HEAD, ['grpc-status', '0']]), data(stream, MESSAGE, END_STREAM)],
      MISSING,
    ],
    [
      'R036 a redirect, which says nothing of the call',
      (stream) => [head(stream, [[':status', '302']], END_STREAM)],
      { class: 'protocol', status: 302, detail: 'grpc-status missing' },
    ],
    [
      'R036 status 0 behind half a message',
      (stream) => [
        head(stream, HEAD),
        data(stream, '\0\0\0\0\x09half'),
        head(stream, [['grpc-status', '0']], END_STREAM),
      ],
      { class: 'truncated', status: 200, detail: 'grpc-status 0 inside a message' },
    ],
    [
      'R036 status 0 behind half a prefix, as far as content-length said',
      (stream) => [
        head(stream, [...HEAD, ['content-length', '7']]),
        data(stream, `${MESSAGE}\0\0`),
        head(stream, [['grpc-status', '0']], END_STREAM),
      ],
      { class: 'truncated', status: 200 },
    ],
    [
      'status 13 behind half a message',
      (stream) => [head(stream, HEAD), data(stream, '\0\0'), head(stream, [['grpc-status', '13']], END_STREAM)],
      failed(13),
    ],
    [
      'status 0 behind several messages in many pieces',
      (stream) => [
        head(stream, HEAD),
        ...Array.from(`${MESSAGE}\0\0\0\0\x02hi${MESSAGE}`, (byte) => data(stream, byte)),
        head(stream, [['grpc-status', '0']], END_STREAM),
      ],
      OK,
    ],
    [
      'status 0 without a message, as of a stream of none',
      (stream) => [head(stream, HEAD), head(stream, [['grpc-status', '0']], END_STREAM)],
      OK,
    ],
    ['no status, and another of HTTP', (stream) => [head(stream, [[':status', '503']], END_STREAM)], { status: 503 }],
  ])('%s', async (_name, frames, outcome) => {
    expect(await call(frames)).toMatchObject(outcome);
  });

  it.each(['text/plain', 'application/grpc-web', 'application/grpcx'])('is none by the type %s', async (type) => {
    expect(await call((stream) => [head(stream, HEAD, END_STREAM)], type)).toEqual(OK);
  });
});
