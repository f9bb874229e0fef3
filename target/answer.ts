/**
 * An answer as data: what the target will put on the wire for one request, after all faults. Pure; send-answer.ts writes it.
 */

import { assertNever } from '../shared/assert-never.ts';
import type { BreakFault, Framing, InterimStatus, ResetPlace, TwistFault } from './fault.ts';

/** One answer. Built by `createAnswer`, changed by `applyTwist` and `applyBreak`, then only read. */
export interface Answer {
  status: number;
  /** Length of the whole body in bytes, before compression. */
  bodyBytes: number;
  /** Value of the Location header. */
  location: string | null;
  framing: Framing;
  /** Added to the true Content-Length. */
  lengthErrorBytes: number;
  encoding: 'plain' | 'gzip' | 'corrupt-gzip';
  interim: { readonly status: InterimStatus; readonly times: number }[];
  /** The body in pieces over a time; null = all at once. */
  pace: { readonly overNs: number; readonly pieces: number } | null;
  /** `Connection: close`. */
  closes: boolean;
  ending: AnswerEnding;
}

/** How the answer ends. */
export type AnswerEnding =
  | { readonly kind: 'whole' }
  /** After this many bytes of the body the connection is closed. */
  | { readonly kind: 'cut'; readonly sentBytes: number }
  | { readonly kind: 'reset'; readonly at: ResetPlace }
  | { readonly kind: 'never' }
  | { readonly kind: 'garbage' };

/** Body given to an answer whose fault needs a body to show in, when it would have none. */
const FAULTY_BODY_BYTES = 100;

/** A whole, plain answer. */
export function createAnswer(status: number, bodyBytes: number): Answer {
  return {
    status,
    bodyBytes,
    location: null,
    framing: 'length',
    lengthErrorBytes: 0,
    encoding: 'plain',
    interim: [],
    pace: null,
    closes: false,
    ending: { kind: 'whole' },
  };
}

/** Changes the answer as the fault says. The fault `service` concerns the time of the answer, not its form. */
export function applyTwist(answer: Answer, fault: TwistFault): void {
  switch (fault.kind) {
    case 'service':
      break;
    case 'slow-body':
      answer.pace = { overNs: fault.overNs, pieces: fault.pieces };
      answer.bodyBytes = Math.max(answer.bodyBytes, fault.pieces);
      break;
    case 'close':
      answer.closes = true;
      break;
    case 'interim':
      answer.interim.push({ status: fault.status, times: fault.times });
      break;
    case 'gzip':
      answer.encoding = fault.corrupt ? 'corrupt-gzip' : 'gzip';
      break;
    case 'framing':
      answer.framing = fault.framing;
      break;
    default:
      assertNever(fault);
  }
}

/** Makes the answer fail as the fault says. */
export function applyBreak(answer: Answer, fault: BreakFault): void {
  switch (fault.kind) {
    case 'status':
      answer.status = fault.status;
      break;
    case 'redirect':
      answer.status = fault.status;
      answer.location = fault.location;
      break;
    case 'reset':
      if (fault.at === 'in-body') answer.bodyBytes = Math.max(answer.bodyBytes, FAULTY_BODY_BYTES);
      answer.ending = { kind: 'reset', at: fault.at };
      break;
    case 'truncate':
      applyTruncation(answer, fault.framing, fault.sentBytes);
      break;
    case 'never':
    case 'garbage':
      answer.ending = { kind: fault.kind };
      break;
    case 'wrong-length':
      answer.bodyBytes = Math.max(answer.bodyBytes, -fault.byBytes);
      answer.lengthErrorBytes = fault.byBytes;
      break;
    default:
      assertNever(fault);
  }
}

/** The whole body is always longer than what is sent of it, so that something is missing for sure. */
function applyTruncation(answer: Answer, framing: 'length' | 'chunked', sentBytes: number | null): void {
  const leastBytes = sentBytes === null ? 2 : sentBytes + 1;
  if (answer.bodyBytes < leastBytes) answer.bodyBytes = Math.max(FAULTY_BODY_BYTES, leastBytes);
  answer.framing = framing;
  answer.ending = { kind: 'cut', sentBytes: sentBytes ?? Math.floor(answer.bodyBytes / 2) };
}

/** True for statuses whose answer has no body (RFC 9110: 204 and 304; 1xx are never final here). */
export function isBodyless(status: number): boolean {
  return status === 204 || status === 304;
}
