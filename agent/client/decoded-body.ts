/**
 * Decodes the body of an answer that has a Content-Encoding, to count its bytes and to learn whether it is whole (R030). It stands between a
 * client's exchange and the request's sink, from the head of the answer on. Decoding runs in the platform's thread pool, beside the loop, and
 * its time is no time of the answer: the end that the sink is told is that of the last byte on the wire, told when decoding is over.
 */
import type { Transform } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib';
import type { Outcome } from '../../shared/metrics/outcome.ts';
import { CLIENT_CLOSED, type ClientCounters, type ResponseSink, type WaitKind } from './protocol-client.ts';

/** Coded bytes of one answer that may wait to be decoded: a target that sends faster than that for long is not followed. */
const BACKLOG_BYTES_MAX = 67_108_864;

/** A window of 8 MiB is the most that a body in HTTP may ask for (RFC 9659 §3); the format would allow a hundred times as much. */
const ZSTD_WINDOW_LOG_MAX = 23;

/** A request in a client's hands, as far as its answer's body is decoded. */
export interface DecodingExchange {
  sink: ResponseSink;
  /** Takes the place of `sink` once a coded body is on its way. */
  decoding: DecodedBody | null;
  /** Null = its body is left as it is. */
  readonly decodesFor: BodyDecoding | null;
}

/** Names of codings that are not known here and are told of; a server could make up more and more. */
const UNKNOWN_MAX = 4;
const NAME_LENGTH_MAX = 40;

/** What one client decodes. */
export class BodyDecoding {
  readonly counters: ClientCounters;
  #warnings: string[] = [];
  readonly #unknown = new Set<string>();
  /** Bodies that are here, and are still being decoded: their exchanges are on no connection. */
  readonly ending = new Set<DecodedBody>();

  constructor(counters: ClientCounters) {
    this.counters = counters;
  }

  /** A body came in the coding `name`, which is not known here. */
  noteUnknown(name: string): void {
    if (this.#unknown.has(name) || this.#unknown.size >= UNKNOWN_MAX) return;
    this.#unknown.add(name);
    const shown = JSON.stringify(name.replace(/[^\x20-\x7e]/g, '?').slice(0, NAME_LENGTH_MAX));
    this.#warnings.push(
      `answers with content-encoding ${shown} were not decoded, so that a corrupt one is ok: known is one of ${[...DECODERS.keys()].join(', ')}`,
    );
  }

  /** Texts for the report since the last call. */
  takeWarnings(): readonly string[] {
    const warnings = this.#warnings;
    if (warnings.length > 0) this.#warnings = [];
    return warnings;
  }

  /** The client is closed: answers that are still being decoded have failed by it. */
  close(): void {
    for (const body of [...this.ending]) body.giveUp(CLIENT_CLOSED.detail);
  }
}

/** Makes a decoder; `first` is the first byte of the body. */
type CreateDecoder = (first: number) => Transform;

const createDeflateDecoder: CreateDecoder = (first) =>
  // The name means the zlib format (RFC 9110 §8.4.1.2), whose first byte ends in method 8; some servers send bare deflate data.
  (first & 0x0f) === 8 ? createInflate() : createInflateRaw();

/** By the name of the coding. */
const DECODERS: ReadonlyMap<string, CreateDecoder> = new Map<string, CreateDecoder>([
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  ['deflate', createDeflateDecoder],
  ['br', () => createBrotliDecompress()],
  ['zstd', () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG_MAX } })],
]);

/**
 * The answer of `exchange` has `coding` as its Content-Encoding, null for none: from now on its body is decoded. One that is not known here,
 * or several, is left as it is, and is told of. Call behind `onFirstByte`.
 */
export function decodeBody(exchange: DecodingExchange, coding: string | null): void {
  const client = exchange.decodesFor;
  if (coding === null || client === null) return;
  const name = coding.trim().toLowerCase();
  // A word that says that there is none (RFC 9110 §12.5.3).
  if (name === '' || name === 'identity') return;
  const create = DECODERS.get(name);
  if (create === undefined) {
    client.noteUnknown(name);
    return;
  }
  exchange.decoding = new DecodedBody(name, create, exchange.sink, client);
  exchange.sink = exchange.decoding;
}

/**
 * `reading`: the body is on its way. `decoded`: as before, but the coded data ended, well or by `fault`. `ending`: the body is here, and is
 * being decoded. `over`: the sink knows.
 */
