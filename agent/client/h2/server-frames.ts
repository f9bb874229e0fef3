/**
 * What the frames of a server mean for the streams of one connection: answers, windows, resets, and what breaks the rules. What they mean for
 * the connection itself, its beginning and its end, is told to that.
 */
import type { ConnectionOutput } from './connection-output.ts';
import { ERROR_CODE, pingAck, rstStream, SETTINGS_ACK, windowUpdate } from './frame.ts';
import type { FrameSink } from './frame-reader.ts';
import type { H2Exchange } from './h2-exchange.ts';
import type { H2Stream } from './h2-stream.ts';
import { HeadReader } from './head-reader.ts';
import type { PeerSettings } from './peer-settings.ts';
import { ReceiveWindow } from './receive-window.ts';
import { resetText } from './server-words.ts';
import type { StreamTable } from './stream-table.ts';

const WINDOW_TOO_LARGE = 'a window above 2^31-1';

/** The connection that the frames come on. */
export interface FramedConnection {
  /** True once nothing more is to be read. */
  readonly over: boolean;
  /** The server's SETTINGS hold from here on. */
  onSettings(): void;
  onGoaway(lastStream: number, code: number, debug: string): void;
  /** The server broke the protocol: the connection is over. */
  onBreach(code: number, reason: string): void;
  /** A stream has left the table. */
  afterStream(): void;
  /** The server did not process this request, as it said by `words`. `tookOthers`: the connection was not made in vain. */
  handBack(exchange: H2Exchange, tookOthers: boolean, words: string): void;
}

/** One per connection. */
export class ServerFrames implements FrameSink {
  /** Instant of the read being worked off. */
  readNs = 0;
  private readonly connection: FramedConnection;
  private readonly streams: StreamTable;
  private readonly output: ConnectionOutput;
  private readonly peer: PeerSettings;
  private readonly heads = new HeadReader();
  private readonly receiveWindow = new ReceiveWindow();

  constructor(connection: FramedConnection, streams: StreamTable, output: ConnectionOutput, peer: PeerSettings) {
    this.connection = connection;
    this.streams = streams;
    this.output = output;
    this.peer = peer;
  }

  get over(): boolean {
    return this.connection.over;
  }

  onDataFrame(id: number, flowBytes: number): void {
    const stream = this.knownStream(id, 'DATA');
    if (this.over) return;
    this.receiveWindow.take(flowBytes);
    stream?.receiveWindow.take(flowBytes);
    const bytes = this.receiveWindow.refill();
    if (bytes > 0) this.output.write(windowUpdate(0, bytes));
  }

  onDataPiece(id: number, bytes: Uint8Array, from: number, to: number): void {
    const stream = this.streams.get(id);
    if (stream === undefined) return;
    const fault = stream.takeData(bytes, from, to, this.readNs);
    if (fault !== null) this.breachStream(stream, ERROR_CODE.protocol, fault);
  }

  onDataEnd(id: number, endStream: boolean): void {
    const stream = this.streams.get(id);
    if (stream === undefined) return;
    if (endStream) {
      this.endStream(stream);
      return;
    }
    const bytes = stream.receiveWindow.refill();
    if (bytes > 0) this.output.write(windowUpdate(id, bytes));
  }

  onHeaders(id: number, bytes: Uint8Array, from: number, to: number, endStream: boolean): void {
    const refusal = this.heads.read(bytes, from, to);
    if (refusal !== null) {
      this.onBreach(ERROR_CODE.compression, refusal);
      return;
    }
    const stream = this.knownStream(id, 'HEADERS');
    if (stream === undefined) return;
    const fault = stream.takeHead(this.heads.head, endStream, this.readNs);
    if (fault !== null) this.breachStream(stream, ERROR_CODE.protocol, fault);
    else if (endStream) this.endStream(stream);
  }

