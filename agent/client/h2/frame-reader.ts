/**
 * Cuts what a server sends into frames (RFC 9113 §4, §6), as it comes: in pieces of any size. Checks all of a frame that needs no memory of
 * streams: lengths, ids, padding, the order of CONTINUATION. DATA is handed on piece by piece without a copy; other payloads whole.
 */
import { DEFAULT_FRAME_BYTES_MAX, ERROR_CODE, FLAG, FRAME_HEADER_BYTES, FRAME_TYPE, MAX_31_BITS } from './frame.ts';

/** Bytes of a header block with its CONTINUATION frames, above which it is no head we know. */
const BLOCK_BYTES_MAX = 262_144;
/** Debug data of a GOAWAY that are handed on. */
const DEBUG_BYTES_MAX = 256;
/** Frames of one block: those without content cost the sender next to nothing. */
const CONTINUATIONS_MAX = 1000;

/** Gets the frames. Bytes are valid during the call only. */
export interface FrameSink {
  /** True once nothing more is to be read. */
  readonly over: boolean;
  /** A DATA frame begins: `flowBytes` is what it takes of the windows, padding included. */
  onDataFrame(stream: number, flowBytes: number): void;
  onDataPiece(stream: number, bytes: Uint8Array, from: number, to: number): void;
  onDataEnd(stream: number, endStream: boolean): void;
  /** A whole header block. */
  onHeaders(stream: number, bytes: Uint8Array, from: number, to: number, endStream: boolean): void;
  onReset(stream: number, code: number): void;
  /** Identifier and value, one after the other, as in the payload; 6 bytes each. */
  onSettings(payload: DataView): void;
  onPing(opaque: string): void;
  /** `debug`: its debug data, one character an octet. */
  onGoaway(lastStream: number, code: number, debug: string): void;
  onWindowUpdate(stream: number, increment: number): void;
  /** The server broke the rules of one stream. */
  onStreamBreach(stream: number, code: number, reason: string): void;
  /** The server broke the protocol: the connection is over. */
  onBreach(code: number, reason: string): void;
}

/** Reads the frames of one connection. */
export class FrameReader {
  private readonly sink: FrameSink;
  /** Head of the present frame where it came in pieces, then its payload where it must be whole. */
  private held = new Uint8Array(FRAME_HEADER_BYTES);
  private heldLength = 0;
  /** True while the payload of a frame is read. */
  private inPayload = false;
  private length = 0;
  private type = 0;
  private flags = 0;
  private stream = 0;
  private sawFrame = false;
  /** Of a DATA frame: bytes of the payload still to come, and those of them that are padding. */
  private dataLeft = 0;
  private paddingBytes = 0;
  private awaitsPadLength = false;
  /** A header block that goes on in CONTINUATION frames; its stream, 0 = none. */
  private blockStream = 0;
  private blockEndsStream = false;
  private blockPieces: Uint8Array[] = [];
  private blockBytes = 0;

  constructor(sink: FrameSink) {
    this.sink = sink;
  }

  /** Takes `bytes[from, to)`, what one read brought. */
  feed(bytes: Uint8Array, from: number, to: number): void {
    let at = from;
    while (at < to && !this.sink.over)
      at = this.inPayload ? this.takePayload(bytes, at, to) : this.takeHead(bytes, at, to);
  }

  private takeHead(bytes: Uint8Array, from: number, to: number): number {
    if (this.heldLength === 0 && to - from >= FRAME_HEADER_BYTES) {
      this.readHead(bytes, from);
      return from + FRAME_HEADER_BYTES;
    }
    const taken = Math.min(FRAME_HEADER_BYTES - this.heldLength, to - from);
    this.hold(bytes, from, from + taken);
    if (this.heldLength === FRAME_HEADER_BYTES) {
      this.heldLength = 0;
      this.readHead(this.held, 0);
    }
    return from + taken;
  }

