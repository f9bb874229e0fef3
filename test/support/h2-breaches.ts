/**
 * Breaches of HTTP/2 by a server, each with what RFC 9113 has the client do. Their bytes leave the dynamic table of HPACK alone, so that
 * they can stand anywhere between other frames.
 */
import { CODE, data, DEFAULT_FRAME_MAX, FLAG, FRAME, frame, head, okHead } from './h2-frames.ts';
import { padded, rstStream, SETTING, settings, WINDOW_MAX, windowUpdate } from './h2-frames.ts';
import { literalField } from './hpack-text.ts';

/** A breach on one stream, or by one frame that concerns the whole connection. */
export interface H2Breach {
  readonly name: string;
  /** State of the answer of the stream it is made on: no head yet, or a head with 200 and no length. */
  readonly at: 'unanswered' | 'answering';
  /** What fails: one request, with RST_STREAM, or the connection, with GOAWAY. */
  readonly level: 'stream' | 'connection';
  /** Error code of that frame; more than one where the RFC leaves the choice. */
  readonly codes: readonly number[];
  /** The frames; `stream` is one that the client has opened. */
  bytes(stream: number): Buffer;
}

/** Streams that no client has opened: one far above all of its own, and one of the server among them. */
const IDLE = 1_000_001;
const OF_SERVER = 2;
const STATUS = [':status', '200'] as const;
const SOME_BYTES = Buffer.alloc(16, 'x');

type Row = readonly [name: string, code: number | readonly number[], bytes: (stream: number) => Buffer];

function breaches(level: H2Breach['level'], at: H2Breach['at'], rows: readonly Row[]): H2Breach[] {
  return rows.map(([name, code, bytes]) => ({ name, at, level, codes: [code].flat(), bytes }));
}

/** A head that is malformed by its fields (RFC 9113 §8.1.1, §8.2, §8.3). */
function heads(...rows: readonly (readonly [name: string, ...fields: (readonly [string, string])[]])[]): Row[] {
  return rows.map(([name, ...fields]) => [name, CODE.protocol, (stream) => head(stream, fields)]);
}

const STREAM_BREACHES: readonly H2Breach[] = [
  ...breaches('stream', 'unanswered', [
    ...heads(
      ['an upper-case field name', STATUS, ['X-Name', 'v']],
      ['a space in a field name', STATUS, ['x name', 'v']],
      ['a colon in a field name', STATUS, ['x:name', 'v']],
      ['an empty field name', STATUS, ['', 'v']],
      ['NUL in a field value', STATUS, ['x-name', 'a\0b']],
      ['CR in a field value', STATUS, ['x-name', 'a\rb']],
      ['LF in a field value', STATUS, ['x-name', 'a\nb']],
      ['no :status', ['x-name', 'v']],
      ['no field at all'],
      ['two :status', STATUS, STATUS],
      ['two :status that differ', STATUS, [':status', '404']],
      [':status behind a field', ['x-name', 'v'], STATUS],
      [':status that is no number', [':status', '2x0']],
      [':status of two digits', [':status', '20']],
      [':status of four digits', [':status', '2000']],
      [':status 101', [':status', '101']],
      ['an unknown pseudo field', STATUS, [':name', 'v']],
      ['a pseudo field of requests', STATUS, [':path', '/']],
      ['connection', STATUS, ['connection', 'close']],
      ['keep-alive', STATUS, ['keep-alive', 'timeout=5']],
      ['proxy-connection', STATUS, ['proxy-connection', 'close']],
      ['transfer-encoding', STATUS, ['transfer-encoding', 'chunked']],
      ['upgrade', STATUS, ['upgrade', 'h2c']],
      ['two content-lengths that differ', STATUS, ['content-length', '5'], ['content-length', '6']],
      ['a content-length that is no number', STATUS, ['content-length', '5x']],
      ['a negative content-length', STATUS, ['content-length', '-5']],
    ),
    ['DATA before HEADERS', CODE.protocol, (stream) => data(stream, 'early')],
    [
      'DATA between an interim head and the final one',
      CODE.protocol,
      (stream) => Buffer.concat([head(stream, [[':status', '103']]), data(stream, 'early')]),
    ],
    [
      'an interim head that ends the stream',
      CODE.protocol,
      (stream) => head(stream, [[':status', '103']], FLAG.endStream),
    ],
    [
      'more DATA than content-length',
      CODE.protocol,
      (stream) => Buffer.concat([okHead(stream, 3), data(stream, 'four')]),
    ],
    [
      'content in a 204',
      CODE.protocol,
      (stream) => Buffer.concat([head(stream, [[':status', '204']]), data(stream, 'some')]),
    ],
    [
      'content in a 304',
      CODE.protocol,
      (stream) => Buffer.concat([head(stream, [[':status', '304']]), data(stream, 'some')]),
    ],
    ['WINDOW_UPDATE by 0 before HEADERS', CODE.protocol, (stream) => windowUpdate(stream, 0)],
  ]),
  ...breaches('stream', 'answering', [
    ['trailers that do not end the stream', CODE.protocol, (stream) => head(stream, [['x-trailer', 'v']])],
    ['a second final head', CODE.protocol, (stream) => okHead(stream, null)],
    ['a pseudo field in trailers', CODE.protocol, (stream) => head(stream, [STATUS], FLAG.endStream)],
    ['upper case in trailers', CODE.protocol, (stream) => head(stream, [['X-Trailer', 'v']], FLAG.endStream)],
    ['WINDOW_UPDATE by 0', CODE.protocol, (stream) => windowUpdate(stream, 0)],
    [
      'the window of the stream above 2^31-1',
      CODE.flowControl,
      (stream) => Buffer.concat([windowUpdate(stream, WINDOW_MAX), windowUpdate(stream, WINDOW_MAX)]),
    ],
    ['PRIORITY of 4 bytes', CODE.frameSize, (stream) => frame(FRAME.priority, 0, stream, SOME_BYTES.subarray(0, 4))],
  ]),
];