  onReset(id: number, code: number): void {
    const stream = this.knownStream(id, 'RST_STREAM');
    if (stream === undefined) return;
    this.streams.remove(stream);
    const isRefused = code === ERROR_CODE.refusedStream && stream.exchange.status === null;
    if (isRefused) this.connection.handBack(stream.exchange, false, resetText(code));
    this.connection.afterStream();
    if (!isRefused) stream.endReset(code, this.readNs);
  }

  onSettings(payload: DataView): void {
    const windowBefore = this.peer.windowBytes;
    const breach = this.peer.apply(payload);
    if (breach !== null) {
      this.onBreach(breach.code, breach.reason);
      return;
    }
    const change = this.peer.windowBytes - windowBefore;
    if (change !== 0) {
      for (const stream of this.streams.all()) {
        if (stream.widen(change)) this.output.resume(stream);
        else {
          this.onBreach(ERROR_CODE.flowControl, WINDOW_TOO_LARGE);
          return;
        }
      }
    }
    if (this.acknowledge(SETTINGS_ACK)) this.connection.onSettings();
  }

  onPing(opaque: string): void {
    this.acknowledge(pingAck(opaque));
  }

  onGoaway(lastStream: number, code: number, debug: string): void {
    this.connection.onGoaway(lastStream, code, debug);
  }

  onWindowUpdate(id: number, increment: number): void {
    if (id === 0) {
      if (increment === 0) this.onBreach(ERROR_CODE.protocol, 'WINDOW_UPDATE of 0');
      else if (!this.output.uploads.widen(increment)) this.onBreach(ERROR_CODE.flowControl, WINDOW_TOO_LARGE);
      else this.output.resume(null);
      return;
    }
    const stream = this.knownStream(id, 'WINDOW_UPDATE');
    if (stream === undefined) return;
    if (increment === 0) this.breachStream(stream, ERROR_CODE.protocol, 'WINDOW_UPDATE of 0');
    else if (stream.widen(increment)) this.output.resume(stream);
    else this.breachStream(stream, ERROR_CODE.flowControl, WINDOW_TOO_LARGE);
  }

  onStreamBreach(id: number, code: number, reason: string): void {
    const stream = this.streams.get(id);
    if (stream !== undefined) this.breachStream(stream, code, reason);
  }

  onBreach(code: number, reason: string): void {
    this.connection.onBreach(code, reason);
  }

  /** False when that has ended the connection. */
  private acknowledge(text: string): boolean {
    if (this.output.acknowledge(text)) return true;
    this.onBreach(ERROR_CODE.enhanceYourCalm, 'the server leaves too many acknowledgements unread that it asked for');
    return false;
  }

  /** The stream of a frame; undefined when it has ended for us. A stream that was never opened ends the connection (RFC 9113 §5.1). */
  private knownStream(id: number, frame: string): H2Stream | undefined {
    const stream = this.streams.hear(id, this.readNs);
    if (stream === undefined) {
      if (!this.streams.wasOpened(id))
        this.onBreach(ERROR_CODE.protocol, `${frame} on stream ${id}, which was never opened`);
      return undefined;
    }
    // Its request is held back for the end of this read, or left after it had come: nobody can have answered that.
    const { dispatchedNs } = stream.exchange;
    if (dispatchedNs === -Infinity || dispatchedNs > this.readNs) {
      this.onBreach(ERROR_CODE.protocol, `${frame} on stream ${id} before its request was sent`);
      return undefined;
    }
    return stream;
  }

  /** The server ended its answer. */
  private endStream(stream: H2Stream): void {
    this.streams.remove(stream);
    // The answer is here though not all of the request is there: the server need not take the rest (RFC 9113 §8.1).
    if (stream.bodyLeft > 0) this.output.write(rstStream(stream.id, ERROR_CODE.cancel));
    this.connection.afterStream();
    stream.endAnswered(this.readNs);
  }

  /** The server broke the rules of one stream: its connection goes on. */
  private breachStream(stream: H2Stream, code: number, reason: string): void {
    this.streams.remove(stream);
    this.output.write(rstStream(stream.id, code));
    this.connection.afterStream();
    stream.endBroken(reason, this.readNs);
  }
}
