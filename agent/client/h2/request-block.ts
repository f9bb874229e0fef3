/** Renders the header block of a request once, as bytes that every connection can send at any time. Bytes are the plan's (R028). */
import { grpcKindOf } from '../../../shared/plan/grpc-type.ts';
import { IDENTITY_HEADER } from '../../../shared/schedule/identity-header.ts';
import type { OutboundRequest } from '../protocol-client.ts';
import { type UrlParts, utf8AsLatin1 } from '../wire/request-head.ts';
import { encodeField, encodeFields } from '../hpack/hpack-encoder.ts';

/** Fields of HTTP/1.1 connections that must not be sent in HTTP/2 (RFC 9113 §8.2.2), and the one that `:authority` replaces. */
const CONNECTION_FIELDS = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
  'host',
]);

/** The block of `request` but for its identity, a latin1 text. */
export function renderRequestBlock(request: OutboundRequest, parts: UrlParts): string {
  let authority = parts.authority;
  const fields: [name: string, value: string][] = [];
  for (const [name, value] of request.headers) {
    const lower = name.toLowerCase();
    if (lower === 'host') authority = value;
    if (!CONNECTION_FIELDS.has(lower)) fields.push([lower, utf8AsLatin1(value)]);
  }
  const expectsBody = request.method === 'POST' || request.method === 'PUT' || request.method === 'PATCH';
  const length = request.body?.length ?? 0;
  if ((length > 0 || expectsBody) && !fields.some(([name]) => name === 'content-length'))
    fields.push(['content-length', String(length)]);
  // A plan cannot set it, and servers made with gRPC's own core refuse a call without it.
  if (grpcKindOf(request.headers) === 'grpc' && !fields.some(([name]) => name === 'te'))
    fields.push(['te', 'trailers']);
  return encodeFields([
    [':method', request.method],
    [':scheme', parts.scheme],
    [':authority', utf8AsLatin1(authority)],
    [':path', utf8AsLatin1(parts.requestTarget)],
    ...fields,
  ]).toString('latin1');
}

/** The field that tells who `identity` is, in the same form. */
export function renderIdentity(identity: string): string {
  return encodeField(IDENTITY_HEADER, identity).toString('latin1');
}