const CONNECTION_BREACHES: readonly H2Breach[] = [
  ...breaches('connection', 'answering', [
    ['DATA on stream 0', CODE.protocol, () => data(0, 'some')],
    ['HEADERS on stream 0', CODE.protocol, () => okHead(0, null)],
    ['PRIORITY on stream 0', CODE.protocol, () => frame(FRAME.priority, 0, 0, SOME_BYTES.subarray(0, 5))],
    ['RST_STREAM on stream 0', CODE.protocol, () => rstStream(0, CODE.cancel)],
    ['CONTINUATION on stream 0', CODE.protocol, () => frame(FRAME.continuation, FLAG.endHeaders, 0)],
    ['SETTINGS on a stream', CODE.protocol, (stream) => frame(FRAME.settings, 0, stream)],
    ['PING on a stream', CODE.protocol, (stream) => frame(FRAME.ping, 0, stream, SOME_BYTES.subarray(0, 8))],
    ['GOAWAY on a stream', CODE.protocol, (stream) => frame(FRAME.goaway, 0, stream, Buffer.alloc(8))],
    ['DATA on an idle stream', CODE.protocol, () => data(IDLE, 'some')],
    ['HEADERS on an idle stream', CODE.protocol, () => okHead(IDLE, null)],
    ['RST_STREAM on an idle stream', CODE.protocol, () => rstStream(IDLE, CODE.cancel)],
    ['WINDOW_UPDATE on an idle stream', CODE.protocol, () => windowUpdate(IDLE, 1)],
    ['HEADERS on a stream of the server', CODE.protocol, () => okHead(OF_SERVER, null)],
    ['DATA on a stream of the server', CODE.protocol, () => data(OF_SERVER, 'some')],
    ['RST_STREAM of 5 bytes', CODE.frameSize, (stream) => frame(FRAME.rstStream, 0, stream, Buffer.alloc(5))],
    ['RST_STREAM of 3 bytes', CODE.frameSize, (stream) => frame(FRAME.rstStream, 0, stream, Buffer.alloc(3))],
    ['SETTINGS of 5 bytes', CODE.frameSize, () => frame(FRAME.settings, 0, 0, Buffer.alloc(5))],
    ['SETTINGS ACK with a payload', CODE.frameSize, () => frame(FRAME.settings, FLAG.ack, 0, Buffer.alloc(6))],
    ['ENABLE_PUSH 1', CODE.protocol, () => settings([SETTING.enablePush, 1])],
    ['ENABLE_PUSH 2', CODE.protocol, () => settings([SETTING.enablePush, 2])],
    ['INITIAL_WINDOW_SIZE 2^31', CODE.flowControl, () => settings([SETTING.initialWindowSize, WINDOW_MAX + 1])],
    [
      'INITIAL_WINDOW_SIZE that takes a window above 2^31-1',
      CODE.flowControl,
      (stream) => Buffer.concat([windowUpdate(stream, 1e6), settings([SETTING.initialWindowSize, WINDOW_MAX])]),
    ],
    ['MAX_FRAME_SIZE 16,383', CODE.protocol, () => settings([SETTING.maxFrameSize, 16_383])],
    ['MAX_FRAME_SIZE 2^24', CODE.protocol, () => settings([SETTING.maxFrameSize, 2 ** 24])],
    ['PING of 7 bytes', CODE.frameSize, () => frame(FRAME.ping, 0, 0, SOME_BYTES.subarray(0, 7))],
    ['PING of 9 bytes', CODE.frameSize, () => frame(FRAME.ping, 0, 0, SOME_BYTES.subarray(0, 9))],
    ['GOAWAY of 7 bytes', CODE.frameSize, () => frame(FRAME.goaway, 0, 0, Buffer.alloc(7))],
    ['WINDOW_UPDATE of the connection by 0', CODE.protocol, () => windowUpdate(0, 0)],
    ['WINDOW_UPDATE of 3 bytes', CODE.frameSize, (stream) => frame(FRAME.windowUpdate, 0, stream, Buffer.alloc(3))],
    [
      'the window of the connection above 2^31-1',
      CODE.flowControl,
      () => Buffer.concat([windowUpdate(0, WINDOW_MAX), windowUpdate(0, WINDOW_MAX)]),
    ],
    [
      'PUSH_PROMISE although push is off',
      CODE.protocol,
      (stream) => frame(FRAME.pushPromise, FLAG.endHeaders, stream, '\0\0\0\x02\x82\x84\x86\x01\x01a'),
    ],
    [
      'DATA with a padding longer than the frame',
      CODE.protocol,
      (stream) => frame(FRAME.data, FLAG.padded, stream, '\x05some'),
    ],
    [
      'HEADERS with a padding longer than the frame',
      CODE.protocol,
      (stream) => frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream | FLAG.padded, stream, '\x05\x88'),
    ],
    [
      'HEADERS too short for their priority',
      [CODE.frameSize, CODE.protocol],
      (stream) => frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream | FLAG.priority, stream, '\0\0\0\0'),
    ],
    [
      'HEADERS padded over their priority',
      [CODE.frameSize, CODE.protocol],
      (stream) =>
        frame(
          FRAME.headers,
          FLAG.endHeaders | FLAG.endStream | FLAG.priority | FLAG.padded,
          stream,
          padded('\0\0\0', 4),
        ),
    ],
  ]),
  ...breaches('connection', 'unanswered', [
    [
      'CONTINUATION without HEADERS',
      CODE.protocol,
      (stream) => frame(FRAME.continuation, FLAG.endHeaders, stream, '\x88'),
    ],
    [
      'PING inside a field block',
      CODE.protocol,
      (stream) =>
        Buffer.concat([frame(FRAME.headers, 0, stream, '\x88'), frame(FRAME.ping, 0, 0, SOME_BYTES.subarray(0, 8))]),
    ],
    [
      'DATA inside a field block',
      CODE.protocol,
      (stream) => Buffer.concat([frame(FRAME.headers, 0, stream, '\x88'), data(stream, 'some')]),
    ],
    [
      'an unknown frame inside a field block',
      CODE.protocol,
      (stream) => Buffer.concat([frame(FRAME.headers, 0, stream, '\x88'), frame(0x42, 0, stream, 'some')]),
    ],
    [
      'CONTINUATION of another stream',
      CODE.protocol,
      (stream) =>
        Buffer.concat([
          frame(FRAME.headers, 0, stream, '\x88'),
          frame(FRAME.continuation, FLAG.endHeaders, stream + 2, ''),
        ]),
    ],
    ['a field block with index 0', CODE.compression, (stream) => block(stream, '\x88\x80')],
    ['a field block with an index beyond the tables', CODE.compression, (stream) => block(stream, '\x88\xff\xff\x7f')],
    ['a field block with an endless number', CODE.compression, (stream) => block(stream, `\x88${'\xff'.repeat(12)}`)],
    ['a field block that ends inside a string', CODE.compression, (stream) => block(stream, '\x88\0\x05x-a')],
    [
      'a field block with a bad end of Huffman code',
      CODE.compression,
      (stream) => block(stream, '\x88\0\x81\x00\x01v'),
    ],
    [
      'a field block with the Huffman code EOS',
      CODE.compression,
      (stream) => block(stream, '\x88\0\x84\xff\xff\xff\xff\x01v'),
    ],
    ['a dynamic table above what we allow', CODE.compression, (stream) => block(stream, '\x3f\xff\xff\xff\x7f\x88')],
    [
      'a change of the dynamic table behind a field',
      CODE.compression,
      (stream) => block(stream, `\x88\x20${literalField('x-name', 'v')}`),
    ],
  ]),
];

/** HEADERS in one frame with `bytes` as the field block. */
function block(stream: number, bytes: string): Buffer {
  return frame(FRAME.headers, FLAG.endHeaders, stream, bytes);
}

/** All breaches that do not depend on what the client announced. */
export const H2_BREACHES: readonly H2Breach[] = [...STREAM_BREACHES, ...CONNECTION_BREACHES];

/** A frame of `type` one byte above `frameMax`, the largest that the client takes. */
export function oversized(type: number, stream: number, frameMax: number | null): Buffer {
  return frame(
    type,
    type === FRAME.headers ? FLAG.endHeaders : 0,
    stream,
    Buffer.alloc((frameMax ?? DEFAULT_FRAME_MAX) + 1),
  );
}
