/**
 * Finds where each request of a connection ends, with the least work that is right: heads end in an empty line, bodies by
 * Content-Length. For the null target only; it does not check that heads are well-formed.
 */

/** What the scanner found next. */
export type ScannedRequest =
  /** A request to answer in full, connection kept. */
  | 'plain'
  /** A HEAD request: the answer has no body. */
  | 'head'
  /** Like plain and head, but the client asked to close the connection afterwards. */
  | 'last-plain'
  | 'last-head'
  /** The request has a chunked body, which this scanner cannot skip. Nothing can be read after it. */
  | 'chunked-body'
  /** A head longer than MAX_HEAD_BYTES. Nothing can be read after it. */
  | 'too-long'
  /** No further request is here in full. */
  | 'nothing';

/** Longest head that is kept while the rest of it is awaited. */
const MAX_HEAD_BYTES = 65_536;

interface HeadReading {
  readonly kind: ScannedRequest;
  readonly bodyBytes: number;
}

/** Scans the bytes of one connection, in whatever pieces they come. */
export class RequestScanner {
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  #bodyLeft = 0;
  /** The request whose body is being skipped. */
  #current: ScannedRequest = 'nothing';
  /** Clients repeat their heads: the last one and its reading. */
  #lastHead = '';
  #lastReading: HeadReading = { kind: 'plain', bodyBytes: 0 };

  /** Adds what was read from the connection; then call `next` until it gives `nothing`. */
  push(bytes: Buffer): void {
    this.#bytes = this.#at < this.#bytes.length ? Buffer.concat([this.#bytes.subarray(this.#at), bytes]) : bytes;
    this.#at = 0;
  }

  /** The next request that is here in full. */
  next(): ScannedRequest {
    if (this.#bodyLeft > 0) return this.#skipBody();
    this.#skipEmptyLines();
    const end = this.#bytes.indexOf('\r\n\r\n', this.#at, 'latin1');
    if (end < 0) return this.#bytes.length - this.#at > MAX_HEAD_BYTES ? 'too-long' : 'nothing';
    // The line end before the empty line belongs to the head, so that every header field ends in one.
    const reading = this.#read(this.#bytes.toString('latin1', this.#at, end + 2));
    this.#at = end + 4;
    if (reading.bodyBytes === 0) return reading.kind;
    this.#bodyLeft = reading.bodyBytes;
    this.#current = reading.kind;
    return this.#skipBody();
  }

  #skipBody(): ScannedRequest {
    const skipped = Math.min(this.#bodyLeft, this.#bytes.length - this.#at);
    this.#at += skipped;
    this.#bodyLeft -= skipped;
    return this.#bodyLeft > 0 ? 'nothing' : this.#current;
  }

  /** RFC 9112 §2.2: empty lines before a request line are to be ignored. */
  #skipEmptyLines(): void {
    while (this.#bytes[this.#at] === 0x0d || this.#bytes[this.#at] === 0x0a) this.#at++;
  }

  #read(head: string): HeadReading {
    if (head !== this.#lastHead) {
      this.#lastHead = head;
      this.#lastReading = readHead(head);
    }
    return this.#lastReading;
  }
}

function readHead(head: string): HeadReading {
  if (/\r\ntransfer-encoding:/i.test(head)) return { kind: 'chunked-body', bodyBytes: 0 };
  const bodyBytes = Number(/\r\ncontent-length:[ \t]*([0-9]{1,15})[ \t]*\r\n/i.exec(head)?.[1] ?? 0);
  const isLast =
    /\r\nconnection:[^\r]*\bclose\b/i.test(head) ||
    (/^[^\r]* HTTP\/1\.0\r\n/.test(head) && !/\r\nconnection:[^\r]*\bkeep-alive\b/i.test(head));
  if (head.startsWith('HEAD ')) return { kind: isLast ? 'last-head' : 'head', bodyBytes };
  return { kind: isLast ? 'last-plain' : 'plain', bodyBytes };
}