  private readHead(bytes: Uint8Array, at: number): void {
    this.length = ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number);
    this.type = bytes[at + 3] as number;
    this.flags = bytes[at + 4] as number;
    this.stream = uint31(bytes, at + 5);
    this.inPayload = true;
    if (!this.checkHead()) return;
    this.sawFrame = true;
    if (this.type === FRAME_TYPE.data) this.beginData();
    else if (this.length === 0) this.endPayload(bytes, 0, 0);
  }

  /** False when the frame cannot be, whatever is in it. */
  private checkHead(): boolean {
    const { type, length, stream } = this;
    if (!this.sawFrame && (type !== FRAME_TYPE.settings || (this.flags & FLAG.ack) !== 0))
      return this.breach(ERROR_CODE.protocol, 'the server does not speak HTTP/2: its first bytes are no SETTINGS');
    if (length > DEFAULT_FRAME_BYTES_MAX)
      return this.breach(ERROR_CODE.frameSize, `a frame of ${length} bytes, above ${DEFAULT_FRAME_BYTES_MAX}`);
    if (this.blockStream !== 0 && (type !== FRAME_TYPE.continuation || stream !== this.blockStream))
      return this.breach(ERROR_CODE.protocol, 'another frame inside a header block');
    const rule = RULES[type];
    if (rule === undefined) return true;
    if (rule.onStream !== 'either' && (stream !== 0) !== rule.onStream)
      return this.breach(ERROR_CODE.protocol, `${rule.name} on stream ${stream}`);
    if (length < rule.bytesMin || length > rule.bytesMax)
      return this.breach(ERROR_CODE.frameSize, `${rule.name} of ${length} bytes`);
    return true;
  }

  private takePayload(bytes: Uint8Array, from: number, to: number): number {
    if (this.type === FRAME_TYPE.data) return this.takeData(bytes, from, to);
    if (this.heldLength === 0 && to - from >= this.length) {
      this.endPayload(bytes, from, from + this.length);
      return from + this.length;
    }
    const taken = Math.min(this.length - this.heldLength, to - from);
    this.hold(bytes, from, from + taken);
    if (this.heldLength === this.length) {
      this.heldLength = 0;
      this.endPayload(this.held, 0, this.length);
    }
    return from + taken;
  }

  private beginData(): void {
    this.dataLeft = this.length;
    this.paddingBytes = 0;
    this.awaitsPadLength = (this.flags & FLAG.padded) !== 0;
    if (this.awaitsPadLength && this.length === 0) {
      this.breach(ERROR_CODE.frameSize, 'padded DATA of 0 bytes');
      return;
    }
    this.sink.onDataFrame(this.stream, this.length);
    if (this.length === 0 && !this.sink.over) this.endData();
  }

  private takeData(bytes: Uint8Array, start: number, to: number): number {
    let from = start;
    if (this.awaitsPadLength) {
      this.awaitsPadLength = false;
      this.paddingBytes = bytes[from] as number;
      this.dataLeft -= 1;
      from += 1;
      if (this.paddingBytes > this.dataLeft) {
        this.breach(ERROR_CODE.protocol, `padding of ${this.paddingBytes} bytes in ${this.dataLeft} bytes of DATA`);
        return to;
      }
    }
    const end = Math.min(to, from + this.dataLeft);
    const contentEnd = Math.min(end, from + this.dataLeft - this.paddingBytes);
    if (contentEnd > from) this.sink.onDataPiece(this.stream, bytes, from, contentEnd);
    this.dataLeft -= end - from;
    if (this.dataLeft === 0 && !this.sink.over) this.endData();
    return end;
  }

  private endData(): void {
    this.inPayload = false;
    this.sink.onDataEnd(this.stream, (this.flags & FLAG.endStream) !== 0);
  }

  /** The payload of a frame that is not DATA is here. */
  private endPayload(bytes: Uint8Array, from: number, to: number): void {
    this.inPayload = false;
    switch (this.type) {
      case FRAME_TYPE.headers:
        this.takeHeaders(bytes, from, to);
        return;
      case FRAME_TYPE.continuation:
        this.takeContinuation(bytes, from, to);
        return;
      case FRAME_TYPE.rstStream:
        this.sink.onReset(this.stream, uint32(bytes, from));
        return;
      case FRAME_TYPE.settings:
        this.takeSettings(bytes, from, to);
        return;
      case FRAME_TYPE.ping:
        if ((this.flags & FLAG.ack) === 0) this.sink.onPing(latin1(bytes, from, to));
        return;
      case FRAME_TYPE.goaway:
        this.sink.onGoaway(
          uint31(bytes, from),
          uint32(bytes, from + 4),
          latin1(bytes, from + 8, Math.min(to, from + 8 + DEBUG_BYTES_MAX)),
        );
        return;
      case FRAME_TYPE.windowUpdate:
        this.sink.onWindowUpdate(this.stream, uint31(bytes, from));
        return;
      case FRAME_TYPE.pushPromise:
        this.breach(ERROR_CODE.protocol, 'PUSH_PROMISE, though we take no pushes');
        return;
      case FRAME_TYPE.priority:
        // What it says is nothing to a client (RFC 9113 §5.3.2).
        if (to - from !== 5)
          this.sink.onStreamBreach(this.stream, ERROR_CODE.frameSize, `PRIORITY of ${to - from} bytes`);
        return;
      default:
      // Unknown types are ignored (RFC 9113 §4.1).
    }
  }

  private takeSettings(bytes: Uint8Array, from: number, to: number): void {
    if ((this.flags & FLAG.ack) !== 0) {
      if (to > from) this.breach(ERROR_CODE.frameSize, `an acknowledgement of SETTINGS with ${to - from} bytes`);
      return;
    }
    if ((to - from) % 6 !== 0) this.breach(ERROR_CODE.frameSize, `SETTINGS of ${to - from} bytes`);
    else this.sink.onSettings(new DataView(bytes.buffer, bytes.byteOffset + from, to - from));
  }

  private takeHeaders(bytes: Uint8Array, start: number, end: number): void {
    let [from, to] = [start, end];
    if ((this.flags & FLAG.padded) !== 0) {
      const padding = from < to ? (bytes[from] as number) : 0;
      from += 1;
      to -= padding;
    }
    if ((this.flags & FLAG.priority) !== 0) from += 5;
    if (from > to) {
      this.breach(ERROR_CODE.protocol, `HEADERS of ${end - start} bytes are shorter than their padding and priority`);
      return;
    }
    const endStream = (this.flags & FLAG.endStream) !== 0;
    if ((this.flags & FLAG.endHeaders) !== 0) {
      this.sink.onHeaders(this.stream, bytes, from, to, endStream);
      return;
    }
    this.blockStream = this.stream;
    this.blockEndsStream = endStream;
    this.blockPieces = [];
    this.blockBytes = 0;
    this.keepPiece(bytes, from, to);
  }

  private takeContinuation(bytes: Uint8Array, from: number, to: number): void {
    if (this.blockStream === 0) {
      this.breach(ERROR_CODE.protocol, 'CONTINUATION without HEADERS');
      return;
    }
    this.keepPiece(bytes, from, to);
    if (this.blockBytes > BLOCK_BYTES_MAX || this.blockPieces.length > CONTINUATIONS_MAX) {
      this.breach(
        ERROR_CODE.protocol,
        `a header block of ${this.blockBytes} bytes in ${this.blockPieces.length} frames`,
      );
      return;
    }
    if ((this.flags & FLAG.endHeaders) === 0) return;
    this.blockStream = 0;
    const block = Buffer.concat(this.blockPieces);
    this.blockPieces = [];
    this.sink.onHeaders(this.stream, block, 0, block.length, this.blockEndsStream);
  }

  private keepPiece(bytes: Uint8Array, from: number, to: number): void {
    this.blockPieces.push(bytes.slice(from, to));
    this.blockBytes += to - from;
  }

  private hold(bytes: Uint8Array, from: number, to: number): void {
    const length = this.heldLength + to - from;
    if (length > this.held.length) {
      const larger = new Uint8Array(Math.max(length, this.inPayload ? this.length : 0));
      larger.set(this.held.subarray(0, this.heldLength));
      this.held = larger;
    }
    this.held.set(bytes.subarray(from, to), this.heldLength);
    this.heldLength = length;
  }

  private breach(code: number, reason: string): false {
    this.sink.onBreach(code, reason);
    return false;
  }
}

