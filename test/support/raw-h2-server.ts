/**
 * A cleartext HTTP/2 server whose every frame is written by the test, for faults that no HTTP/2 library would produce. By itself it sends
 * its SETTINGS and acknowledges the client's; what the client sends is kept for the test to look at.
 */
import { type AddressInfo, type Socket, createServer } from 'node:net';
import { FLAG, FRAME, frame, FRAME_HEADER_BYTES, type H2Frame, readFrame, settings } from './h2-frames.ts';

const PREFACE_BYTES = 24;

/** One connection of a client. */
export class RawH2Connection {
  readonly socket: Socket;
  /** The first 24 bytes, as latin1; shorter while they are not all there. */
  preface = '';
  /** All frames of the client, in order. */
  readonly frames: H2Frame[] = [];
  /** Streams of the requests, in order. */
  readonly streams: number[] = [];
  /** The client has ended its side, or broken the connection. */
  over = false;

  constructor(socket: Socket) {
    this.socket = socket;
  }

  /** Writes what is given in one piece, so that it arrives in one read. */
  write(...frames: readonly Buffer[]): void {
    if (!this.socket.destroyed) this.socket.write(Buffer.concat(frames));
  }

  /** Frames of one type, of one stream where given. */
  framesOf(type: number, stream?: number): H2Frame[] {
    return this.frames.filter((one) => one.type === type && (stream === undefined || one.stream === stream));
  }

  /** The code of the client's RST_STREAM on `stream`; null while there is none. */
  resetCode(stream: number): number | null {
    return this.framesOf(FRAME.rstStream, stream)[0]?.payload.readUInt32BE(0) ?? null;
  }

  /** The code of the client's GOAWAY; null while there is none. */
  goawayCode(): number | null {
    return this.framesOf(FRAME.goaway)[0]?.payload.readUInt32BE(4) ?? null;
  }

  /** The value of a setting in the client's first SETTINGS; null when it says nothing of it. */
  firstSetting(id: number): number | null {
    const payload = this.framesOf(FRAME.settings)[0]?.payload ?? Buffer.alloc(0);
    for (let at = 0; at < payload.length; at += 6) {
      if (payload.readUInt16BE(at) === id) return payload.readUInt32BE(at + 2);
    }
    return null;
  }
}

/** Called for each HEADERS frame of a request, with the number of requests on the connection so far. */
export type FrameScript = (stream: number, socket: Socket, requests: number, connection: RawH2Connection) => void;

/** What the server does beside its script. */
export interface RawH2Options {
  /** Sent on accept; SETTINGS without a value by default. Null: the test greets, and acknowledges the client's SETTINGS, itself. */
  readonly greeting?: Buffer | null;
  /** Called for each frame of the client, after it was kept. */
  readonly onFrame?: (one: H2Frame, connection: RawH2Connection) => void;
}

/** A running server. */
export interface RawH2Server {
  readonly url: string;
  readonly connections: readonly RawH2Connection[];
  close(): Promise<void>;
}

/** Starts the server. */
export async function startRawH2Server(script: FrameScript, options: RawH2Options = {}): Promise<RawH2Server> {
  const connections: RawH2Connection[] = [];
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (socket) => {
    const connection = new RawH2Connection(socket);
    connections.push(connection);
    socket.on('error', () => undefined);
    socket.on('close', () => (connection.over = true));
    socket.on('end', () => {
      connection.over = true;
      socket.end();
    });
    if (options.greeting !== null) socket.write(options.greeting ?? settings());
    let held = Buffer.alloc(0);
    socket.on('data', (bytes: Buffer) => {
      held = Buffer.concat([held, bytes]);
      if (connection.preface.length < PREFACE_BYTES) {
        if (held.length < PREFACE_BYTES) return;
        connection.preface = held.toString('latin1', 0, PREFACE_BYTES);
        held = held.subarray(PREFACE_BYTES);
      }
      for (let one = readFrame(held); one !== null; one = readFrame(held)) {
        held = held.subarray(FRAME_HEADER_BYTES + one.payload.length);
        take(connection, one, script, options);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections,
    close: async () => {
      for (const { socket } of connections) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function take(connection: RawH2Connection, one: H2Frame, script: FrameScript, options: RawH2Options): void {
  connection.frames.push(one);
  const isNews = one.type === FRAME.settings && (one.flags & FLAG.ack) === 0;
  if (options.greeting !== null && isNews) connection.write(frame(FRAME.settings, FLAG.ack, 0));
  options.onFrame?.(one, connection);
  if (one.type !== FRAME.headers) return;
  connection.streams.push(one.stream);
  script(one.stream, connection.socket, connection.streams.length, connection);
}
