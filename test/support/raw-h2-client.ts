/**
 * A cleartext HTTP/2 client that sends header blocks as they are given and hands out those that come back, undecoded. No bodies, no flow
 * control: for tests of header compression.
 */
import { connect, type Socket } from 'node:net';
import {
  FLAG,
  FRAME,
  frame,
  FRAME_HEADER_BYTES,
  type H2Frame,
  readFrame,
  SETTING,
  settings,
  unpadded,
} from './h2-frames.ts';

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';

export class RawH2Client {
  readonly socket: Socket;
  /** The block that came on each stream. */
  readonly #blocks = new Map<number, Buffer>();
  /** Error code of the server's GOAWAY. */
  goaway: number | null = null;
  #closed = false;
  #nextStream = 1;
  #held = Buffer.alloc(0);
  #parts: Buffer[] = [];
  #wake: () => void = () => undefined;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (bytes: Buffer) => {
      this.#held = Buffer.concat([this.#held, bytes]);
      this.#readFrames();
      this.#wake();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#closed = true;
      this.#wake();
    });
  }

  /** Connects to a port of this host and announces how large the server's compression table may be. */
  static async connect(port: number, tableBytesMax: number): Promise<RawH2Client> {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    const client = new RawH2Client(socket);
    socket.write(Buffer.concat([Buffer.from(PREFACE), settings([SETTING.headerTableSize, tableBytesMax])]));
    return client;
  }

  /** Sends a request without a body, its block in frames of at most `frameBytes`; returns its stream. */
  request(block: Buffer, frameBytes = 16_384): number {
    const stream = this.#nextStream;
    this.#nextStream += 2;
    const frames: Buffer[] = [];
    for (let at = 0; at === 0 || at < block.length; at += frameBytes) {
      const isLast = at + frameBytes >= block.length;
      const flags = (isLast ? FLAG.endHeaders : 0) | (at === 0 ? FLAG.endStream : 0);
      const part = block.subarray(at, at + frameBytes);
      frames.push(frame(at === 0 ? FRAME.headers : FRAME.continuation, flags, stream, part));
    }
    this.socket.write(Buffer.concat(frames));
    return stream;
  }

  /** Waits for the header block that answers `stream`; null when the server leaves instead. */
  async answered(stream: number): Promise<Buffer | null> {
    for (;;) {
      const block = this.#blocks.get(stream);
      if (block !== undefined) return block;
      if (this.#closed || this.goaway !== null) return null;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    const closed = new Promise<void>((resolve) => this.socket.once('close', () => resolve()));
    this.socket.destroy();
    await closed;
  }

  #readFrames(): void {
    for (let one = readFrame(this.#held); one !== null; one = readFrame(this.#held)) {
      this.#held = this.#held.subarray(FRAME_HEADER_BYTES + one.payload.length);
      this.#takeFrame(one);
    }
  }

  #takeFrame(one: H2Frame): void {
    const { type, flags, stream, payload } = one;
    if (type === FRAME.settings && (flags & FLAG.ack) === 0) this.socket.write(frame(FRAME.settings, FLAG.ack, 0));
    if (type === FRAME.goaway) this.goaway = payload.readUInt32BE(4);
    if (type !== FRAME.headers && type !== FRAME.continuation) return;
    const content = type === FRAME.headers ? unpadded(one) : payload;
    if (content === null) throw new Error('HEADERS with a padding longer than the frame');
    this.#parts.push(type === FRAME.headers && (flags & FLAG.priority) !== 0 ? content.subarray(5) : content);
    if ((flags & FLAG.endHeaders) === 0) return;
    this.#blocks.set(stream, Buffer.concat(this.#parts));
    this.#parts = [];
  }
}
