/** Which outcome class an error code of Node's sockets, resolver or TLS stands for (design §6; R017, R032). Shared by all clients. */
import type { FailureClass, Outcome } from '../../shared/metrics/outcome.ts';

/** Codes that mean this host ran out of something: never the target's fault (R032). */
const GENERATOR_CODES = new Set([
  'EMFILE',
  'ENFILE',
  'EADDRNOTAVAIL',
  'EADDRINUSE',
  'ENOBUFS',
  'ENOMEM',
  'EAI_MEMORY',
  'EACCES',
  'EAFNOSUPPORT',
  'EINVAL',
  'EPERM',
]);
const DNS_CODES = new Set(['ENOTFOUND', 'ENODATA', 'ESERVFAIL', 'ETIMEOUT']);
const RESET_CODES = new Set(['ECONNRESET', 'ECONNABORTED', 'EPIPE']);
const REFUSED_CODES = new Set(['ECONNREFUSED', 'ENOENT', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN']);

/** The code of an error, or of the first of its causes that has one; `unknown` when none has. */
export function errorCodeOf(error: unknown): string {
  let current: unknown = error;
  for (let depth = 0; depth < 5 && typeof current === 'object' && current !== null; depth += 1) {
    const code = (current as { code?: unknown }).code;
    if (typeof code === 'string' && code !== '') return code;
    const nested = (current as { errors?: unknown }).errors;
    current = Array.isArray(nested) ? nested[0] : (current as { cause?: unknown }).cause;
  }
  return 'unknown';
}

/** Class of an error met while a connection was being made; `encrypted` when TLS is part of the making. */
export function connectFailureClass(code: string, encrypted: boolean): FailureClass {
  if (GENERATOR_CODES.has(code)) return 'generator';
  if (DNS_CODES.has(code) || code.startsWith('EAI_')) return 'dns';
  if (REFUSED_CODES.has(code) || code.startsWith('PROXY_STATUS_')) return 'connect-refused';
  if (code === 'ETIMEDOUT') return 'connect-timeout';
  if (RESET_CODES.has(code)) return 'reset';
  // TLS was done when the first came: the server does not speak HTTP/2 inside it; and had not begun at the second.
  const isOutsideTls = code.startsWith('ERR_HTTP2') || code === 'PROXY_ANSWER';
  return encrypted && !isOutsideTls ? 'tls' : 'protocol';
}

/** Whether an error says something of the address that was dialled: want of handles or ports on this host does not. */
export function isTargetsFailure(error: unknown): boolean {
  return !GENERATOR_CODES.has(errorCodeOf(error));
}

/** A server that closed an idle connection has closed it before our request came: we learn it within a round trip, and retransmissions. */
const STALE_WITHIN_NS = 1e9;

/**
 * Whether a reused idle connection that died unanswered `ageNs` after the request was sent had been closed by its server as idle (R016).
 * One that lives on for longer had taken the request.
 */
export function isStaleDeath(ageNs: number): boolean {
  return ageNs <= STALE_WITHIN_NS;
}

/** Class of an error met on a connection that was ready. */
export function transferFailureClass(code: string): FailureClass {
  if (GENERATOR_CODES.has(code)) return 'generator';
  if (code === 'ETIMEDOUT') return 'timeout';
  return code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS') || code === 'EPROTO' ? 'tls' : 'reset';
}

/** Code of the errors of our own handshake of HTTP/2; their messages say what was wrong. */
export const HTTP2_HANDSHAKE = 'ERR_HTTP2_HANDSHAKE';

/** The outcome of a request whose connection could not be made. */
export function connectFailure(error: unknown, encrypted: boolean): Outcome {
  const code = errorCodeOf(error);
  const detail = code === HTTP2_HANDSHAKE && error instanceof Error ? error.message : code;
  return { kind: 'failed', class: connectFailureClass(code, encrypted), status: null, detail };
}
