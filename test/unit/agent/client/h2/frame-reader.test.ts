/** Frames are read the same however their bytes are cut, and each breach of their form has its code (RFC 9113 §4, §6). */
import { describe, expect, it } from 'vitest';
import { ERROR_CODE, FLAG, FRAME_TYPE, frameHead, headersFrames } from '../../../../../agent/client/h2/frame.ts';
import { FrameReader, type FrameSink } from '../../../../../agent/client/h2/frame-reader.ts';

/** Writes down what it is told, pieces of DATA joined. */
class Notes implements FrameSink {
  readonly seen: string[] = [];
  over = false;
  #data = '';

  onDataFrame(stream: number, flowBytes: number): void {
    this.#data = `data ${stream} (${flowBytes}) `;
  }
  onDataPiece(_stream: number, bytes: Uint8Array, from: number, to: number): void {
    this.#data += Buffer.from(bytes.subarray(from, to)).toString('latin1');
  }
  onDataEnd(_stream: number, endStream: boolean): void {
    this.seen.push(this.#data + (endStream ? ' end' : ''));
  }
  onHeaders(stream: number, bytes: Uint8Array, from: number, to: number, endStream: boolean): void {
    const block = Buffer.from(bytes.subarray(from, to)).toString('latin1');
    this.seen.push(`headers ${stream} ${block}${endStream ? ' end' : ''}`);
  }
  onReset(stream: number, code: number): void {
    this.seen.push(`reset ${stream} ${code}`);
  }
  onSettings(payload: DataView): void {
    this.seen.push(`settings ${payload.byteLength}`);
  }
  onPing(opaque: string): void {
    this.seen.push(`ping ${opaque}`);
  }
  onGoaway(lastStream: number, code: number, debug: string): void {
    this.seen.push(`goaway ${lastStream} ${code} ${debug}`);
  }
  onWindowUpdate(stream: number, increment: number): void {
    this.seen.push(`window ${stream} ${increment}`);
  }
  onStreamBreach(stream: number, code: number): void {
    this.seen.push(`breach of ${stream} ${code}`);
  }
  onBreach(code: number, reason: string): void {
    this.seen.push(`breach ${code} ${reason}`);
    this.over = true;
  }
}

function frame(type: number, flags: number, stream: number, payload = ''): string {
  return frameHead(payload.length, type, flags, stream) + payload;
}

const SETTINGS = frame(FRAME_TYPE.settings, 0, 0);

/** What is read of `text`, fed in pieces of `pieceBytes`, each in a buffer that is overwritten behind it as the shared read buffer is. */
function read(text: string, pieceBytes = text.length): string[] {
  const notes = new Notes();
  const reader = new FrameReader(notes);
  const shared = new Uint8Array(pieceBytes + 3);
  for (let at = 0; at < text.length; at += pieceBytes) {
    const piece = Buffer.from(text.slice(at, at + pieceBytes), 'latin1');
    shared.fill(0xaa);
    shared.set(piece, 3);
    reader.feed(shared, 3, 3 + piece.length);
  }
  return notes.seen;
}

describe('frames', () => {
  const priority = '\0\0\0\x01\x10';
  const text = [
    frame(FRAME_TYPE.settings, 0, 0, '\0\x03\0\0\0\x64'),
    frame(FRAME_TYPE.headers, FLAG.endHeaders, 1, 'head'),
    frame(FRAME_TYPE.data, 0, 1, 'some '),
    frame(FRAME_TYPE.data, FLAG.padded, 1, '\x03more\0\0\0'),
    frame(FRAME_TYPE.data, FLAG.padded, 1, '\x02\0\0'),
    frame(FRAME_TYPE.priority, 0, 9, priority),
    frame(FRAME_TYPE.priority, 0, 1, '1234'),
    frame(0xbe, 0xff, 5, 'of another world'),
    frame(FRAME_TYPE.ping, 0, 0, '12345678'),
    frame(FRAME_TYPE.ping, FLAG.ack, 0, '12345678'),
    frame(FRAME_TYPE.settings, FLAG.ack, 0),
    frame(FRAME_TYPE.data, FLAG.endStream, 1),
    frame(FRAME_TYPE.headers, FLAG.padded | FLAG.priority | FLAG.endStream, 3, `\x02${priority}ab\0\0`),
    frame(FRAME_TYPE.continuation, 0, 3, ''),
    frame(FRAME_TYPE.continuation, FLAG.endHeaders, 3, 'cd'),
    frame(FRAME_TYPE.windowUpdate, 0, 0, '\x80\0\0\x07'),
    frame(FRAME_TYPE.rstStream, 0, 5, '\0\0\0\x08'),
    frame(FRAME_TYPE.goaway, 0, 0, '\0\0\0\x05\0\0\0\x02why'),
  ].join('');
  const expected = [
    'settings 6',
    'headers 1 head',
    'data 1 (5) some ',
    'data 1 (8) more',
    'data 1 (3) ',
    `breach of 1 ${ERROR_CODE.frameSize}`,
    'ping 12345678',
    'data 1 (0)  end',
    'headers 3 abcd end',
    'window 0 7',
    'reset 5 8',
    'goaway 5 2 why',
  ];

  it.each([1, 2, 3, 7, 8, 9, 10, 64, 1000])('are read from pieces of %i bytes', (pieceBytes) => {
    expect(read(text, pieceBytes)).toEqual(expected);
  });

  it('a block longer than one frame is written as HEADERS and CONTINUATION, and read as one', () => {
    const block = 'x'.repeat(40_001);
    const frames = headersFrames(7, block, true, 16_384);
    expect(frames.length).toBe(40_001 + 3 * 9);
    expect(read(SETTINGS + frames, 999)).toEqual(['settings 0', `headers 7 ${block} end`]);
  });

  const breaches: [string, string, number][] = [
    ['another first frame', frame(FRAME_TYPE.ping, 0, 0, '12345678'), ERROR_CODE.protocol],
    ['an acknowledgement first', frame(FRAME_TYPE.settings, FLAG.ack, 0), ERROR_CODE.protocol],
    ['HTTP/1.1', 'HTTP/1.1 400 Bad Request\r\n', ERROR_CODE.protocol],
    ['a frame too large', SETTINGS + frameHead(16_385, FRAME_TYPE.data, 0, 1), ERROR_CODE.frameSize],
    ['DATA on stream 0', SETTINGS + frame(FRAME_TYPE.data, 0, 0), ERROR_CODE.protocol],
    [
      'DATA that is all padding length',
      SETTINGS + frame(FRAME_TYPE.data, FLAG.padded, 1, '\x05abcd'),
      ERROR_CODE.protocol,
    ],
    ['padded DATA without a padding length', SETTINGS + frame(FRAME_TYPE.data, FLAG.padded, 1), ERROR_CODE.frameSize],
    [
      'HEADERS shorter than their padding',
      SETTINGS + frame(FRAME_TYPE.headers, 0xc, 1, '\x05abcd'),
      ERROR_CODE.protocol,
    ],
    ['HEADERS on stream 0', SETTINGS + frame(FRAME_TYPE.headers, FLAG.endHeaders, 0, 'a'), ERROR_CODE.protocol],
    ['SETTINGS on a stream', SETTINGS + frame(FRAME_TYPE.settings, 0, 1), ERROR_CODE.protocol],
    ['SETTINGS of 5 bytes', frame(FRAME_TYPE.settings, 0, 0, '12345'), ERROR_CODE.frameSize],
    [
      'an acknowledgement with bytes',
      SETTINGS + frame(FRAME_TYPE.settings, FLAG.ack, 0, '123456'),
      ERROR_CODE.frameSize,
    ],
    ['PING of 7 bytes', SETTINGS + frame(FRAME_TYPE.ping, 0, 0, '1234567'), ERROR_CODE.frameSize],
    ['PING on a stream', SETTINGS + frame(FRAME_TYPE.ping, 0, 1, '12345678'), ERROR_CODE.protocol],
    ['RST_STREAM of 5 bytes', SETTINGS + frame(FRAME_TYPE.rstStream, 0, 1, '12345'), ERROR_CODE.frameSize],
    ['GOAWAY of 7 bytes', SETTINGS + frame(FRAME_TYPE.goaway, 0, 0, '1234567'), ERROR_CODE.frameSize],
    ['WINDOW_UPDATE of 3 bytes', SETTINGS + frame(FRAME_TYPE.windowUpdate, 0, 0, '123'), ERROR_CODE.frameSize],
    ['PUSH_PROMISE', SETTINGS + frame(FRAME_TYPE.pushPromise, FLAG.endHeaders, 1, '\0\0\0\x02a'), ERROR_CODE.protocol],
    ['CONTINUATION alone', SETTINGS + frame(FRAME_TYPE.continuation, FLAG.endHeaders, 1, 'a'), ERROR_CODE.protocol],
    [
      'another stream inside a block',
      SETTINGS + frame(FRAME_TYPE.headers, 0, 1, 'a') + frame(FRAME_TYPE.continuation, FLAG.endHeaders, 3, 'b'),
      ERROR_CODE.protocol,
    ],
    [
      'another frame inside a block',
      SETTINGS + frame(FRAME_TYPE.headers, 0, 1, 'a') + frame(FRAME_TYPE.ping, 0, 0, '12345678'),
      ERROR_CODE.protocol,
    ],
    [
      'a block that never ends',
      SETTINGS + frame(FRAME_TYPE.headers, 0, 1, 'a') + frame(FRAME_TYPE.continuation, 0, 1).repeat(2000),
      ERROR_CODE.protocol,
    ],
    [
      'a block above 256 KiB',
      SETTINGS +
        frame(FRAME_TYPE.headers, 0, 1, 'a') +
        frame(FRAME_TYPE.continuation, 0, 1, 'x'.repeat(16_384)).repeat(17),
      ERROR_CODE.protocol,
    ],
  ];
  it.each(breaches)('%s is a breach, and the last thing read', (_name, broken, code) => {
    for (const pieceBytes of [1, 5, 100_000]) {
      const seen = read(broken + SETTINGS, pieceBytes);
      expect(seen.at(-1)).toMatch(new RegExp(`^breach ${code} `));
    }
  });
});
