/** The sending side of a server that keeps to HTTP/2 flow control: it sends no byte that the client has not granted, and waits for more. */
import { data, DEFAULT_WINDOW, FLAG, FRAME, frame, padded, SETTING } from './h2-frames.ts';
import type { RawH2Connection } from './raw-h2-server.ts';

/** How a body is cut into DATA frames. */
export interface BodyShape {
  /** Bytes of content in all. */
  readonly bytes: number;
  /** Bytes of content of one frame. */
  readonly chunk: number;
  /** Bytes of padding of each frame, without the pad length itself; null: frames are not padded. */
  readonly padding: number | null;
}

/** What the client has granted by now for `stream`, less what it would have to be told of: 0 is the whole connection. */
function granted(connection: RawH2Connection, stream: number): number {
  const first = stream === 0 ? DEFAULT_WINDOW : (connection.firstSetting(SETTING.initialWindowSize) ?? DEFAULT_WINDOW);
  return connection
    .framesOf(FRAME.windowUpdate, stream)
    .reduce((sum, { payload }) => sum + payload.readUInt32BE(0), first);
}

/** Bodies sent over one connection. */
export class H2SendWindow {
  /** Flow-controlled bytes sent so far on the whole connection. */
  sentBytes = 0;
  readonly #connection: RawH2Connection;

  constructor(connection: RawH2Connection) {
    this.#connection = connection;
  }

  /** Sends a body of `x` as the windows allow; resolves when its last frame is written, which has END_STREAM where `ends`. */
  async send(stream: number, shape: BodyShape, ends = true): Promise<void> {
    const cost = shape.chunk + (shape.padding === null ? 0 : shape.padding + 1);
    let streamBytes = 0;
    let left = shape.bytes;
    while (left > 0) {
      const streamLimit = granted(this.#connection, stream);
      const connectionLimit = granted(this.#connection, 0);
      const batch: Buffer[] = [];
      while (left > 0 && streamBytes + cost <= streamLimit && this.sentBytes + cost <= connectionLimit) {
        const content = Buffer.alloc(Math.min(shape.chunk, left), 'x');
        left -= content.length;
        const flags = left === 0 && ends ? FLAG.endStream : 0;
        if (shape.padding === null) batch.push(data(stream, content, flags));
        else batch.push(frame(FRAME.data, flags | FLAG.padded, stream, padded(content, shape.padding)));
        streamBytes += cost;
        this.sentBytes += cost;
      }
      this.#connection.write(...batch);
      if (left > 0) await this.#nextGrant();
    }
  }

  /** Waits until the client sends something, or closes: then the test that waits for the answer has failed already. */
  async #nextGrant(): Promise<void> {
    const before = this.#connection.frames.length;
    while (this.#connection.frames.length === before) {
      if (this.#connection.over) throw new Error('the client closed the connection inside a body');
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
