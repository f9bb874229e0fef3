/** The HTTP/2 client against HAProxy, in clear and over TLS: its small windows, its idle limits, and its ways of going away. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { certificateFor, hasOpenssl } from '../../support/certificate.ts';
import { eventually } from '../../support/eventually.ts';
import { hasHaproxy, type HaproxyFront, type HaproxyServer, startHaproxy } from '../../support/haproxy-server.ts';
import { endsOf, SteadyLoad } from '../../support/load-of.ts';
import { closeOpened, h2For, keepOpened } from '../../support/opened.ts';
import { sendRecorded } from '../../support/recording-sink.ts';

const MEGABYTE = 1_000_000;

interface FrontedServer extends HaproxyServer {
  /** Requests that came through. */
  readonly requests: () => number;
}

/** HAProxy before a server that counts; `/slow` is answered after 100 ms, a body with the number of its bytes. */
async function haproxy(keepAliveMs: number | null, front: HaproxyFront): Promise<FrontedServer> {
  let requests = 0;
  const backend = createServer((request, response) => {
    requests += 1;
    let bytes = 0;
    request.on('data', (chunk: Buffer) => void (bytes += chunk.length));
    request.on('end', () => {
      if (request.url === '/slow') setTimeout(() => response.end('slow'), 100);
      else if (request.url === '/big') response.end(Buffer.alloc(5 * MEGABYTE, 'b'));
      else response.end(String(bytes));
    });
  });
  backend.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
  keepOpened({
    close: async () => {
      backend.closeAllConnections();
      await new Promise((resolve) => backend.close(resolve));
    },
  });
  const proxy = await startHaproxy((backend.address() as AddressInfo).port, keepAliveMs, front);
  keepOpened({ close: () => proxy.stop() });
  return { ...proxy, requests: () => requests };
}

const certificate = hasOpenssl ? certificateFor('IP:127.0.0.1,DNS:loadfleet.test') : undefined;
const FRONTS: (readonly [string, HaproxyFront])[] = [['in clear', { http2: true }]];
if (certificate !== undefined) FRONTS.push(['over TLS', { http2: true, certificate }]);

afterEach(closeOpened);

describe.skipIf(!hasHaproxy).each(FRONTS)(
  'HAProxy, HTTP/2 %s (skipped where HAProxy is not installed)',
  (_name, front) => {
    it('answers 2,000 requests on few connections, as many as the server behind it has counted', async () => {
      const proxy = await haproxy(10_000, front);
      const client = h2For(proxy.url, { insecure: true, connectionsMax: 2 });
      expect(await endsOf(client, { url: `${proxy.url}/a` }, 2000, 100)).toEqual({ 'ok 200': 2000 });
      expect(client.counters.connectionsOpened).toBeLessThanOrEqual(2);
      expect(client.counters.retries).toBe(0);
      expect(proxy.requests()).toBe(2000);
    });

    it('sends bodies of 2 MB through its windows and takes answers of 5 MB, ten of each at once', async () => {
      const proxy = await haproxy(10_000, front);
      const client = h2For(proxy.url, { insecure: true, connectionsMax: 1 });
      const body = Buffer.alloc(2 * MEGABYTE);
      const sinks = Array.from({ length: 10 }, () => [
        sendRecorded(client, { url: proxy.url, method: 'POST', body }).sink,
        sendRecorded(client, { url: `${proxy.url}/big`, template: 1 }).sink,
      ]).flat();
      for (const sink of sinks) expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
      expect(sinks.filter((sink) => sink.body === '2000000')).toHaveLength(10);
      expect(sinks.filter((sink) => sink.body.length === 5 * MEGABYTE)).toHaveLength(10);
    });

    it.each([
      ['timeout http-keep-alive', 150, 20_000],
      ['timeout client', null, 150],
    ])(
      'R016 held idle beyond its %s: what is not ok is a stale connection, and nothing hangs',
      async (_limit, keepAliveMs, clientTimeoutMs) => {
        const proxy = await haproxy(keepAliveMs, { ...front, clientTimeoutMs });
        const client = h2For(proxy.url, { insecure: true });
        const ends = new Set<string>();
        for (const idleMs of [0, 145, 148, 150, 152, 155, 500]) {
          await delay(idleMs);
          const sinks = Array.from({ length: 5 }, () => sendRecorded(client, { url: proxy.url }).sink);
          for (const sink of sinks) {
            const end = await sink.done;
            // A new connection that a slow machine leaves silent for so long is reset by right.
            if (sink.waits.length === 0) ends.add(end.kind === 'ok' ? 'ok' : end.class);
          }
        }
        ends.delete('ok');
        ends.delete('stale-connection');
        expect([...ends]).toEqual([]);
        expect(client.counters.connectionsOpened).toBeGreaterThan(1);
        expect(await endsOf(client, { url: proxy.url }, 300, 10)).toEqual({ 'ok 200': 300 });
      },
    );

    it('R021 loses none of the requests that it took when it stops in the middle of the load', async () => {
      const proxy = await haproxy(10_000, front);
      const client = h2For(proxy.url, { insecure: true, connectionsMax: 4 });
      const load = new SteadyLoad(client, { url: `${proxy.url}/slow` }, 100);
      await eventually('requests are answered', () => load.ended > 200);
      proxy.signal('SIGUSR1');
      await eventually('its end is seen', () => client.counters.connectionsTried > client.counters.connectionsOpened);
      const { 'ok 200': ok = 0, 'connect-refused': refused = 0, ...others } = await load.stop();
      // Reset: they waited for a connection that stood in the queue of the listener as it was closed.
      expect(Object.keys(others).filter((kind) => kind !== 'reset')).toEqual([]);
      expect(refused).toBeGreaterThan(0);
      expect(ok).toBe(proxy.requests());
    });

    it('gives every request an end when it is killed in the middle of the load', async () => {
      const proxy = await haproxy(10_000, front);
      const client = h2For(proxy.url, { insecure: true, connectionsMax: 4 });
      const load = new SteadyLoad(client, { url: `${proxy.url}/slow` }, 100);
      await eventually('requests are answered', () => load.ended > 200);
      proxy.signal('SIGKILL');
      await eventually('its end is seen', () => client.counters.connectionsTried > client.counters.connectionsOpened);
      const { 'ok 200': _ok, 'connect-refused': _refused, ...dead } = await load.stop();
      const kinds = Object.keys(dead);
      expect(kinds.length).toBeGreaterThan(0);
      expect(kinds.filter((kind) => !['reset', 'truncated', 'stale-connection'].includes(kind))).toEqual([]);
    });
  },
);