type State =
  | { readonly kind: 'reading' }
  | { readonly kind: 'decoded'; readonly fault: Fault | null }
  | { readonly kind: 'ending'; readonly outcome: Outcome; readonly endNs: number }
  | { readonly kind: 'over' };

/** Why a body is not what its coding says. */
interface Fault {
  readonly class: 'protocol' | 'truncated' | 'generator';
  readonly detail: string;
}

/** The sink of one answer with a coded body. */
export class DecodedBody implements ResponseSink {
  readonly wantsBytes = true;
  readonly #coding: string;
  readonly #create: CreateDecoder;
  readonly #inner: ResponseSink;
  readonly #client: BodyDecoding;
  /** Null until the first byte came. */
  #decoder: Transform | null = null;
  #state: State = { kind: 'reading' };

  constructor(coding: string, create: CreateDecoder, inner: ResponseSink, client: BodyDecoding) {
    this.#coding = coding;
    this.#create = create;
    this.#inner = inner;
    this.#client = client;
  }

  onWait(kind: WaitKind, tNs: number): void {
    this.#inner.onWait(kind, tNs);
  }

  onSend(tNs: number): void {
    this.#inner.onSend(tNs);
  }

  onFirstByte(tNs: number): void {
    this.#inner.onFirstByte(tNs);
  }

  onBytes(chunk: Uint8Array, tNs: number): void {
    if (this.#inner.wantsBytes) this.#inner.onBytes(chunk, tNs);
    if (this.#state.kind !== 'reading' || chunk.length === 0) return;
    this.#decoder ??= this.#start(chunk[0] as number);
    // The chunk is valid during the call only.
    this.#decoder.write(Buffer.from(chunk));
    if (this.#decoder.writableLength > BACKLOG_BYTES_MAX) {
      this.#decodingOver({ class: 'generator', detail: 'the body came faster than it could be decoded' });
      this.#decoder.destroy();
    }
  }

  onEnd(outcome: Outcome, tNs: number): void {
    const { kind } = this.#state;
    if (kind === 'over' || kind === 'ending') return;
    // Without a byte there is nothing to decode: answers to HEAD, 204 and 304 name a coding, too.
    if (outcome.kind === 'failed' || this.#decoder === null) this.#tell(outcome, tNs);
    else if (this.#state.kind === 'decoded') this.#tell(judged(outcome, this.#state.fault), tNs);
    else {
      this.#state = { kind: 'ending', outcome, endNs: tNs };
      this.#client.ending.add(this);
      this.#decoder.end();
    }
  }

  /**
   * The request is given up, for the reason `why`. True when its answer is here and only decoding was left: then the sink has been told, and the connection, which
   * others may be on by now, is not to be touched.
   */
  giveUp(why = 'the body was not decoded in time'): boolean {
    if (this.#state.kind !== 'ending') return false;
    const { outcome, endNs } = this.#state;
    this.#tell(judged(outcome, { class: 'generator', detail: why }), endNs);
    return true;
  }

  #start(first: number): Transform {
    const decoder = this.#create(first);
    decoder.on('data', (piece: Buffer) => {
      this.#client.counters.bytesDecoded += piece.length;
    });
    decoder.on('end', () => this.#decodingOver(null));
    decoder.on('error', (error: NodeJS.ErrnoException) => this.#decodingOver(this.#faultOf(error)));
    return decoder;
  }

  #decodingOver(fault: Fault | null): void {
    if (this.#state.kind === 'reading') this.#state = { kind: 'decoded', fault };
    else if (this.#state.kind === 'ending') this.#tell(judged(this.#state.outcome, fault), this.#state.endNs);
  }

  #faultOf({ code, message }: NodeJS.ErrnoException): Fault {
    // All decoders say this, and nothing else, where their input ends before the coded data does.
    if (code === 'Z_BUF_ERROR')
      return { class: 'truncated', detail: `content-encoding ${this.#coding}: it ends too early` };
    return { class: 'protocol', detail: `content-encoding ${this.#coding}: ${message}` };
  }

  #tell(outcome: Outcome, tNs: number): void {
    this.#state = { kind: 'over' };
    this.#client.ending.delete(this);
    this.#decoder?.destroy();
    this.#inner.onEnd(outcome, tNs);
  }
}

function judged(outcome: Outcome, fault: Fault | null): Outcome {
  return fault === null
    ? outcome
    : { kind: 'failed', class: fault.class, status: outcome.status, detail: fault.detail };
}
