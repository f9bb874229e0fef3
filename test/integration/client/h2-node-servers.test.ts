/**
 * The HTTP/2 client against Node's own servers, in clear and over TLS: interim heads, trailers, early answers, large bodies, and their
 * ends.
 */
import {
  createSecureServer,
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { certificateFor, hasOpenssl } from '../../support/certificate.ts';
import { eventually } from '../../support/eventually.ts';
import { endsOf, SteadyLoad } from '../../support/load-of.ts';
import { closeOpened, h2For, keepOpened } from '../../support/opened.ts';
import { sendRecorded } from '../../support/recording-sink.ts';

const MEGABYTE = 1_000_000;

type Handler = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

interface NodeServer {
  readonly url: string;
  readonly sessions: ReadonlySet<ServerHttp2Session>;
  requests: number;
}

const certificate = hasOpenssl ? certificateFor('IP:127.0.0.1') : null;

async function serve(encrypted: boolean, handler: Handler): Promise<NodeServer> {
  const sessions = new Set<ServerHttp2Session>();
  const running = { url: '', sessions, requests: 0 };
  const counted: Handler = (request, response) => {
    running.requests += 1;
    handler(request, response);
  };
  const server = encrypted ? createSecureServer({ ...certificate }, counted) : createServer(counted);
  server.on('session', (session) => {
    sessions.add(session);
    session.on('error', () => undefined);
    session.on('close', () => sessions.delete(session));
  });
  server.on('stream', (stream) => stream.on('error', () => undefined));
  await new Promise<void>((resolve) => (server as unknown as Server).listen(0, '127.0.0.1', resolve));
  keepOpened({
    close: async () => {
      for (const session of sessions) session.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
  const { port } = server.address() as AddressInfo;
  return Object.assign(running, { url: `${encrypted ? 'https' : 'http'}://127.0.0.1:${port}` });
}

const FRONTS: (readonly [string, boolean])[] = [['in clear', false]];
if (certificate !== null) FRONTS.push(['over TLS', true]);

afterEach(closeOpened);

describe.each(FRONTS)("Node's HTTP/2 server, %s", (_name, encrypted) => {
  it('answers 2,000 requests on two connections', async () => {
    const server = await serve(encrypted, (_request, response) => response.end('ok'));
    const client = h2For(server.url, { insecure: true, connectionsMax: 2 });
    expect(await endsOf(client, { url: server.url, identity: '0.0.1' }, 2000, 150)).toEqual({ 'ok 200': 2000 });
    expect(server.requests).toBe(2000);
    expect(client.counters.connectionsOpened).toBe(2);
  });

  it('takes early hints, 100-continue and trailers as no answer of their own', async () => {
    const server = await serve(encrypted, (request, response) => {
      if (request.url === '/hints') for (let hint = 0; hint < 3; hint += 1) response.writeEarlyHints({ link: '</a>' });
      if (request.headers.expect === '100-continue') response.writeContinue();
      request.resume();
      request.on('end', () => {
        response.addTrailers({ 'x-checksum': 'b1' });
        response.write('a body ');
        response.end('in parts');
      });
    });
    const client = h2For(server.url, { insecure: true });
    const hinted = sendRecorded(client, { url: `${server.url}/hints` }).sink;
    const expecting = sendRecorded(client, {
      url: `${server.url}/expect`,
      method: 'PUT',
      headers: [['Expect', '100-continue']],
      body: Buffer.alloc(200_000),
    }).sink;
    for (const sink of [hinted, expecting]) {
      expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
      expect(sink.body).toBe('a body in parts');
    }
  });

  it('carries 5 MB up and the same 5 MB down, eight at once on one connection, byte for byte', async () => {
    const server = await serve(encrypted, (request, response) => request.pipe(response));
    const client = h2For(server.url, { insecure: true, connectionsMax: 1 });
    const body = Buffer.alloc(5 * MEGABYTE, 'a line that does not divide a frame\n');
    const whole = body.toString('latin1');
    const sinks = Array.from({ length: 8 }, () => sendRecorded(client, { url: server.url, method: 'POST', body }).sink);
    for (const sink of sinks) {
      expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
      expect(sink.body === whole).toBe(true);
    }
  });

  it('takes an answer that comes before its request is sent whole, and goes on', async () => {
    const server = await serve(encrypted, (request, response) => {
      if (request.method === 'POST') response.statusCode = 413;
      response.end('enough');
    });
    const client = h2For(server.url, { insecure: true, connectionsMax: 1 });
    const tooLarge = { url: server.url, method: 'POST', body: Buffer.alloc(20 * MEGABYTE) };
    expect(await endsOf(client, tooLarge, 30, 10)).toEqual({ 'ok 413': 30 });
    expect(await endsOf(client, { url: server.url, template: 1 }, 200, 50)).toEqual({ 'ok 200': 200 });
    expect(client.counters.connectionsOpened).toBe(1);
  });

  it('ends HEAD, 204 and 304 without a body', async () => {
    const server = await serve(encrypted, (request, response) => {
      response.statusCode = Number(request.url.slice(1));
      if (request.method === 'HEAD') response.setHeader('content-length', 1000);
      response.end();
    });
    const client = h2For(server.url, { insecure: true });
    for (const [method, status] of [
      ['HEAD', 200],
      ['GET', 204],
      ['GET', 304],
    ] as const) {
      const { sink } = sendRecorded(client, { url: `${server.url}/${status}`, method });
      expect(await sink.done).toEqual({ kind: 'ok', status });
      expect(sink.body).toBe('');
    }
  });

  it('R021 loses no request when sessions are closed gracefully, again and again', async () => {
    const server = await serve(encrypted, (_request, response) => response.end('ok'));
    const client = h2For(server.url, { insecure: true, connectionsMax: 4 });
    const load = new SteadyLoad(client, { url: server.url }, 100);
    for (let round = 0; round < 10; round += 1) {
      const [endedBefore, opened] = [load.ended, client.counters.connectionsOpened];
      await eventually('requests are answered', () => load.ended > endedBefore + 100);
      for (const session of server.sessions) session.close();
      await eventually('the next connections', () => client.counters.connectionsOpened > opened);
    }
    const ends = await load.stop();
    expect(ends).toEqual({ 'ok 200': load.ended });
    expect(server.requests).toBe(load.ended);
    expect(client.counters.connectionsOpened).toBeGreaterThanOrEqual(10);
  });

  it('gives every request an end when sessions are destroyed', async () => {
    const server = await serve(encrypted, (_request, response) => void setTimeout(() => response.end('ok'), 5));
    const client = h2For(server.url, { insecure: true, connectionsMax: 4 });
    const load = new SteadyLoad(client, { url: server.url }, 100);
    for (let round = 0; round < 5; round += 1) {
      const endedBefore = load.ended;
      await eventually('requests are answered', () => load.ended > endedBefore + 200);
      for (const session of server.sessions) session.destroy();
    }
    const { 'ok 200': ok = 0, ...others } = await load.stop();
    expect(ok).toBeGreaterThan(500);
    expect(Object.keys(others).filter((kind) => kind !== 'reset' && kind !== 'truncated')).toEqual([]);
  });
});
