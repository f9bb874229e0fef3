/**
 * What one connection has to send: texts that are held back while a read is worked off (`output-turn.ts`), then bodies. It stamps requests
 * when their first byte goes to the socket; until then they can be taken back.
 */
import type { Socket } from 'node:net';
import { TextWriter } from '../text-writer.ts';
import type { H2ConnectionOwner } from './h2-owner.ts';
import type { H2Stream } from './h2-stream.ts';
import { Uploads } from './uploads.ts';
import { onceRead, tellRefusalsLate } from './write-refusal.ts';

/** Bytes to send that do not wait for the end of a read. */
const FLUSH_BYTES = 4096;
/** Bytes of acknowledgements that are kept for a server that asks for more and more of them and does not read. */
const UNREAD_ACK_BYTES_MAX = 262_144;

/** One per connection. */
export class ConnectionOutput {
  readonly uploads: Uploads;
  /** Whether a request has left on this connection. */
  hasSentRequests = false;
  /** A write was refused: nothing more leaves. */
  isBroken = false;
  private readonly owner: H2ConnectionOwner<unknown>;
  private readonly texts: TextWriter;
  private text = '';
  /** Streams whose request is in `text`. */
  private unsent: H2Stream[] = [];
  /** Where in `text` their frames begin and end, in turn. */
  private unsentParts: number[] = [];
  private isNoted = false;
  /** All bytes given to the socket. */
  private writtenBytes = 0;
  /** Bytes of acknowledgements since the socket was seen to have sent its first `ackedFromBytes`. */
  private ackBytes = 0;
  private ackedFromBytes = 0;

  /** `frameBytesMax`: the server's present limit. */
  constructor(owner: H2ConnectionOwner<unknown>, socket: Socket, frameBytesMax: () => number) {
    this.owner = owner;
    this.texts = new TextWriter(socket, owner.encrypted, (error) => this.breakOff(socket, error));
    tellRefusalsLate(socket, () => (this.isBroken = true));
    this.uploads = new Uploads(socket, frameBytesMax, (bytes) => this.countSent(bytes));
  }

  /** Sends `text` behind what is held back, at the latest when the present read has been worked off. */
  write(text: string): void {
    this.text += text;
    if (this.text.length >= FLUSH_BYTES) this.flush();
    else this.noteOnce();
  }

  /** As `write`; `text` opens `stream`. */
  writeRequest(stream: H2Stream, text: string): void {
    this.unsent.push(stream);
    this.unsentParts.push(this.text.length, this.text.length + text.length);
    this.write(text);
  }

  /** As `write`; `text` ends `stream`: it stays with a request that has not left. */
  writeEnd(stream: H2Stream, text: string): void {
    if (this.unsent.includes(stream)) this.unsentParts.push(this.text.length, this.text.length + text.length);
    this.write(text);
  }

  /** Takes back the requests that have not left: nothing of them goes out. Gives their streams, those that have ended included. */
  withdraw(): readonly H2Stream[] {
    const { text, unsent, unsentParts } = this;
    let kept = '';
    let at = 0;
    for (let part = 0; part < unsentParts.length; part += 2) {
      kept += text.slice(at, unsentParts[part]);
      at = unsentParts[part + 1] as number;
    }
    this.text = kept + text.slice(at);
    this.unsent = [];
    this.unsentParts = [];
    return unsent;
  }

  /** Sends an acknowledgement, as `write`. False when the server leaves too many of them unread. */
  acknowledge(text: string): boolean {
    if (this.writtenBytes - this.texts.backlogBytes >= this.ackedFromBytes) {
      this.ackedFromBytes = this.writtenBytes;
      this.ackBytes = 0;
    }
    this.ackBytes += text.length;
    if (this.ackBytes > UNREAD_ACK_BYTES_MAX) return false;
    this.write(text);
    return true;
  }

  /** The server takes more of the body of `stream`, or of all bodies (null). */
  resume(stream: H2Stream | null): void {
    if (stream !== null) this.uploads.add(stream);
    this.noteOnce();
  }

  /** Sends what is held back. */
  flush(): void {
    this.isNoted = false;
    if (this.text !== '') this.writeText();
    this.uploads.send();
  }

  /**
   * What the server sent before it closed may not have been read: answers, and which requests it leaves to other connections (R021). So
   * that is read before the socket is ended by the error.
   */
  private breakOff(socket: Socket, error: Error): void {
    if (this.isBroken) return;
    this.isBroken = true;
    onceRead(() => socket.destroy(error));
  }

  private countSent(bytes: number): void {
    this.writtenBytes += bytes;
    this.owner.counters.bytesSent += bytes;
  }

  private noteOnce(): void {
    if (this.isNoted) return;
    this.isNoted = true;
    this.owner.turn.note(this);
  }

  /**
   * Who is told that a request was sent may send the next one: so only behind the write, as streams must open in the order of their ids.
   */
  private writeText(): void {
    const { text, unsent } = this;
    this.text = '';
    this.countSent(text.length);
    if (unsent.length === 0) {
      this.texts.write(text);
      return;
    }
    this.unsent = [];
    this.unsentParts = [];
    this.hasSentRequests = true;
    const nowNs = this.owner.nowNs();
    this.texts.write(text);
    // What was moved to another connection meanwhile is sent there.
    for (const { exchange, closed } of unsent) if (!closed) exchange.dispatchedNs = nowNs;
    for (const { exchange, closed } of unsent) {
      if (closed || exchange.sent || exchange.ended) continue;
      exchange.sent = true;
      exchange.sink.onSend(nowNs);
    }
  }
}
