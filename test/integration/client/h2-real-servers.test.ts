/**
 * The HTTP/2 client against nginx, in clear and over TLS: limits, bodies of all sizes, ends without a body, and nginx going away under
 * load.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { certificateFor, hasOpenssl } from '../../support/certificate.ts';
import { eventually } from '../../support/eventually.ts';
import { endsOf, SteadyLoad } from '../../support/load-of.ts';
import { hasNginx, type NginxFront, type NginxServer, startNginx } from '../../support/nginx-server.ts';
import { closeOpened, h2For, keepOpened } from '../../support/opened.ts';
import { sendRecorded } from '../../support/recording-sink.ts';
import { childIdsOf } from '../../support/spawned.ts';

const MEGABYTE = 1_000_000;

interface CountedNginx extends NginxServer {
  /** Ends it and gives its log. */
  close(): Promise<void>;
  log(): Promise<readonly string[]>;
}

/** An nginx that is stopped in any case; its log is read once. */
async function nginx(location: string, settings: string, front: NginxFront): Promise<CountedNginx> {
  const server = await startNginx(location, settings, front);
  let log: Promise<readonly string[]> | null = null;
  const stopOnce = (): Promise<readonly string[]> => (log ??= server.stop());
  return keepOpened({
    ...server,
    close: async () => {
      await stopOnce();
    },
    log: stopOnce,
  });
}

/** A folder with these files, removed after the test. */
function folderOf(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'loadfleet-'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  keepOpened({
    close: () => {
      rmSync(folder, { recursive: true, force: true });
      return Promise.resolve();
    },
  });
  return folder;
}

