/** Which outcome class an error of the undici client stands for, by how far the request had come (design §6, R016, R020). */

import type { Outcome } from '../../../shared/metrics/outcome.ts';
import { connectFailureClass, errorCodeOf, transferFailureClass } from '../connect-failure.ts';

/** How far a request had come when its error came. */
export type FailurePoint =
  /** No byte had left. */
  | { readonly kind: 'connecting'; readonly encrypted: boolean }
  /** The request had been sent, nothing had come back; `stale`: its connection had been idle before, and died soon (R016). */
  | { readonly kind: 'unanswered'; readonly stale: boolean }
  /** A part of the answer had come; `status` once its head was complete; `closed` when the other side had ended the connection. */
  | { readonly kind: 'answering'; readonly status: number | null; readonly closed: boolean };

/** The connection was closed by the other side, in undici's words. */
const CLOSED_CODE = 'UND_ERR_SOCKET';
/** The answer ended before its declared length. */
const SHORT_CODE = 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';
/** What undici's parser says of an answer that ended inside its framing; its errors carry no code. */
const SHORT_FRAMING = /invalid EOF state/i;
/** The client refused the request itself: our fault, nothing was sent. */
const REFUSED_BY_CLIENT_CODES = new Set([
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
  'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
]);

/** The outcome of a request that ended with `error` at `point`. */
export function undiciFailure(error: unknown, point: FailurePoint): Outcome {
  const code = codeOf(error);
  if (REFUSED_BY_CLIENT_CODES.has(code)) {
    return {
      kind: 'failed',
      class: 'generator',
      status: null,
      detail: `request refused by the client: ${messageOf(error)}`,
    };
  }
  switch (point.kind) {
    case 'connecting':
      return { kind: 'failed', class: connectFailureClass(code, point.encrypted), status: null, detail: code };
    case 'unanswered':
      return unanswered(code, point.stale);
    case 'answering':
      return answering(code, point.status, point.closed ? isShort(code, error) : false, error);
  }
}

function unanswered(code: string, stale: boolean): Outcome {
  if (isProtocolCode(code)) return { kind: 'failed', class: 'protocol', status: null, detail: code };
  const failure = transferFailureClass(code);
  if (failure === 'reset' && stale) {
    return { kind: 'failed', class: 'stale-connection', status: null, detail: `reused idle connection: ${code}` };
  }
  return { kind: 'failed', class: failure, status: null, detail: code };
}

function answering(code: string, status: number | null, short: boolean, error: unknown): Outcome {
  if (short) {
    return { kind: 'failed', class: 'truncated', status, detail: 'the connection was closed inside the answer' };
  }
  if (isProtocolCode(code)) return { kind: 'failed', class: 'protocol', status, detail: code };
  // The connection stands, and undici itself would not read on.
  if (code === CLOSED_CODE || code === SHORT_CODE)
    return { kind: 'failed', class: 'protocol', status, detail: messageOf(error) };
  return { kind: 'failed', class: transferFailureClass(code), status, detail: code };
}

/** Whether the error says that the other side stopped in the middle of an answer. */
function isShort(code: string, error: unknown): boolean {
  return code === CLOSED_CODE || code === SHORT_CODE || (code === PARSER_CODE && SHORT_FRAMING.test(messageOf(error)));
}

/** Stands for the parser's errors, which have a name only. */
const PARSER_CODE = 'HTTPParserError';

function codeOf(error: unknown): string {
  return error instanceof Error && error.name === PARSER_CODE ? PARSER_CODE : errorCodeOf(error);
}

/** Errors of the response parser and of its limits; an assertion of undici is one about what it has read. */
const PROTOCOL_CODES = new Set([
  PARSER_CODE,
  'UND_ERR_HEADERS_OVERFLOW',
  'UND_ERR_RES_EXCEEDED_MAX_SIZE',
  'ERR_ASSERTION',
]);

function isProtocolCode(code: string): boolean {
  return PROTOCOL_CODES.has(code);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown';
}
