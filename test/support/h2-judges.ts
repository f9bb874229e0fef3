/** The HTTP/2 client of ours and Node's own, each asked several requests over one connection whose bytes a test has made. */
import { connect } from 'node:http2';
import { H2Client } from '../../agent/client/h2/h2-client.ts';
import { data, END_STREAM, okHead } from './h2-frames.ts';
import { clientOptions } from './opened.ts';
import { type RawH2Server, startRawH2Server } from './raw-h2-server.ts';
import { sendRecorded } from './recording-sink.ts';

/** What became of one request. */
export type H2Verdict =
  | { readonly kind: 'ok'; readonly status: number; readonly body: string }
  | {
      readonly kind: 'failed';
      readonly class: string;
      readonly status: number | null;
      readonly detail: string;
      readonly body: string;
    };

/** Body of the answer to a request that was moved to a second connection. */
export const MOVED = 'moved';
/** No client may need so long to see the end of a connection that was closed; far above what a slow machine needs. */
const PATIENCE_MS = 60_000;

/** Once all requests are there, writes `pieces`, a turn of the loop apart, and ends; other connections answer each request at once. */
async function serve(requests: number, pieces: readonly Buffer[]): Promise<RawH2Server> {
  const server = await startRawH2Server((stream, socket, count, connection) => {
    if (connection !== server.connections[0]) {
      connection.write(okHead(stream, MOVED.length), data(stream, MOVED, END_STREAM));
      return;
    }
    if (count !== requests) return;
    let at = 0;
    const next = (): void => {
      const piece = pieces[at];
      at += 1;
      if (socket.destroyed) return;
      if (piece === undefined) socket.end();
      else {
        socket.write(piece);
        setImmediate(next);
      }
    };
    next();
  });
  return server;
}

async function inTime<T>(what: string, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`hangs: ${what}`)), PATIENCE_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Asks our client. Rejects when a request does not end although its connection was closed. */
export async function judgeByOurs(methods: readonly string[], pieces: readonly Buffer[]): Promise<H2Verdict[]> {
  const server = await serve(methods.length, pieces);
  const client = new H2Client(clientOptions(server.url, { connectionsMax: 1 }));
  try {
    const sinks = methods.map(
      (method) =>
        sendRecorded(client, { url: server.url, method, body: method === 'POST' ? Buffer.from('hello') : null }).sink,
    );
    const outcomes = await inTime('our client', Promise.all(sinks.map((sink) => sink.done)));
    return outcomes.map((outcome, index) => ({ ...outcome, body: sinks[index]?.body ?? '' }));
  } finally {
    await client.close();
    await server.close();
  }
}

/** Asks Node's client. It moves nothing: what was not answered has failed. */
export async function judgeByNode(methods: readonly string[], pieces: readonly Buffer[]): Promise<H2Verdict[]> {
  const server = await serve(methods.length, pieces);
  const session = connect(server.url, { settings: { enablePush: false } });
  session.on('error', () => undefined);
  try {
    const verdicts = methods.map(
      (method) =>
        new Promise<H2Verdict>((resolve) => {
          const stream = session.request({ ':method': method }, { endStream: method !== 'POST' });
          let status: number | null = null;
          let body = '';
          let failure: string | null = null;
          stream.on('response', (headers) => (status = headers[':status'] ?? 0));
          stream.on('data', (chunk: Buffer) => (body += chunk.toString('latin1')));
          stream.on('aborted', () => (failure ??= 'aborted'));
          stream.on('error', (error: Error) => (failure = error.message));
          stream.on('close', () => {
            const detail = failure ?? (stream.rstCode === 0 ? null : `RST_STREAM ${stream.rstCode}`);
            if (detail === null && status !== null) resolve({ kind: 'ok', status, body });
            else resolve({ kind: 'failed', class: 'unknown', status, detail: detail ?? 'no answer', body });
          });
          if (method === 'POST') stream.end('hello');
        }),
    );
    return await inTime('the client of Node', Promise.all(verdicts));
  } finally {
    session.destroy();
    await server.close();
  }
}
