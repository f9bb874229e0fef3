/**
 * One HTTP/2 connection (RFC 9113) on a plain or TLS socket, from its greeting to its end: it sends requests that need no table of the
 * server's, and gives what it reads to `ServerFrames`. Streams are counted against the server's announced limit, so that no request waits
 * unseen (R022). After GOAWAY it takes no new request; streams that the server did not process are handed back (R021).
 */
import type { Socket } from 'node:net';
import { withStatus } from '../../../shared/metrics/outcome.ts';
import { errorCodeOf, HTTP2_HANDSHAKE } from '../connect-failure.ts';
import { CLIENT_CLOSED } from '../protocol-client.ts';
import type { AddressUse } from '../target-address.ts';
import { ConnectionOutput } from './connection-output.ts';
import {
  DEFAULT_WINDOW_BYTES,
  ERROR_CODE,
  goaway,
  headersFrames,
  PREFACE,
  rstStream,
  SETTING,
  settingsFrame,
  windowUpdate,
} from './frame.ts';
import { FrameReader } from './frame-reader.ts';
import type { H2Exchange } from './h2-exchange.ts';
import type { Handshake, H2ConnectionOwner } from './h2-owner.ts';
import type { H2Stream } from './h2-stream.ts';
import { PeerSettings } from './peer-settings.ts';
import { WINDOW_BYTES } from './receive-window.ts';
import { type FramedConnection, ServerFrames } from './server-frames.ts';
import { goawayText } from './server-words.ts';
import { StreamTable } from './stream-table.ts';

/** How long a server that does not read may hold up the end of a connection, ms. */
const FAREWELL_MS = 1000;
/** First in the first block of a connection: we use no header table, whatever the server allows (RFC 7541 §6.3). */
const NO_TABLE = '\x20';
const FIRST_BYTES =
  PREFACE +
  settingsFrame([
    [SETTING.enablePush, 0],
    [SETTING.initialWindowSize, WINDOW_BYTES],
  ]) +
  windowUpdate(0, WINDOW_BYTES - DEFAULT_WINDOW_BYTES);

/** `opening` until the server's SETTINGS, `ready` while it takes requests, `leaving` while the last streams end. */
type ConnectionState =
  | { readonly kind: 'opening'; readonly handshake: Handshake<H2Connection> }
  | { readonly kind: 'ready' | 'leaving' | 'closed' };

/** An HTTP/2 connection of a client. */
export class H2Connection implements FramedConnection {
  /** From when on its owner gives it no more requests. */
  retireAtNs = Infinity;
  private readonly owner: H2ConnectionOwner<H2Connection>;
  private readonly socket: Socket;
  private readonly use: AddressUse;
  private readonly ownStreamsMax: number;
  private readonly output: ConnectionOutput;
  private readonly reader: FrameReader;
  private readonly frames: ServerFrames;
  private readonly peer = new PeerSettings();
  private readonly streams = new StreamTable();
  private state: ConnectionState;
  /** What the server said last of the whole connection, or null. */
  private farewell: string | null = null;

  constructor(
    owner: H2ConnectionOwner<H2Connection>,
    socket: Socket,
    use: AddressUse,
    ownStreamsMax: number,
    handshake: Handshake<H2Connection>,
  ) {
    this.owner = owner;
    this.socket = socket;
    this.use = use;
    this.ownStreamsMax = ownStreamsMax;
    this.state = { kind: 'opening', handshake };
    this.output = new ConnectionOutput(owner, socket, () => this.peer.frameBytesMax);
    this.frames = new ServerFrames(this, this.streams, this.output, this.peer);
    this.reader = new FrameReader(this.frames);
    socket.on('error', (error) => this.gone(errorCodeOf(error)));
    socket.on('end', () => this.gone(null));
    socket.on('close', () => this.gone(null));
    socket.resume();
    this.output.write(FIRST_BYTES);
  }

  get streamsOpen(): number {
    return this.streams.size;
  }

  /** Most streams open at once so far. */
  get streamsPeak(): number {
    return this.streams.peak;
  }

  /** How many more requests it can take now. */
  get streamsFree(): number {
    if (this.state.kind !== 'ready' || this.output.isBroken) return 0;
    return Math.min(this.ownStreamsMax, this.peer.streamsMax) - this.streams.size;
  }

  get over(): boolean {
    return this.state.kind === 'closed';
  }

  /** Opens a stream for `exchange`; only while `streamsFree` is above 0. */
  dispatch(exchange: H2Exchange): void {
    const stream = this.streams.add(exchange, this.peer.windowBytes);
    exchange.streamId = stream.id;
    exchange.carrier = this;
    exchange.dispatchedNs = -Infinity;
    this.use.requests += 1;
    const block = stream.id === 1 ? NO_TABLE + exchange.block : exchange.block;
    const hasBody = stream.bodyLeft > 0;
    let text = headersFrames(stream.id, block, !hasBody, this.peer.frameBytesMax);
    if (hasBody) {
      const whole = this.output.uploads.takeWhole(stream);
      if (whole === null) this.output.uploads.add(stream);
      else text += whole;
    }
    this.output.writeRequest(stream, text);
    if (this.streams.isExhausted) this.retire();
  }

