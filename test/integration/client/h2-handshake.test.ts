/** How HTTP/2 connections come about: versions of TLS, certificates, ALPN, servers that speak HTTP/1.1 only, IPv6 and unix sockets. */
import { createServer as createHttp1Server } from 'node:http';
import { createSecureServer, createServer, type Http2SecureServer, type SecureServerOptions } from 'node:http2';
import { createServer as createHttp1SecureServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { certificateFor, hasOpenssl } from '../../support/certificate.ts';
import { hasHaproxy, startHaproxy } from '../../support/haproxy-server.ts';
import { endsOf } from '../../support/load-of.ts';
import { hasNginx, type NginxServer, startNginx } from '../../support/nginx-server.ts';
import { closeOpened, h2For, keepOpened } from '../../support/opened.ts';
import { sendRecorded } from '../../support/recording-sink.ts';

const certificate = hasOpenssl ? certificateFor('IP:127.0.0.1,DNS:loadfleet.test') : { key: '', cert: '' };

/** Has `server` listen on a port of its own, closed with its connections after the test; the port. */
async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  const sockets = new Set<{ destroy(): void }>();
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, resolve);
  });
  keepOpened({
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  });
  return (server.address() as AddressInfo).port;
}

/** An nginx that is stopped after the test. */
async function keptNginx(...settings: Parameters<typeof startNginx>): Promise<NginxServer> {
  const nginx = await startNginx(...settings);
  keepOpened({
    close: async () => {
      await nginx.stop();
    },
  });
  return nginx;
}

function secureServer(options: SecureServerOptions): Http2SecureServer {
  return createSecureServer({ ...certificate, ...options }, (_request, response) => response.end('ok'));
}

afterEach(closeOpened);

describe.skipIf(!hasOpenssl)('HTTP/2 over TLS (skipped where openssl is not installed)', () => {
  it.each(['TLSv1.2', 'TLSv1.3'] as const)('is spoken over %s, and sessions are resumed', async (version) => {
    const server = secureServer({ minVersion: version, maxVersion: version });
    const seen: [string | null, boolean][] = [];
    server.on('secureConnection', (socket: TLSSocket) => seen.push([socket.getProtocol(), socket.isSessionReused()]));
    const url = `https://127.0.0.1:${await listen(server)}`;
    const client = h2For(url, { insecure: true, connectionsMax: 2, streamsPerConnection: 1 });
    await client.prepare(1);
    expect(await endsOf(client, { url }, 20, 1)).toEqual({ 'ok 200': 20 });
    expect(await endsOf(client, { url, method: 'POST', body: Buffer.alloc(300_000) }, 40, 4)).toEqual({ 'ok 200': 40 });
    expect(seen).toEqual([
      [version, false],
      [version, true],
    ]);
    const gauges = new Map(client.gauges().map(({ name, value }) => [name, value]));
    expect([gauges.get('tlsHandshakesFull'), gauges.get('tlsHandshakesResumed')]).toEqual([1, 1]);
  });

  it('R026 sends the name that the certificate is for, and the authority of the URL', async () => {
    const names: string[] = [];
    const authorities: unknown[] = [];
    const server = secureServer({
      SNICallback: (name, done) => {
        names.push(name);
        done(null);
      },
    });
    server.on('request', (request) => authorities.push(request.headers[':authority']));
    const port = await listen(server);
    const url = 'https://loadfleet.test/';
    const client = h2For(url, { insecure: true, connectTo: `127.0.0.1:${port}` });
    expect(await sendRecorded(client, { url }).sink.done).toMatchObject({ kind: 'ok' });
    expect([names, authorities]).toEqual([['loadfleet.test'], ['loadfleet.test']]);
  });

  it('an unknown authority is a failure of TLS unless it is allowed', async () => {
    const url = `https://127.0.0.1:${await listen(secureServer({}))}`;
    expect(await sendRecorded(h2For(url), { url }).sink.done).toEqual({
      kind: 'failed',
      class: 'tls',
      status: null,
      detail: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    });
    expect(await sendRecorded(h2For(url, { insecure: true }), { url }).sink.done).toMatchObject({ kind: 'ok' });
  });

  it.each([
    ['refuses h2', ['http/1.1']],
    ['knows no ALPN', []],
  ])('a server that %s is a failure of TLS, whatever it would say then', async (_what, protocols) => {
    const server = createHttp1SecureServer({ ...certificate, ALPNProtocols: protocols }, (_request, response) =>
      response.end('ok'),
    );
    const url = `https://127.0.0.1:${await listen(server)}`;
    const { sink } = sendRecorded(h2For(url, { insecure: true }), { url });
    expect(await sink.done).toMatchObject({ kind: 'failed', class: 'tls', status: null });
    expect(sink.sendNs).toBeNull();
  });

  it.skipIf(!hasNginx)('nginx without http2 is one (skipped where nginx is not installed)', async () => {
    const nginx = await keptNginx('return 200 "ok";', '', { certificate });
    const client = h2For(nginx.url, { insecure: true });
    expect(await sendRecorded(client, { url: nginx.url }).sink.done).toMatchObject({ class: 'tls', status: null });
  });

  it.skipIf(!hasHaproxy)('HAProxy without h2 is one (skipped where HAProxy is not installed)', async () => {
    const proxy = await startHaproxy(1, 1000, { certificate });
    keepOpened({ close: () => proxy.stop() });
    const client = h2For(proxy.url, { insecure: true });
    expect(await sendRecorded(client, { url: proxy.url }).sink.done).toMatchObject({ class: 'tls', status: null });
  });
});

describe('HTTP/2 in clear to a server that speaks HTTP/1.1 only', () => {
  it("Node's: a failure of the protocol", async () => {
    const url = `http://127.0.0.1:${await listen(createHttp1Server((_request, response) => response.end('ok')))}`;
    const { sink } = sendRecorded(h2For(url), { url });
    expect(await sink.done).toMatchObject({ kind: 'failed', class: 'protocol', status: null });
    expect(sink.sendNs).toBeNull();
  });

  it.skipIf(!hasNginx)('nginx: a failure of the protocol (skipped where nginx is not installed)', async () => {
    const nginx = await keptNginx();
    expect(await sendRecorded(h2For(nginx.url), { url: nginx.url }).sink.done).toMatchObject({ class: 'protocol' });
  });
});

describe('addresses', () => {
  it('dials IPv6 literals', async (context) => {
    const port = await listen(
      createServer((_request, response) => response.end('ok')) as unknown as Server,
      '::1',
    ).catch(() => null);
    if (port === null) {
      context.skip('this host has no ::1');
      return;
    }
    const url = `http://[::1]:${port}/`;
    expect(await endsOf(h2For(url), { url }, 20, 5)).toEqual({ 'ok 200': 20 });
  });

  it.skipIf(!hasNginx).each([
    ['in clear', false],
    ['over TLS', true],
  ])('dials unix sockets, %s (skipped where nginx is not installed)', async (_name, encrypted) => {
    if (encrypted && !hasOpenssl) return;
    const nginx = await keptNginx('return 200 "ok";', '', { http2: true, ...(encrypted ? { certificate } : {}) });
    const url = `${encrypted ? 'https' : 'http'}://loadfleet.test/`;
    const client = h2For(url, { connectTo: `unix:${nginx.socketPath}`, insecure: true });
    expect(await endsOf(client, { url }, 200, 20)).toEqual({ 'ok 200': 200 });
  });
});
