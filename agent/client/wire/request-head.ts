/**
 * Renders request heads. Bytes are the plan's: the request target is copied from the URL text, never rebuilt (R028); no field is added
 * but Host, Content-Length and the identity, and none of these where the plan sets its own.
 */
import { IDENTITY_HEADER } from '../../../shared/schedule/identity-header.ts';
import type { ProxyRoute } from '../proxy-route.ts';
import type { OutboundRequest } from '../protocol-client.ts';

/** The parts of an absolute URL as they are written. */
export interface UrlParts {
  readonly scheme: 'http' | 'https';
  /** Host and port as in the URL: the default Host field. */
  readonly authority: string;
  /** Path and query, at least `/`; a fragment is left off. */
  readonly requestTarget: string;
}

/** Splits an absolute http(s) URL without changing a byte of its parts; null when it is none. User information is not part of the authority. */
export function splitUrl(url: string): UrlParts | null {
  const match = /^(https?):\/\/([^/?#]+)([^#]*)/i.exec(url);
  if (match === null) return null;
  const scheme = (match[1] as string).toLowerCase() as 'http' | 'https';
  const authority = (match[2] as string).slice((match[2] as string).lastIndexOf('@') + 1);
  const rest = match[3] as string;
  return { scheme, authority, requestTarget: rest.startsWith('/') ? rest : `/${rest}` };
}

/** A head up to (not including) the identity value: `complete(identity)` gives the bytes as a latin1 string. */
export interface RequestHead {
  readonly text: string;
  /** `text` with its closing empty line: the head of a request without identity. */
  readonly whole: string;
  readonly isHead: boolean;
  /** It has `Connection: close`: no further request may go on its connection (RFC 9112 §9.6). */
  readonly asksToClose: boolean;
}

/**
 * Renders everything of a head but the identity line and the closing empty line. To a proxy that is to forward it (null = to none) it names
 * the whole URL (RFC 9112 §3.2.2).
 */
export function renderRequestHead(
  request: OutboundRequest,
  parts: UrlParts,
  forwarder: ProxyRoute | null = null,
): RequestHead {
  const names = new Set(request.headers.map(([name]) => name.toLowerCase()));
  const origin = forwarder === null ? '' : `${parts.scheme}://${parts.authority}`;
  let text = `${request.method} ${origin}${parts.requestTarget} HTTP/1.1\r\n`;
  if (!names.has('host')) text += `Host: ${parts.authority}\r\n`;
  if (forwarder !== null && forwarder.authorization !== null && !names.has('proxy-authorization'))
    text += `Proxy-Authorization: ${forwarder.authorization}\r\n`;
  for (const [name, value] of request.headers) text += `${name}: ${value}\r\n`;
  const length = request.body?.length ?? 0;
  const expectsBody = request.method === 'POST' || request.method === 'PUT' || request.method === 'PATCH';
  if (!names.has('content-length') && !names.has('transfer-encoding') && (length > 0 || expectsBody)) {
    text += `Content-Length: ${length}\r\n`;
  }
  return {
    text: utf8AsLatin1(text),
    whole: utf8AsLatin1(`${text}\r\n`),
    isHead: request.method === 'HEAD',
    asksToClose: request.headers.some(([name, value]) => name.toLowerCase() === 'connection' && hasClose(value)),
  };
}

function hasClose(options: string): boolean {
  return options.split(',').some((option) => option.trim().toLowerCase() === 'close');
}

/** Heads are bytes: text beyond ASCII goes out as its UTF-8 bytes, one character of the result each. */
export function utf8AsLatin1(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** The whole head as a latin1 string. */
export function completeHead(head: RequestHead, identity: string | null): string {
  return identity === null ? head.whole : `${head.text}${IDENTITY_HEADER}: ${identity}\r\n\r\n`;
}
