/**
 * One end of a stream of messages, in domain values, with the three faults of R081 and R083 ruled out: `write` says when to
 * stop, every drain says when to go on, and the end comes exactly once as a value that tells a clean end from a broken link.
 * Whether a clean end is a good one is the owner's to judge: it knows which message had to come last.
 */
import type { FleetError } from '../fleet-error.ts';
import { startLongTimer } from '../time/long-timer.ts';

/** How a stream ended. */
export type StreamEnd =
  /** The peer closed it without an error. */
  { readonly kind: 'ended' } | { readonly kind: 'failed'; readonly error: FleetError };

/** What the owner of a stream is told. */
export interface StreamHandlers<In> {
  /** A message came. What it throws ends the stream as failed. */
  onMessage(message: In): void;
  /** Writing may go on; called on every drain after `write` returned false. */
  onWritable?(): void;
  /** The last call, exactly once. */
  onClosed(end: StreamEnd): void;
}

/** The part of grpc-js's streams (client and server) that is used. */
interface GrpcStream<WireOut, WireIn> {
  write(message: WireOut): boolean;
  end(): void;
  on(event: 'data', listener: (message: WireIn) => void): unknown;
  on(event: 'drain' | 'end' | 'cancelled', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** How messages and errors cross the border. */
export interface StreamBorder<Out, WireOut, In, WireIn> {
  toWire(message: Out): WireOut;
  fromWire(message: WireIn): In;
  /** The error that the platform's error means. */
  errorOf(thrown: unknown): FleetError;
  /** Ends the stream at once, telling the peer as far as it still can be told. */
  abort(error: FleetError): void;
}

/** One end of a stream. */
export class MessageStream<Out> {
  readonly #write: (message: Out) => boolean;
  readonly #end: () => void;
  readonly #abort: (error: FleetError) => void;
  #isWritable = true;
  #close: ((end: StreamEnd) => void) | null;

  private constructor(parts: {
    write: (message: Out) => boolean;
    end: () => void;
    abort: (error: FleetError) => void;
    close: (end: StreamEnd) => void;
  }) {
    this.#write = parts.write;
    this.#end = parts.end;
    this.#abort = parts.abort;
    this.#close = parts.close;
  }

  /** Takes over a grpc-js stream; `accept` gets this end of it and says who listens. It must not write yet. */
  static over<Out, WireOut, In, WireIn>(
    stream: GrpcStream<WireOut, WireIn>,
    border: StreamBorder<Out, WireOut, In, WireIn>,
    accept: (self: MessageStream<Out>) => StreamHandlers<In>,
  ): MessageStream<Out> {
    const self: MessageStream<Out> = new MessageStream<Out>({
      write: (message) => stream.write(border.toWire(message)),
      end: () => stream.end(),
      abort: (error) => border.abort(error),
      close: (end) => handlers.onClosed(end),
    });
    const handlers = accept(self);
    stream.on('data', (wire) => {
      if (self.isClosed) return;
      try {
        handlers.onMessage(border.fromWire(wire));
      } catch (thrown) {
        self.abort(border.errorOf(thrown));
      }
    });
    stream.on('drain', () => {
      self.#isWritable = true;
      if (!self.isClosed) handlers.onWritable?.();
    });
    stream.on('error', (error) => self.#finish({ kind: 'failed', error: border.errorOf(error) }));
    // A server's stream says `end` for a broken connection too, and only then `cancelled`: wait a turn before believing it.
    stream.on('end', () => startLongTimer(() => self.#finish({ kind: 'ended' }), 0));
    stream.on('cancelled', () =>
      self.#finish({ kind: 'failed', error: border.errorOf(new Error('the peer is gone')) }),
    );
    return self;
  }

  /** False between a `write` that returned false and the next drain, and once closed. */
  get isWritable(): boolean {
    return this.#isWritable && !this.isClosed;
  }

  get isClosed(): boolean {
    return this.#close === null;
  }

  /** Sends a message. False = the buffer is full: write nothing more until `onWritable`. Nothing is sent once closed. */
  write(message: Out): boolean {
    if (this.isClosed) return false;
    this.#isWritable = this.#write(message);
    return this.#isWritable;
  }

  /** Says that nothing more will be written; what the peer still sends is delivered. */
  end(): void {
    if (!this.isClosed) this.#end();
  }

  /** Ends the stream at once; `onClosed` follows synchronously with `error`. */
  abort(error: FleetError): void {
    if (this.isClosed) return;
    this.#finish({ kind: 'failed', error });
    this.#abort(error);
  }

  #finish(end: StreamEnd): void {
    const close = this.#close;
    if (close === null) return;
    this.#close = null;
    close(end);
    // The peer has nothing more to say, and after this end nor have we.
    if (end.kind === 'ended') this.#end();
  }
}
