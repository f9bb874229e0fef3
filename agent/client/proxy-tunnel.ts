/** Asks a proxy for a tunnel on a connection that was just made (CONNECT, RFC 9110 §9.3.6). */
import type { Socket } from 'node:net';

/** Where the tunnel is to lead. */
export interface Tunnel {
  /** `HOST:PORT`. */
  readonly authority: string;
  /** Value of `Proxy-Authorization`; null = none. */
  readonly authorization: string | null;
}

/** A proxy that says more than this before its answer ends is none. */
const HEAD_BYTES_MAX = 65_536;

/**
 * Sends CONNECT on `socket` and reads the answer; then `done` gets null, or an error whose code is `PROXY_STATUS_nnn` for a refusal and
 * `PROXY_ANSWER` for what is no answer. Errors and the end of the socket itself are the caller's to hear.
 */
export function askForTunnel(
  socket: Socket,
  { authority, authorization }: Tunnel,
  done: (error: Error | null) => void,
): void {
  let head = '';
  const onData = (piece: Buffer): void => {
    head += piece.toString('latin1');
    const answer = finalHead(head);
    if (answer === null && head.length <= HEAD_BYTES_MAX) return;
    socket.off('data', onData);
    socket.pause();
    done(answer === null ? proxyError('PROXY_ANSWER') : faultOf(answer));
  };
  socket.on('data', onData);
  const credentials = authorization === null ? '' : `Proxy-Authorization: ${authorization}\r\n`;
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${credentials}\r\n`, 'latin1');
}

interface FinalHead {
  /** Null where it is no status line of HTTP/1. */
  readonly status: number | null;
  /** Whether anything came behind it. */
  readonly isFollowed: boolean;
}

/** The first head of `text` that is none of an interim answer; null when it is not whole yet. */
function finalHead(text: string): FinalHead | null {
  let rest = text;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) return null;
    const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |\r)/.exec(rest)?.[1] ?? Number.NaN);
    rest = rest.slice(end + 4);
    if (!(status >= 100 && status < 200))
      return { status: Number.isNaN(status) ? null : status, isFollowed: rest !== '' };
  }
}

function faultOf({ status, isFollowed }: FinalHead): Error | null {
  if (status === null) return proxyError('PROXY_ANSWER');
  if (status < 200 || status > 299) return proxyError(`PROXY_STATUS_${status}`);
  // The other side of a tunnel for TLS waits for us to speak.
  return isFollowed ? proxyError('PROXY_ANSWER') : null;
}

function proxyError(code: string): Error {
  return Object.assign(new Error(`the proxy made no tunnel: ${code}`), { code });
}