/** A server that answers with the number of bytes it got, for nginx to pass requests to. */
async function countingServer(): Promise<string> {
  const server = createServer((request, response) => {
    let bytes = 0;
    request.on('data', (chunk: Buffer) => void (bytes += chunk.length));
    request.on('end', () => response.end(String(bytes)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  keepOpened({
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const certificate = hasOpenssl ? certificateFor('IP:127.0.0.1,DNS:loadfleet.test') : undefined;
const FRONTS: (readonly [string, NginxFront])[] = [['in clear', { http2: true }]];
if (certificate !== undefined) FRONTS.push(['over TLS', { http2: true, certificate }]);

afterEach(closeOpened);

describe.skipIf(!hasNginx).each(FRONTS)('nginx, HTTP/2 %s (skipped where nginx is not installed)', (_name, front) => {
  it('answers 5,000 requests on few connections, as many as its log has', async () => {
    const server = await nginx('return 200 "ok";', '', front);
    const client = h2For(server.url, { insecure: true, connectionsMax: 2 });
    expect(await endsOf(client, { url: `${server.url}/a` }, 5000, 150)).toEqual({ 'ok 200': 5000 });
    expect(client.counters.connectionsOpened).toBe(2);
    expect(client.counters.retries).toBe(0);
    await client.close();
    expect(await server.log()).toEqual(Array.from({ length: 5000 }, () => 'GET /a 200'));
  });

  it.each([
    [50, 4, 60],
    [5, 1, 100],
  ])(
    'R021 loses none of 1,000 requests to a GOAWAY every %d on %d connections',
    async (every, connectionsMax, inFlight) => {
      const server = await nginx('return 200 "ok";', `keepalive_requests ${every};`, front);
      const client = h2For(server.url, { insecure: true, connectionsMax });
      expect(await endsOf(client, { url: `${server.url}/a` }, 1000, inFlight)).toEqual({ 'ok 200': 1000 });
      expect(client.counters.connectionsOpened).toBeGreaterThanOrEqual(1000 / every);
      await client.close();
      expect(await server.log()).toHaveLength(1000);
    },
  );

  it('R022 keeps to four streams per connection, and says that requests wait', async () => {
    const server = await nginx('return 200 "ok";', 'http2_max_concurrent_streams 4;', front);
    const client = h2For(server.url, { insecure: true, connectionsMax: 3 });
    await client.prepare(1);
    const sinks = Array.from({ length: 200 }, () => sendRecorded(client, { url: server.url }).sink);
    for (const sink of sinks) expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
    expect(sinks.filter((sink) => sink.waits.length > 0)).toHaveLength(196);
    expect(client.streamsPeak).toBe(4);
    expect(client.counters.connectionsOpened).toBe(3);
    expect(client.counters.retries).toBe(0);
    await client.close();
    expect(await server.log()).toHaveLength(200);
  });

  it('takes answers of 5 MB, twelve at once on one connection, byte for byte', async () => {
    const big = Buffer.alloc(5 * MEGABYTE, 'a line that does not divide a frame\n');
    const server = await nginx(`root ${folderOf({ big })};`, '', front);
    const client = h2For(server.url, { insecure: true, connectionsMax: 1 });
    const sinks = Array.from({ length: 12 }, () => sendRecorded(client, { url: `${server.url}/big` }).sink);
    const whole = big.toString('latin1');
    for (const sink of sinks) {
      expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
      expect(sink.body === whole).toBe(true);
    }
  });

  it('sends bodies of 2 MB, ten at once, and takes a 413 while most of a body is unsent', async () => {
    const passed = `proxy_pass ${await countingServer()};`;
    const server = await nginx(passed, 'client_max_body_size 3m;', front);
    const client = h2For(server.url, { insecure: true, connectionsMax: 1 });
    const post = { url: server.url, method: 'POST' };
    const sinks = Array.from(
      { length: 10 },
      () => sendRecorded(client, { ...post, body: Buffer.alloc(2 * MEGABYTE) }).sink,
    );
    for (const sink of sinks) {
      expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
      expect(sink.body).toBe('2000000');
    }
    const tooLarge = { ...post, template: 1, body: Buffer.alloc(20 * MEGABYTE) };
    expect(await endsOf(client, tooLarge, 20, 5)).toEqual({ 'ok 413': 20 });
    expect(await endsOf(client, { url: server.url, template: 2 }, 50, 10)).toEqual({ 'ok 200': 50 });
    expect(client.counters.connectionsOpened).toBe(1);
    expect(client.counters.bytesSent).toBeLessThan(40 * MEGABYTE);
  });

  it('R030 ends HEAD, 204 and 304 without a body, and gives a compressed body as it came', async () => {
    const text = 'to be compressed '.repeat(1000);
    const folder = folderOf({ text });
    const server = await nginx(`root ${folder}; if_modified_since before; gzip on; gzip_types *;`, '', {
      ...front,
      server: 'location /none { return 204; }',
    });
    const client = h2For(server.url, { insecure: true });
    const ask = async (path: string, method: string, ...headers: [string, string][]) => {
      const { sink } = sendRecorded(client, { url: `${server.url}${path}`, method, headers });
      return [await sink.done, sink.body] as const;
    };
    expect(await ask('/text', 'GET')).toEqual([{ kind: 'ok', status: 200 }, text]);
    expect(await ask('/text', 'HEAD')).toEqual([{ kind: 'ok', status: 200 }, '']);
    expect(await ask('/none', 'GET')).toEqual([{ kind: 'ok', status: 204 }, '']);
    const since: [string, string] = ['If-Modified-Since', new Date(Date.UTC(2200, 0)).toUTCString()];
    expect(await ask('/text', 'GET', since)).toEqual([{ kind: 'ok', status: 304 }, '']);
    expect(await ask('/missing', 'HEAD')).toEqual([{ kind: 'ok', status: 404 }, '']);
    const [end, body] = await ask('/text', 'GET', ['Accept-Encoding', 'gzip']);
    expect(end).toEqual({ kind: 'ok', status: 200 });
    expect(gunzipSync(Buffer.from(body, 'latin1')).toString()).toBe(text);
    expect(client.counters.connectionsOpened).toBe(1);
  });

  it('R021 loses no request when nginx takes new settings in the middle of the load', async () => {
    const server = await nginx('return 200 "ok";', '', front);
    const client = h2For(server.url, { insecure: true, connectionsMax: 4 });
    const load = new SteadyLoad(client, { url: server.url }, 100);
    for (let reloads = 1; reloads <= 3; reloads += 1) {
      const [before, endedBefore] = [client.counters.connectionsOpened, load.ended];
      await eventually('requests are answered', () => load.ended > endedBefore + 300);
      server.signal('SIGHUP');
      await eventually('connections to the new workers', () => client.counters.connectionsOpened > before);
    }
    const endedBefore = load.ended;
    await eventually('requests are answered by the last workers', () => load.ended > endedBefore + 300);
    const ends = await load.stop();
    expect(ends).toEqual({ 'ok 200': load.ended });
    await client.close();
    expect(await server.log()).toHaveLength(load.ended);
  });

  it('R021 answers what nginx took when it stops in the middle of the load; the rest finds nobody', async () => {
    const server = await nginx('return 200 "ok";', '', front);
    const client = h2For(server.url, { insecure: true, connectionsMax: 4 });
    const load = new SteadyLoad(client, { url: server.url }, 50);
    await eventually('requests are answered', () => load.ended > 300);
    const log = await server.log();
    await eventually(
      'the end of nginx is seen',
      () => client.counters.connectionsTried > client.counters.connectionsOpened,
    );
    const { 'ok 200': ok = 0, 'connect-refused': refused = 0, ...others } = await load.stop();
    // Reset: they waited for a connection that stood in the queue of the listener as it was closed.
    expect(Object.keys(others).filter((kind) => kind !== 'reset')).toEqual([]);
    expect(refused).toBeGreaterThan(0);
    expect(ok).toBe(log.length);
  });

  it('gives every request an end when a worker of nginx is killed, and goes on with the next one', async (context) => {
    const server = await nginx('return 200 "ok";', '', front);
    const workers = childIdsOf(server.pid);
    if (workers === null) {
      context.skip('this host has no /proc');
      return;
    }
    const client = h2For(server.url, { insecure: true, connectionsMax: 2 });
    const load = new SteadyLoad(client, { url: server.url }, 100);
    await eventually('requests are answered', () => load.ended > 300);
    const opened = client.counters.connectionsOpened;
    for (const worker of workers) process.kill(worker, 'SIGKILL');
    await eventually('a connection to the next worker', () => client.counters.connectionsOpened > opened);
    const endedBefore = load.ended;
    await eventually('requests are answered again', () => load.ended > endedBefore + 300);
    const { 'ok 200': ok = 0, ...others } = await load.stop();
    // Stale: its connection had answered all before and the next request came as it died.
    const dead = new Set(['reset', 'truncated', 'stale-connection']);
    expect(Object.keys(others).filter((kind) => !dead.has(kind))).toEqual([]);
    expect(ok).toBeGreaterThan(300);
  });
});
