/**
 * The admin side of the reference target, on the same port under `/__target/`: faults on command, books, records.
 * These requests are in no book, pass no queue and meet no fault, so that a stalled target can still be asked.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { FleetError } from '../shared/fleet-error.ts';
import { knownNamesHint } from '../shared/nearest-name.ts';
import type { KeptRequest } from './exchange.ts';
import type { FaultRule } from './fault.ts';
import { parseFaultJson, parseFaultText } from './parse-fault.ts';
import type { TargetCounts } from './target-counts.ts';

/** All admin paths begin so. */
export const ADMIN_PREFIX = '/__target/';

/** What the admin side may do with the target. */
export interface AdminContext {
  counts(): TargetCounts;
  rules(): readonly FaultRule[];
  setFault(rule: FaultRule): void;
  clearFaults(): void;
  /** The kept records; null when none are kept. */
  keptRequests(): Iterable<KeptRequest> | null;
}

const MAX_BODY_BYTES = 65_536;
const PATHS = ['counts', 'fault', 'identities'] as const;

/** Answers one admin request; every failure is told to the client with a status and a sentence. */
export async function answerAdmin(
  request: IncomingMessage,
  response: ServerResponse,
  context: AdminContext,
): Promise<void> {
  try {
    await route(request, response, context);
  } catch (error) {
    if (response.destroyed || response.headersSent) {
      response.destroy();
      return;
    }
    const isOurs = error instanceof FleetError;
    const message = error instanceof Error ? error.message : String(error);
    sendJson(response, isOurs ? 400 : 500, { error: message });
  }
}

async function route(request: IncomingMessage, response: ServerResponse, context: AdminContext): Promise<void> {
  const name = (request.url ?? '').slice(ADMIN_PREFIX.length).replace(/\?.*$/, '');
  const call = `${request.method ?? ''} ${name}`;
  if (call === 'GET counts') sendJson(response, 200, context.counts());
  else if (call === 'GET fault') sendJson(response, 200, context.rules());
  else if (call === 'POST fault') {
    context.setFault(readRule(await readBody(request)));
    sendJson(response, 200, context.rules());
  } else if (call === 'DELETE fault') {
    context.clearFaults();
    sendJson(response, 200, context.rules());
  } else if (call === 'GET identities') await sendKept(response, context);
  else if (PATHS.some((path) => path === name)) {
    sendJson(response, 405, { error: `${request.method ?? ''} is not known for ${ADMIN_PREFIX}${name}` });
  } else sendJson(response, 404, { error: `${ADMIN_PREFIX}${name} is unknown${knownNamesHint(name, PATHS)}` });
}

/** JSON objects are the JSON form of a rule; anything else is the text form, bare or as a JSON string. */
function readRule(body: string): FaultRule {
  const text = body.trim();
  if (!/^[{"[]/.test(text)) return parseFaultText(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new FleetError('plan', 'fault: the body is no JSON and no fault like stall:5s', { cause });
  }
  return typeof value === 'string' ? parseFaultText(value) : parseFaultJson(value);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > MAX_BODY_BYTES) throw new FleetError('plan', `fault: the body is above ${MAX_BODY_BYTES} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

async function sendKept(response: ServerResponse, context: AdminContext): Promise<void> {
  const kept = context.keptRequests();
  if (kept === null) {
    sendJson(response, 409, { error: 'identities are not kept; start the target with --keep-identities' });
    return;
  }
  response.writeHead(200, { 'content-type': 'application/jsonl' });
  await pipeline(Readable.from(jsonLines(kept)), response);
}

/** Lines in pieces of about 64 KiB, so that a million records are not a million writes. */
function* jsonLines(records: Iterable<KeptRequest>): Generator<string> {
  let text = '';
  for (const record of records) {
    text += `${JSON.stringify(record)}\n`;
    if (text.length < 65_536) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  const body = `${JSON.stringify(value)}\n`;
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
