/** A cleartext HTTP/2 server whose every frame is written by the test, for faults that no HTTP/2 library would produce. */
import { type AddressInfo, type Socket, createServer } from 'node:net';

/** Frame types of RFC 9113 §6. */
export const FRAME = { data: 0, headers: 1, rstStream: 3, settings: 4, goaway: 7 } as const;
export const END_STREAM = 0x1;
const ACK = 0x1;
const END_HEADERS = 0x4;
const PREFACE_BYTES = 24;
const FRAME_HEADER_BYTES = 9;

/** One frame. */
export function frame(type: number, flags: number, stream: number, payload: string | Uint8Array = ''): Buffer {
  const body = Buffer.from(payload as string, 'latin1');
  const head = Buffer.alloc(FRAME_HEADER_BYTES);
  head.writeUIntBE(body.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, body]);
}

/** HEADERS with status 200 and, where given, a content-length (RFC 7541: indexed field 8, literal with name 28). */
export function okHead(stream: number, contentLength: number | null, flags = 0): Buffer {
  const length = contentLength === null ? '' : String(contentLength);
  const field = contentLength === null ? '' : `\x0f\x0d${String.fromCharCode(length.length)}${length}`;
  return frame(FRAME.headers, END_HEADERS | flags, stream, `\x88${field}`);
}

/** RST_STREAM with `code`. */
export function rstStream(stream: number, code: number): Buffer {
  return frame(FRAME.rstStream, 0, stream, Uint8Array.of(0, 0, 0, code));
}

/** Called for each HEADERS frame of a request, with the number of requests on the connection so far. */
export type FrameScript = (stream: number, socket: Socket, requests: number) => void;

/** Starts the server; it announces no settings of its own. */
export async function startRawH2Server(script: FrameScript): Promise<{ url: string; close(): Promise<void> }> {
  const sockets: Socket[] = [];
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.write(frame(FRAME.settings, 0, 0));
    let held = Buffer.alloc(0);
    let toSkip = PREFACE_BYTES;
    let requests = 0;
    socket.on('data', (bytes: Buffer) => {
      held = Buffer.concat([held, bytes]);
      for (;;) {
        if (toSkip > 0) {
          if (held.length < toSkip) return;
          held = held.subarray(toSkip);
          toSkip = 0;
        }
        if (held.length < FRAME_HEADER_BYTES) return;
        toSkip = FRAME_HEADER_BYTES + held.readUIntBE(0, 3);
        const [type, flags, stream] = [held.readUInt8(3), held.readUInt8(4), held.readUInt32BE(5)];
        if (type === FRAME.settings && (flags & ACK) === 0) socket.write(frame(FRAME.settings, ACK, 0));
        if (type !== FRAME.headers) continue;
        requests += 1;
        script(stream, socket, requests);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
