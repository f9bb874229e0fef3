/**
 * Writes answers on the wire: whole ones through node:http, spoiled ones by what they spoil. It keeps no time of its own:
 * later pieces are handed to `later`, which holds them back during a stall.
 */

import { assertNever } from '../shared/assert-never.ts';
import { InvariantError } from '../shared/fleet-error.ts';
import { type Answer, isBodyless } from './answer.ts';
import type { BodyStore } from './body-store.ts';
import type { Exchange } from './exchange.ts';
import { SERVICE_HEADER } from './request-identity.ts';
import { IDENTITY_HEADER } from '../shared/schedule/identity-header.ts';
import type { RequestEnd } from './target-counts.ts';

/** What sending needs from the target. */
export interface SendContext {
  readonly bodies: BodyStore;
  nowNs(): number;
  /** Runs the callback at the instant, or when a stall ends that holds it back. */
  later(atNs: number, run: () => void): void;
  /** Value of the Keep-Alive header; null = none. */
  keepAliveHint(): string | null;
  /** Called once for each exchange, when its fate is known. */
  ended(exchange: Exchange, end: RequestEnd): void;
}

/** node:http joins head and body into one write only when both are text; up to this length that is cheaper than two buffers. */
const ONE_WRITE_BYTES = 4_096;

/** Bytes that no HTTP parser can take for an answer. */
const GARBAGE = Buffer.from('SSH-2.0-not-http\r\n\0\u0001\u0002 this is no HTTP answer\r\n\r\n', 'latin1');

/** Sends the answer of an exchange that is due now. */
export function sendAnswer(exchange: Exchange, context: SendContext): void {
  const { socket } = exchange.request;
  const { ending } = exchange.answer;
  if (socket.destroyed) context.ended(exchange, 'abandoned');
  else if (ending.kind === 'never') context.ended(exchange, 'cutShort');
  else if (ending.kind === 'garbage') {
    socket.write(GARBAGE);
    socket.destroySoon();
    context.ended(exchange, 'cutShort');
  } else if (ending.kind === 'reset' && ending.at === 'before-answer') {
    socket.resetAndDestroy();
    context.ended(exchange, 'cutShort');
  } else sendHeadAndBody(exchange, context);
}

function sendHeadAndBody(exchange: Exchange, context: SendContext): void {
  const { answer, response } = exchange;
  sendInterim(exchange);
  const body = isBodyless(answer.status) ? Buffer.alloc(0) : context.bodies.wireBody(answer);
  response.useChunkedEncodingByDefault = answer.framing !== 'close';
  response.writeHead(answer.status, headersOf(exchange, body.length, context.keepAliveHint()));
  const sent = body.subarray(0, sentBytesOf(answer, body.length));
  if (answer.pace === null) {
    endAnswer(exchange, sent, context);
  } else {
    response.flushHeaders();
    sendPiece(exchange, context, { bytes: sent, startNs: context.nowNs(), ...answer.pace }, 0);
  }
}

/** Header names and values in turn, the form that node:http writes fastest. */
function headersOf(exchange: Exchange, bodyBytes: number, keepAliveHint: string | null): string[] {
  const { answer } = exchange;
  const headers = ['Content-Type', 'text/plain'];
  if (answer.framing === 'length' && !isBodyless(answer.status)) {
    headers.push('Content-Length', String(Math.max(0, bodyBytes + answer.lengthErrorBytes)));
  }
  if (exchange.identity !== null) {
    headers.push(IDENTITY_HEADER, exchange.identity, SERVICE_HEADER, String(exchange.serviceNs));
  }
  if (answer.location !== null) headers.push('Location', answer.location);
  if (answer.encoding !== 'plain') headers.push('Content-Encoding', 'gzip');
  if (answer.closes || answer.framing === 'close') headers.push('Connection', 'close');
  else if (keepAliveHint !== null) headers.push('Connection', 'keep-alive', 'Keep-Alive', keepAliveHint);
  return headers;
}

function sendInterim({ answer, response }: Exchange): void {
  for (const { status, times } of answer.interim) {
    for (let sent = 0; sent < times; sent++) {
      if (status === 100) response.writeContinue();
      else if (status === 102) response.writeProcessing();
      else response.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' });
    }
  }
}

/** How much of the body leaves: all of it, or what the ending leaves of it. */
function sentBytesOf(answer: Answer, bodyBytes: number): number {
  if (answer.ending.kind === 'cut') return Math.min(answer.ending.sentBytes, Math.max(0, bodyBytes - 1));
  if (answer.ending.kind === 'reset' && answer.ending.at === 'in-body') return Math.floor(bodyBytes / 2);
  return bodyBytes;
}

/** A body on its way in equal pieces, piece i at startNs + i x overNs / (pieces - 1). */
interface PacedBody {
  readonly bytes: Buffer;
  readonly startNs: number;
  readonly overNs: number;
  readonly pieces: number;
}

function sendPiece(exchange: Exchange, context: SendContext, body: PacedBody, place: number): void {
  const { bytes, pieces } = body;
  if (exchange.request.socket.destroyed) {
    context.ended(exchange, 'abandoned');
    return;
  }
  const piece = bytes.subarray(
    Math.floor((place * bytes.length) / pieces),
    Math.floor(((place + 1) * bytes.length) / pieces),
  );
  if (place === pieces - 1) {
    endAnswer(exchange, piece, context);
    return;
  }
  exchange.response.write(piece);
  const nextNs = body.startNs + ((place + 1) * body.overNs) / (pieces - 1);
  context.later(nextNs, () => sendPiece(exchange, context, body, place + 1));
}

/** Sends the last bytes and does what the ending asks. */
function endAnswer(exchange: Exchange, last: Buffer, context: SendContext): void {
  const { answer, request, response } = exchange;
  const { socket } = request;
  switch (answer.ending.kind) {
    case 'whole':
      if (last.length <= ONE_WRITE_BYTES) response.end(last.toString('latin1'), 'latin1');
      else response.end(last);
      context.ended(exchange, answer.lengthErrorBytes === 0 ? 'answered' : 'cutShort');
      break;
    case 'cut':
      response.flushHeaders();
      // node:http keeps chunks back to the end of the turn: only then may the end of the connection follow.
      if (last.length === 0) socket.destroySoon();
      else response.write(last, () => socket.destroySoon());
      context.ended(exchange, 'cutShort');
      break;
    case 'reset': {
      const isWhole = answer.ending.at === 'after-body';
      // The callback comes when the bytes are with the system: only then may the RST follow them.
      if (isWhole) response.end(last, () => void socket.resetAndDestroy());
      else response.write(last, () => void socket.resetAndDestroy());
      context.ended(exchange, isWhole ? 'answered' : 'cutShort');
      break;
    }
    case 'never':
    case 'garbage':
      throw new InvariantError(`an answer that ends in ${answer.ending.kind} has no body to send`);
    default:
      assertNever(answer.ending);
  }
}
