/**
 * A cleartext HTTP/2 client that sends header blocks as they are given and hands out those that come back, undecoded. No bodies, no flow
 * control: for tests of header compression.
 */
import { connect, type Socket } from 'node:net';
import { FLAG, FRAME, frame, SETTING } from './h2-frames.ts';

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const FRAME_HEADER_BYTES = 9;

export class RawH2Client {
  readonly socket: Socket;
  /** The block that came on each stream. */
  private readonly blocks = new Map<number, Buffer>();
  /** Error code of the server's GOAWAY. */
  goaway: number | null = null;
  private closed = false;
  private nextStream = 1;
  private held = Buffer.alloc(0);
  private parts: Buffer[] = [];
  private wake: () => void = () => undefined;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (bytes: Buffer) => {
      this.held = Buffer.concat([this.held, bytes]);
      this.readFrames();
      this.wake();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.closed = true;
      this.wake();
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
    const setting = Buffer.alloc(6);
    setting.writeUInt16BE(SETTING.headerTableSize, 0);
    setting.writeUInt32BE(tableBytesMax, 2);
    socket.write(Buffer.concat([Buffer.from(PREFACE), frame(FRAME.settings, 0, 0, setting)]));
    return client;
  }

  /** Sends a request without a body, its block in frames of at most `frameBytes`; returns its stream. */
  request(block: Buffer, frameBytes = 16_384): number {
    const stream = this.nextStream;
    this.nextStream += 2;
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
      const block = this.blocks.get(stream);
      if (block !== undefined) return block;
      if (this.closed || this.goaway !== null) return null;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  async close(): Promise<void> {
    if (this.closed) return;
    const closed = new Promise<void>((resolve) => this.socket.once('close', () => resolve()));
    this.socket.destroy();
    await closed;
  }

  private readFrames(): void {
    for (;;) {
      if (this.held.length < FRAME_HEADER_BYTES) return;
      const end = FRAME_HEADER_BYTES + this.held.readUIntBE(0, 3);
      if (this.held.length < end) return;
      const [type, flags, stream] = [this.held.readUInt8(3), this.held.readUInt8(4), this.held.readUInt32BE(5)];
      this.readFrame(type, flags, stream, this.held.subarray(FRAME_HEADER_BYTES, end));
      this.held = this.held.subarray(end);
    }
  }

  private readFrame(type: number, flags: number, stream: number, payload: Buffer): void {
    if (type === FRAME.settings && (flags & FLAG.ack) === 0) this.socket.write(frame(FRAME.settings, FLAG.ack, 0));
    if (type === FRAME.goaway) this.goaway = payload.readUInt32BE(4);
    if (type !== FRAME.headers && type !== FRAME.continuation) return;
    const before = (flags & FLAG.padded) === 0 ? 0 : 1;
    const padding = before === 0 || type === FRAME.continuation ? 0 : payload.readUInt8(0);
    const priority = type === FRAME.headers && (flags & FLAG.priority) !== 0 ? 5 : 0;
    this.parts.push(payload.subarray(type === FRAME.headers ? before + priority : 0, payload.length - padding));
    if ((flags & FLAG.endHeaders) === 0) return;
    this.blocks.set(stream, Buffer.concat(this.parts));
    this.parts = [];
  }
}
