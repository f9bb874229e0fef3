/**
 * The streams of one connection: their ids, which are odd and ascend (RFC 9113 §5.1.1), and when the server was last heard on any of them.
 */
import { MAX_31_BITS } from './frame.ts';
import type { H2Exchange } from './h2-exchange.ts';
import { H2Stream } from './h2-stream.ts';

/** One per connection. */
export class StreamTable {
  /** Most streams open at once so far. */
  peak = 0;
  /** Last instant at which the server was heard on a stream that was open. */
  heardNs = -Infinity;
  /** Whether the connection was idle before the streams that it has now, and was not heard on any of them. */
  wasIdle = false;
  private readonly open = new Map<number, H2Stream>();
  private nextId = 1;

  /** Streams open now. */
  get size(): number {
    return this.open.size;
  }

  /** No further stream can be opened. */
  get isExhausted(): boolean {
    return this.nextId > MAX_31_BITS;
  }

  /** The next stream, for `exchange`; `windowBytes` of its body may be sent. */
  add(exchange: H2Exchange, windowBytes: number): H2Stream {
    const stream = new H2Stream(this.nextId, exchange, windowBytes);
    if (this.open.size === 0) this.wasIdle = stream.id > 1;
    this.open.set(stream.id, stream);
    this.nextId += 2;
    this.peak = Math.max(this.peak, this.open.size);
    return stream;
  }

  /** An open stream. */
  get(id: number): H2Stream | undefined {
    return this.open.get(id);
  }

  /** As `get`; the server was heard on it at `nowNs`. */
  hear(id: number, nowNs: number): H2Stream | undefined {
    const stream = this.open.get(id);
    if (stream === undefined) return undefined;
    this.heardNs = nowNs;
    this.wasIdle = false;
    return stream;
  }

  /** Whether there ever was such a stream. */
  wasOpened(id: number): boolean {
    return id % 2 === 1 && id < this.nextId;
  }

  /** Takes a stream off the connection. */
  remove(stream: H2Stream): void {
    stream.closed = true;
    stream.exchange.carrier = null;
    this.open.delete(stream.id);
  }

  /** All open streams, as they are now. */
  all(): H2Stream[] {
    return [...this.open.values()];
  }
}
