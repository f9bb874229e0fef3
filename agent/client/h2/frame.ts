/**
 * The frames of HTTP/2 (RFC 9113 §4, §6) as we write them: latin1 texts, one character a byte, so that what one turn sends is joined and
 * goes out in one system call. Reading them is `frame-reader.ts`.
 */

/** Types of RFC 9113 §6 that we know. */
export const FRAME_TYPE = {
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

/** Flags; `ack` is for SETTINGS and PING what `endStream` is for DATA and HEADERS. */
export const FLAG = { ack: 0x1, endStream: 0x1, endHeaders: 0x4, padded: 0x8, priority: 0x20 } as const;

/** Error codes of RFC 9113 §7 that we send or tell apart. */
export const ERROR_CODE = {
  none: 0,
  protocol: 1,
  flowControl: 3,
  streamClosed: 5,
  frameSize: 6,
  refusedStream: 7,
  cancel: 8,
  compression: 9,
  enhanceYourCalm: 11,
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

/** Length, type, flags and stream. */
export const FRAME_HEADER_BYTES = 9;
/** Largest payload of either side until SETTINGS say otherwise; ours never do. */
export const DEFAULT_FRAME_BYTES_MAX = 16_384;
/** Both windows of a connection that has seen no SETTINGS. */
export const DEFAULT_WINDOW_BYTES = 65_535;
/** Windows and stream ids end here (31 bits). */
export const MAX_31_BITS = 2 ** 31 - 1;

/** What a client sends first (RFC 9113 §3.4). */
export const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';

/** The nine bytes before a payload of `length` bytes. */
export function frameHead(length: number, type: number, flags: number, stream: number): string {
  return String.fromCharCode(length >>> 16, (length >>> 8) & 0xff, length & 0xff, type, flags) + uint32(stream);
}

/** HEADERS, and CONTINUATION where `block` is longer than one frame of `frameBytesMax` may be. */
export function headersFrames(stream: number, block: string, endStream: boolean, frameBytesMax: number): string {
  const end = endStream ? FLAG.endStream : 0;
  if (block.length <= frameBytesMax)
    return frameHead(block.length, FRAME_TYPE.headers, end | FLAG.endHeaders, stream) + block;
  let text = frameHead(frameBytesMax, FRAME_TYPE.headers, end, stream) + block.slice(0, frameBytesMax);
  for (let at = frameBytesMax; at < block.length; at += frameBytesMax) {
    const part = block.slice(at, at + frameBytesMax);
    const flags = at + frameBytesMax >= block.length ? FLAG.endHeaders : 0;
    text += frameHead(part.length, FRAME_TYPE.continuation, flags, stream) + part;
  }
  return text;
}

/** SETTINGS with `values` by identifier. */
export function settingsFrame(values: readonly (readonly [identifier: number, value: number])[]): string {
  const payload = values.map(([identifier, value]) => String.fromCharCode(0, identifier) + uint32(value)).join('');
  return frameHead(payload.length, FRAME_TYPE.settings, 0, 0) + payload;
}

/** The answer to the peer's SETTINGS. */
export const SETTINGS_ACK = frameHead(0, FRAME_TYPE.settings, FLAG.ack, 0);

/** The answer to a PING of `opaque`, 8 characters. */
export function pingAck(opaque: string): string {
  return frameHead(8, FRAME_TYPE.ping, FLAG.ack, 0) + opaque;
}

/** More room for the peer: on `stream`, or on the connection for 0. */
export function windowUpdate(stream: number, bytes: number): string {
  return frameHead(4, FRAME_TYPE.windowUpdate, 0, stream) + uint32(bytes);
}

/** The end of one stream. */
export function rstStream(stream: number, code: number): string {
  return frameHead(4, FRAME_TYPE.rstStream, 0, stream) + uint32(code);
}

/** The end of the connection; the server opened no streams. */
export function goaway(code: number): string {
  return frameHead(8, FRAME_TYPE.goaway, 0, 0) + uint32(0) + uint32(code);
}

function uint32(value: number): string {
  return String.fromCharCode(value >>> 24, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff);
}
