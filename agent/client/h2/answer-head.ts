/**
 * What the fields of one header block mean for an answer's framing (RFC 9113 §8.1-§8.3) and body, and whether they may be sent at all. One
 * object for each connection, reset for every block: interim head, final head or trailers.
 */

import { fieldListWith } from '../field-list.ts';
import { readGrpcStatus } from './grpc-status.ts';

/** Bytes of a body are counted in doubles. */
const LENGTH_LIMIT = 1e15;
/** Fields that belong to one HTTP/1.1 connection; in HTTP/2 they make a message malformed (RFC 9113 §8.2.2). */
const CONNECTION_FIELDS = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade']);
/** A field name: token characters without upper case (RFC 9113 §8.2.1). */
const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
/**
 * Characters that no value has (RFC 9113 §8.2.1). Spaces around a value are forbidden too, but servers write them and everybody reads them.
 */
const FORBIDDEN_IN_VALUE = /[\0\r\n]/;

/** One header block, read. */
export class AnswerHead {
  /** 0 until `:status` was seen. */
  status = 0;
  /** Null until a content-length was seen. */
  contentLength: number | null = null;
  /** Null until a grpc-status was seen. */
  grpcStatus: number | null = null;
  /** As it is written, several fields as a list; null without one. */
  contentEncoding: string | null = null;
  /** Why the block is malformed, or null. */
  fault: string | null = null;
  private sawRegular = false;

  /** Makes ready for the next block. */
  reset(): void {
    this.status = 0;
    this.contentLength = null;
    this.grpcStatus = null;
    this.contentEncoding = null;
    this.fault = null;
    this.sawRegular = false;
  }

  /** Takes over what `other` says. */
  copy(other: AnswerHead): void {
    this.status = other.status;
    this.contentLength = other.contentLength;
    this.grpcStatus = other.grpcStatus;
    this.contentEncoding = other.contentEncoding;
    this.fault = other.fault;
    this.sawRegular = other.sawRegular;
  }

  /** The next field of the block, one character an octet. */
  takeField(name: string, value: string): void {
    if (name.startsWith(':')) this.takePseudo(name, value);
    else {
      this.sawRegular = true;
      this.takeRegular(name, value);
    }
  }

  /** Whether the head is one that another follows (RFC 9110 §15.2). */
  get isInterim(): boolean {
    return this.status < 200;
  }

  private takePseudo(name: string, value: string): void {
    if (name !== ':status') this.fail(`unknown pseudo field ${name}`);
    else if (this.sawRegular) this.fail(':status behind other fields');
    else if (this.status !== 0) this.fail(':status twice');
    else if (!/^[1-9]\d\d$/.test(value)) this.fail(`:status is ${JSON.stringify(value)}`);
    else this.status = Number(value);
  }

  private takeRegular(name: string, value: string): void {
    if (!NAME.test(name)) this.fail(`field name ${JSON.stringify(name)}`);
    else if (FORBIDDEN_IN_VALUE.test(value)) this.fail(`field ${name} has a line end or NUL`);
    else if (CONNECTION_FIELDS.has(name)) this.fail(`field ${name} of HTTP/1.1`);
    else if (name === 'content-length') this.takeLength(value);
    else if (name === 'content-encoding') this.contentEncoding = fieldListWith(this.contentEncoding, value);
    else if (name === 'grpc-status') this.grpcStatus = readGrpcStatus(value);
  }

  private takeLength(value: string): void {
    const length = /^[ \t]*\d+[ \t]*$/.test(value) ? Number(value) : Infinity;
    if (length >= LENGTH_LIMIT) this.fail('content-length is not a number below 10^15');
    else if (this.contentLength !== null && this.contentLength !== length) this.fail('two different content-lengths');
    else this.contentLength = length;
  }

  private fail(reason: string): void {
    this.fault ??= reason;
  }
}
