/** Both HTTP/1.1 clients against servers that others wrote: nginx, HAProxy and Node's own, with the idle limits that make stale connections. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { ProtocolClient } from '../../../agent/client/protocol-client.ts';
import { UndiciClient } from '../../../agent/client/undici/undici-client.ts';
import { WireClient, type WireClientOptions } from '../../../agent/client/wire/wire-client.ts';
import { hostClock } from '../../../shared/time/monotonic-clock.ts';
import { hasHaproxy, startHaproxy } from '../../support/haproxy-server.ts';
import { hasNginx, startNginx } from '../../support/nginx-server.ts';
import { sendRecorded } from '../../support/recording-sink.ts';

const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const CLIENTS: readonly (readonly [string, (options: WireClientOptions) => ProtocolClient])[] = [
  ['wire', (options) => new WireClient(options)],
  ['undici', (options) => new UndiciClient(options)],
];

function open(create: (options: WireClientOptions) => ProtocolClient, url: string): ProtocolClient {
  const client = create({
    url,
    connectionsMax: 20,
    connectionAgeNs: null,
    connectTimeoutNs: 5e9,
    tlsServerName: null,
    insecure: false,
    connectTo: null,
    clock: hostClock,
  });
  closing.push(() => client.close());
  return client;
}

async function nodeServer(keepAliveMs: number): Promise<{ server: Server; url: string }> {
  const server = createServer((request, response) => {
    if (request.url === '/chunked') {
      response.write('first ');
      setTimeout(() => response.end('second'), 5);
    } else response.end(request.url);
  });
  server.keepAliveTimeout = keepAliveMs;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(
    () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(resolve);
      }),
  );
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Sends `count` requests in groups of `group`; how each ended, by kind or class. */
async function endsOf(
  client: ProtocolClient,
  url: string,
  count: number,
  group: number,
): Promise<Record<string, number>> {
  const ends: Record<string, number> = {};
  for (let sent = 0; sent < count; sent += group) {
    const outcomes = await Promise.all(Array.from({ length: group }, () => sendRecorded(client, { url }).sink.done));
    for (const outcome of outcomes) {
      const key = outcome.kind === 'ok' ? 'ok' : outcome.class;
      ends[key] = (ends[key] ?? 0) + 1;
    }
  }
  return ends;
}

describe.each(CLIENTS)('%s client', (_name, create) => {
  it("Node's http server: bodies by length and chunked, many in turn", async () => {
    const { url } = await nodeServer(5000);
    const client = open(create, url);
    const { sink } = sendRecorded(client, { url: `${url}/chunked` });
    expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
    expect(sink.body).toBe('first second');
    expect(await endsOf(client, `${url}/x`, 500, 20)).toEqual({ ok: 500 });
    expect(client.counters.connectionsOpened).toBeLessThanOrEqual(21);
  });

  it('R016 a pause longer than the advertised keep-alive never meets a stale connection', async () => {
    const { url } = await nodeServer(2000);
    const client = open(create, url);
    expect(await endsOf(client, url, 10, 10)).toEqual({ ok: 10 });
    await pause(1500);
    expect(await endsOf(client, url, 10, 10)).toEqual({ ok: 10 });
    await pause(2500);
    expect(await endsOf(client, url, 10, 10)).toEqual({ ok: 10 });
  });

  it.skipIf(!hasNginx)(
    'nginx that closes every tenth request: no request is lost (skipped where nginx is not installed)',
    async () => {
      const nginx = await startNginx('return 200 "ok";', 'keepalive_requests 10;');
      const client = open(create, nginx.url);
      const ends = await endsOf(client, `${nginx.url}/a`, 400, 8);
      expect(ends).toEqual({ ok: 400 });
      await client.close();
      expect(await nginx.stop()).toHaveLength(400);
    },
  );

  it.skipIf(!hasHaproxy)(
    'R016 HAProxy with a short idle limit: what is not ok is a stale connection, and nothing hangs (skipped where HAProxy is not installed)',
    async () => {
      const backend = await nodeServer(60_000);
      const proxy = await startHaproxy(Number(new URL(backend.url).port), 300);
      closing.push(() => proxy.stop());
      const client = open(create, proxy.url);
      let failures: Record<string, number> = {};
      for (const idleMs of [0, 280, 295, 300, 305, 320, 600]) {
        await pause(idleMs);
        const { ok: _ok, ...others } = await endsOf(client, `${proxy.url}/idle`, 5, 5);
        failures = { ...failures, ...others };
      }
      expect(Object.keys(failures).filter((kind) => kind !== 'stale-connection')).toEqual([]);
      expect(await endsOf(client, `${proxy.url}/busy`, 300, 10)).toEqual({ ok: 300 });
    },
  );
});