interface FrameRule {
  readonly name: string;
  /** Whether it belongs to a stream (true) or to the connection (false). */
  readonly onStream: boolean | 'either';
  readonly bytesMin: number;
  readonly bytesMax: number;
}

/** By type; types that are not in it are ignored. */
const RULES: readonly (FrameRule | undefined)[] = [
  { name: 'DATA', onStream: true, bytesMin: 0, bytesMax: Infinity },
  { name: 'HEADERS', onStream: true, bytesMin: 0, bytesMax: Infinity },
  { name: 'PRIORITY', onStream: true, bytesMin: 0, bytesMax: Infinity },
  { name: 'RST_STREAM', onStream: true, bytesMin: 4, bytesMax: 4 },
  { name: 'SETTINGS', onStream: false, bytesMin: 0, bytesMax: Infinity },
  { name: 'PUSH_PROMISE', onStream: true, bytesMin: 4, bytesMax: Infinity },
  { name: 'PING', onStream: false, bytesMin: 8, bytesMax: 8 },
  { name: 'GOAWAY', onStream: false, bytesMin: 8, bytesMax: Infinity },
  { name: 'WINDOW_UPDATE', onStream: 'either', bytesMin: 4, bytesMax: 4 },
  { name: 'CONTINUATION', onStream: true, bytesMin: 0, bytesMax: Infinity },
];

function uint32(bytes: Uint8Array, at: number): number {
  return (
    (((bytes[at] as number) << 24) |
      ((bytes[at + 1] as number) << 16) |
      ((bytes[at + 2] as number) << 8) |
      (bytes[at + 3] as number)) >>>
    0
  );
}

/** The first bit is reserved and says nothing. */
function uint31(bytes: Uint8Array, at: number): number {
  return uint32(bytes, at) & MAX_31_BITS;
}

function latin1(bytes: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...bytes.subarray(from, to));
}
