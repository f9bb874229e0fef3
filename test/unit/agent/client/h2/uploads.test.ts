/** Bodies go out in turn, within the windows and no faster than the socket takes them. */
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { beforeEach, describe, expect, it } from 'vitest';
import { H2Exchange } from '../../../../../agent/client/h2/h2-exchange.ts';
import { H2Stream } from '../../../../../agent/client/h2/h2-stream.ts';
import { Uploads } from '../../../../../agent/client/h2/uploads.ts';
import { FRAME_HEADER_BYTES, type H2Frame, readFrame } from '../../../../support/h2-frames.ts';
import { RecordingSink } from '../../../../support/recording-sink.ts';

const FRAME_BYTES_MAX = 16_384;
const ROOM = 1_000_000;

/** Keeps what is written; full when told so. */
class FakeSocket extends EventEmitter {
  written = Buffer.alloc(0);
  isFull = false;

  write(chunk: string | Uint8Array): boolean {
    this.written = Buffer.concat([this.written, typeof chunk === 'string' ? Buffer.from(chunk, 'latin1') : chunk]);
    return !this.isFull;
  }

  cork(): void {}

  uncork(): void {}

  /** The frames written since the last call. */
  takeFrames(): H2Frame[] {
    const frames: H2Frame[] = [];
    for (let one = readFrame(this.written); one !== null; one = readFrame(this.written)) {
      frames.push(one);
      this.written = this.written.subarray(FRAME_HEADER_BYTES + one.payload.length);
    }
    return frames;
  }
}

let socket: FakeSocket;
let uploads: Uploads;
let sentBytes = 0;

function streamOf(id: number, bodyBytes: number): H2Stream {
  const body = Buffer.alloc(bodyBytes, id);
  const request = { template: 0, method: 'POST', url: '', headers: [], body, identity: null };
  return new H2Stream(id, new H2Exchange(request, new RecordingSink(), '', false), ROOM);
}

beforeEach(() => {
  socket = new FakeSocket();
  sentBytes = 0;
  uploads = new Uploads(
    socket as unknown as Socket,
    () => FRAME_BYTES_MAX,
    (bytes) => (sentBytes += bytes),
  );
});

describe('bodies of one connection', () => {
  it('that go with their heads take from the window of the connection too', () => {
    const texts = [1, 3, 5, 7].map((id) => uploads.takeWhole(streamOf(id, FRAME_BYTES_MAX)));
    expect(texts.map((text) => text?.length ?? null)).toEqual([16_393, 16_393, 16_393, null]);
    uploads.widen(1);
    expect(uploads.takeWhole(streamOf(7, FRAME_BYTES_MAX))?.length).toBe(16_393);
  });

  it('go frame by frame in turn, each once in the queue, every byte counted', () => {
    const streams = [streamOf(1, 20_000), streamOf(3, 20_000)];
    for (const stream of [streams[0], ...streams]) uploads.add(stream as H2Stream);
    uploads.send();
    const total = socket.written.length;
    expect(socket.takeFrames().map(({ stream, flags, payload }) => [stream, flags, payload.length])).toEqual([
      [1, 0, FRAME_BYTES_MAX],
      [3, 0, FRAME_BYTES_MAX],
      [1, 1, 3616],
      [3, 1, 3616],
    ]);
    expect(sentBytes).toBe(total);
  });

  it('of more than 16 KiB are not copied to their heads, however large the frames that the server allows', () => {
    const wide = new Uploads(
      socket as unknown as Socket,
      () => 2 ** 24 - 1,
      () => undefined,
    );
    wide.widen(10_000_000);
    expect(wide.takeWhole(streamOf(1, 16_385))).toBeNull();
    expect(wide.takeWhole(streamOf(1, 16_384))).not.toBeNull();
  });

  it('do not overtake one that waits', () => {
    uploads.add(streamOf(1, 20_000));
    expect(uploads.takeWhole(streamOf(3, 10))).toBeNull();
  });

  it('wait while the socket is full', () => {
    socket.isFull = true;
    uploads.add(streamOf(1, 60_000));
    uploads.send();
    uploads.send();
    expect(socket.takeFrames()).toHaveLength(1);
    socket.isFull = false;
    socket.emit('drain');
    expect(socket.takeFrames().map(({ flags }) => flags)).toEqual([0, 0, 1]);
    socket.isFull = true;
    uploads.add(streamOf(3, 10));
    uploads.send();
    expect(uploads.takeWhole(streamOf(5, 10))).toBeNull();
    socket.isFull = false;
    socket.emit('drain');
    expect(uploads.takeWhole(streamOf(5, 10))).not.toBeNull();
  });

  it('end with their streams', () => {
    const [given, kept] = [streamOf(1, 30_000), streamOf(3, 10)];
    for (const stream of [given, kept]) uploads.add(stream);
    given.closed = true;
    uploads.send();
    expect(socket.takeFrames().map(({ stream }) => stream)).toEqual([3]);
  });
});