  /** `exchange` was given up. Where the server has not been heard since it was sent, the next requests go elsewhere. */
  abandon(exchange: H2Exchange): void {
    const stream = this.streams.get(exchange.streamId);
    if (stream?.exchange !== exchange) return;
    this.streams.remove(stream);
    this.output.writeEnd(stream, rstStream(stream.id, ERROR_CODE.cancel));
    if (exchange.dispatchedNs > this.streams.heardNs) this.retire();
    else this.afterStream();
  }

  /** Takes no more requests; the connection is closed when its last stream has ended. */
  retire(): void {
    this.leave();
    this.closeIfIdle();
  }

  /** Closes the connection; its streams have failed by that. */
  close(): void {
    this.leave();
    this.closeWith(ERROR_CODE.none, ({ exchange }, nowNs) =>
      exchange.end(withStatus(CLIENT_CLOSED, exchange.status), nowNs),
    );
  }

  /** Takes the first `length` bytes of one network read. */
  takeRead(bytes: Uint8Array, length: number): void {
    this.owner.counters.bytesReceived += length;
    this.frames.readNs = this.owner.nowNs();
    this.owner.turn.during(() => this.reader.feed(bytes, 0, length));
  }

  onSettings(): void {
    const { state } = this;
    if (state.kind === 'opening') {
      this.state = { kind: 'ready' };
      state.handshake.onReady(this);
    } else this.owner.onFree(this);
  }

  onGoaway(lastStream: number, code: number, debug: string): void {
    const words = goawayText(code, debug);
    this.farewell = words;
    const { state } = this;
    if (state.kind === 'opening') {
      this.fail(state.handshake, words);
      return;
    }
    this.leave();
    // Another connection would be told the same: also what has not left ends here.
    if (code === ERROR_CODE.http11Required) {
      this.use.requests -= this.output.withdraw().length;
      this.closeWith(ERROR_CODE.none, (stream, nowNs) => {
        if (stream.exchange.status === null) stream.endBroken(words, nowNs);
        else stream.endClosed(words, null, false, nowNs);
      });
      return;
    }
    this.handBackUnsent();
    for (const stream of this.streams.all()) {
      if (stream.id <= lastStream || stream.exchange.status !== null) continue;
      this.streams.remove(stream);
      this.handBack(stream.exchange, lastStream > 0, words);
    }
    // Who ends a connection for an error closes it (RFC 9113 §5.4.1).
    if (code !== ERROR_CODE.none) this.closeAll();
    else this.closeIfIdle();
  }

  onBreach(code: number, reason: string): void {
    const { state } = this;
    if (state.kind === 'opening') {
      this.fail(state.handshake, reason);
      return;
    }
    this.leave();
    this.closeWith(code, (stream, nowNs) => stream.endBroken(reason, nowNs));
  }

  /** Before an end is told: what its sink sends then must not overtake those that wait for a stream. */
  afterStream(): void {
    if (this.state.kind === 'ready') this.owner.onFree(this);
    else this.closeIfIdle();
  }

  handBack(exchange: H2Exchange, tookOthers: boolean, words: string): void {
    if (!exchange.ended) this.owner.onRefused(exchange, tookOthers, words);
  }

  /** No stream may be opened any more: what has not left is for another connection. */
  private handBackUnsent(): void {
    for (const stream of this.output.withdraw()) {
      this.use.requests -= 1;
      if (stream.closed) continue;
      this.streams.remove(stream);
      this.handBack(stream.exchange, this.output.hasSentRequests, this.farewell ?? 'the connection closed');
    }
  }

  private leave(): void {
    if (this.state.kind !== 'ready') return;
    this.state = { kind: 'leaving' };
    this.owner.onLeaving(this);
  }

  private end(): void {
    this.state = { kind: 'closed' };
    this.owner.onClosed(this);
  }

  private closeIfIdle(): void {
    if (this.state.kind === 'leaving' && this.streams.size === 0) this.closeAll();
  }

  private closeAll(): void {
    this.closeWith(ERROR_CODE.none, (stream, nowNs) => stream.endClosed(this.farewell, null, false, nowNs));
  }

  /** Says goodbye with `code` and closes; `end` ends each stream that is left. */
  private closeWith(code: number, end: (stream: H2Stream, nowNs: number) => void): void {
    if (this.state.kind === 'closed') return;
    this.end();
    this.handBackUnsent();
    this.output.write(goaway(code));
    this.output.flush();
    this.socket.setTimeout(FAREWELL_MS, () => this.socket.destroy());
    this.socket.destroySoon();
    this.endStreams(end);
  }

  /** The socket is gone. */
  private gone(code: string | null): void {
    const { state } = this;
    if (state.kind === 'closed') return;
    if (state.kind === 'opening') {
      this.state = { kind: 'closed' };
      state.handshake.onFailed(
        Object.assign(new Error('the connection closed before SETTINGS'), { code: code ?? 'ECONNRESET' }),
      );
      return;
    }
    this.leave();
    this.end();
    this.socket.destroy();
    this.endStreams((stream, nowNs) => stream.endClosed(this.farewell, code, this.streams.wasIdle, nowNs));
  }

  private endStreams(end: (stream: H2Stream, nowNs: number) => void): void {
    const nowNs = this.owner.nowNs();
    for (const stream of this.streams.all()) {
      this.streams.remove(stream);
      end(stream, nowNs);
    }
  }

  private fail(handshake: Handshake<H2Connection>, reason: string): void {
    this.state = { kind: 'closed' };
    this.socket.destroy();
    handshake.onFailed(Object.assign(new Error(reason), { code: HTTP2_HANDSHAKE }));
  }
}
