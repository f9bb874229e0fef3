/** Frames of HTTP/2 as bytes, written and read by tests: any frame, also one that no HTTP/2 library would write. */
import { literalField, plainText } from './hpack-text.ts';

/** Frame types of RFC 9113 §6. */
export const FRAME = {
  data: 0,
  headers: 1,
  priority: 2,
  rstStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

/** Flags of RFC 9113 §6; `ack` and `endStream` are one bit on different frames. */
export const FLAG = { ack: 0x1, endStream: 0x1, endHeaders: 0x4, padded: 0x8, priority: 0x20 } as const;
export const END_STREAM = FLAG.endStream;

/** Error codes of RFC 9113 §7. */
export const CODE = {
  noError: 0,
  protocol: 1,
  flowControl: 3,
  streamClosed: 5,
  frameSize: 6,
  refusedStream: 7,
  cancel: 8,
  compression: 9,
  http11Required: 13,
} as const;

/** Settings of RFC 9113 §6.5.2. */
export const SETTING = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
} as const;

export const FRAME_HEADER_BYTES = 9;
/** The largest payload that a peer takes before it says more. */
export const DEFAULT_FRAME_MAX = 16_384;
/** The window of a stream and of a connection before anyone says more. */
export const DEFAULT_WINDOW = 65_535;
export const WINDOW_MAX = 2 ** 31 - 1;

/** A frame as it was read. */
export interface H2Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** One frame; text is latin1. */
export function frame(type: number, flags: number, stream: number, payload: string | Uint8Array = ''): Buffer {
  const body = Buffer.from(payload as string, 'latin1');
  const head = Buffer.alloc(FRAME_HEADER_BYTES);
  head.writeUIntBE(body.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, body]);
}

/** The first frame of `bytes`, or null while it is not whole. */
export function readFrame(bytes: Buffer): H2Frame | null {
  if (bytes.length < FRAME_HEADER_BYTES) return null;
  const end = FRAME_HEADER_BYTES + bytes.readUIntBE(0, 3);
  if (bytes.length < end) return null;
  return {
    type: bytes.readUInt8(3),
    flags: bytes.readUInt8(4),
    stream: bytes.readUInt32BE(5) & 0x7fff_ffff,
    payload: bytes.subarray(FRAME_HEADER_BYTES, end),
  };
}

/** The content of a DATA or HEADERS frame without its padding; null where the padding is longer than the frame. */
export function unpadded({ flags, payload }: H2Frame): Buffer | null {
  if ((flags & FLAG.padded) === 0) return payload;
  const padding = payload[0] ?? payload.length;
  return padding < payload.length ? payload.subarray(1, payload.length - padding) : null;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** `content` behind its pad length, with `padding` zero bytes behind it: the payload of a frame with the flag `padded`. */
export function padded(content: string | Uint8Array, padding: number): Buffer {
  return Buffer.concat([Buffer.of(padding), Buffer.from(content as string, 'latin1'), Buffer.alloc(padding)]);
}

/** DATA. */
export function data(stream: number, content: string | Uint8Array, flags = 0): Buffer {
  return frame(FRAME.data, flags, stream, content);
}

/** RST_STREAM with `code`. */
export function rstStream(stream: number, code: number): Buffer {
  return frame(FRAME.rstStream, 0, stream, uint32(code));
}

/** SETTINGS with `values`. */
export function settings(...values: readonly (readonly [id: number, value: number])[]): Buffer {
  const entries = values.map(([id, value]) => Buffer.concat([Buffer.of(id >> 8, id & 0xff), uint32(value)]));
  return frame(FRAME.settings, 0, 0, Buffer.concat(entries));
}

/** WINDOW_UPDATE by `increment`. */
export function windowUpdate(stream: number, increment: number): Buffer {
  return frame(FRAME.windowUpdate, 0, stream, uint32(increment));
}

/** GOAWAY with `code` and debug data. */
export function goaway(lastStream: number, code: number, debug = ''): Buffer {
  return frame(FRAME.goaway, 0, 0, Buffer.concat([uint32(lastStream), uint32(code), Buffer.from(debug, 'latin1')]));
}

/** HEADERS in one frame, all fields literal. */
export function head(stream: number, fields: readonly (readonly [name: string, value: string])[], flags = 0): Buffer {
  const block = fields.map(([name, value]) => literalField(name, value)).join('');
  return frame(FRAME.headers, FLAG.endHeaders | flags, stream, block);
}

/** HEADERS with status 200 and, where given, a content-length (RFC 7541: indexed field 8, literal with name 28). */
export function okHead(stream: number, contentLength: number | null, flags = 0): Buffer {
  const length = contentLength === null ? '' : `\x0f\x0d${plainText(String(contentLength))}`;
  return frame(FRAME.headers, FLAG.endHeaders | flags, stream, `\x88${length}`);
}
