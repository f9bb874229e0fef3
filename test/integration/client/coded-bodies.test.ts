/** Compressed answers through all clients, from Node's own servers (R030). */
import { createServer } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { ProtocolClient } from '../../../agent/client/protocol-client.ts';
import { hostClock } from '../../../shared/time/monotonic-clock.ts';
import { serve as serveH2 } from '../../support/h2-test-server.ts';
import { closeOpened, h2For, listenOpened, undiciFor, wireFor } from '../../support/opened.ts';
import { sendRecorded } from '../../support/recording-sink.ts';

afterEach(closeOpened);

const PLAIN = Buffer.from('{"name":"value","list":[1,2,3]}'.repeat(2000));
const GZIP = gzipSync(PLAIN);
/** Decoding it takes long after it is here. */
const LONG = gzipSync(Buffer.alloc(300_000_000), { level: 1 });

/** What each path answers: coding and body. */
const ANSWERS: Readonly<Record<string, readonly [coding: string, body: Buffer]>> = {
  '/gzip': ['gzip', GZIP],
  '/long': ['gzip', LONG],
  '/br': ['br', brotliCompressSync(PLAIN)],
  '/corrupt': ['gzip', Buffer.concat([GZIP.subarray(0, 20), Buffer.alloc(40, 0xff), GZIP.subarray(60)])],
  '/cut': ['gzip', GZIP.subarray(0, GZIP.length - 12)],
  '/plain': ['gzip', PLAIN],
  '/unknown': ['x-other', PLAIN],
  '/identity': ['identity', PLAIN],
};

/** A server of all answers, and a client for it. */
async function pairOf(kind: 'wire' | 'undici' | 'h2'): Promise<{ url: string; client: ProtocolClient }> {
  if (kind === 'h2') {
    const { url } = await serveH2((stream, headers) => {
      const [coding, body] = ANSWERS[headers[':path'] as string]!;
      stream.respond({ ':status': 200, 'content-encoding': coding }, { endStream: headers[':method'] === 'HEAD' });
      if (headers[':method'] !== 'HEAD') stream.end(body);
    });
    return { url, client: h2For(url) };
  }
  const server = createServer((request, response) => {
    const [coding, body] = ANSWERS[request.url as string]!;
    response.writeHead(200, { 'Content-Encoding': coding }).end(body);
  });
  const url = `http://${await listenOpened(server)}`;
  return { url, client: kind === 'wire' ? wireFor(url) : undiciFor(url) };
}

const headers = [['Accept-Encoding', 'gzip, br']] as const;

describe.each(['wire', 'undici', 'h2'] as const)('R030 %s', (kind) => {
  it('counts a compressed body on the wire and decoded, and ends it with its last wire byte', async () => {
    const { url, client } = await pairOf(kind);
    for (const path of ['/gzip', '/br']) {
      const before = client.counters.bytesDecoded;
      const { sink } = sendRecorded(client, { url: url + path, headers, decodes: true });
      expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
      expect(sink.body.length).toBe(ANSWERS[path]![1].length);
      expect(client.counters.bytesDecoded - before).toBe(PLAIN.length);
      expect(sink.endNs).toBeGreaterThanOrEqual(sink.firstByteNs!);
      expect(sink.endNs).toBeLessThanOrEqual(hostClock.nowNs());
    }
    expect(client.counters.bytesReceived).toBeLessThan(PLAIN.length);
  });

  it('fails a corrupt body, one that ends too early, and one that is not compressed, and goes on', async () => {
    const { url, client } = await pairOf(kind);
    const outcomes = [];
    for (const path of ['/corrupt', '/cut', '/plain', '/gzip']) {
      const { sink } = sendRecorded(client, { url: url + path, headers, decodes: true });
      outcomes.push(await sink.done);
    }
    expect(outcomes).toMatchObject([
      { class: 'protocol', status: 200 },
      { class: 'truncated', status: 200 },
      { class: 'protocol', status: 200, detail: 'content-encoding gzip: incorrect header check' },
      { kind: 'ok' },
    ]);
    // The connection is none the worse for it.
    expect(client.counters.connectionsOpened).toBe(1);
  });

  it('leaves all bodies as they are without being asked, and those in other codings', async () => {
    const { url, client } = await pairOf(kind);
    expect(await sendRecorded(client, { url: `${url}/corrupt` }).sink.done).toEqual({ kind: 'ok', status: 200 });
    const unknown = sendRecorded(client, { url: `${url}/unknown`, headers, decodes: true });
    expect(await unknown.sink.done).toEqual({ kind: 'ok', status: 200 });
    expect(client.counters.bytesDecoded).toBe(0);
  });

  it('says so once of each coding that is not known', async () => {
    const { url, client } = await pairOf(kind);
    for (const path of ['/unknown', '/unknown', '/gzip', '/identity'])
      await sendRecorded(client, { url: url + path, headers, decodes: true }).sink.done;
    expect(client.takeWarnings()).toEqual([expect.stringContaining('content-encoding "x-other" were not decoded')]);
    await sendRecorded(client, { url: `${url}/unknown`, headers, decodes: true }).sink.done;
    expect(client.takeWarnings()).toEqual([]);
  });

  it('takes the coding in an answer to HEAD for what it is: a word', async () => {
    const { url, client } = await pairOf(kind);
    const { sink } = sendRecorded(client, { url: `${url}/gzip`, method: 'HEAD', headers, decodes: true });
    expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
  });

  it('a client that is closed has failed a body that is only being decoded', async () => {
    const { url, client } = await pairOf(kind);
    const { sink } = sendRecorded(client, { url: `${url}/long`, headers, decodes: true });
    await expect.poll(() => sink.body.length, { interval: 1 }).toBe(LONG.length);
    // Its end came with its last byte, if not in the same turn.
    await expect.poll(() => client.decodingCount, { interval: 1 }).toBe(1);
    await client.close();
    expect(client.decodingCount).toBe(0);
    expect(sink.outcome).toEqual({ kind: 'failed', class: 'generator', status: 200, detail: 'the client is closed' });
  }, 30_000);

  it('giving up a body that is only being decoded leaves the connection to the request that has it', async () => {
    const { url, client } = await pairOf(kind);
    const long = sendRecorded(client, { url: `${url}/long`, headers, decodes: true });
    await expect.poll(() => long.sink.body.length, { interval: 1 }).toBe(LONG.length);
    const next = sendRecorded(client, { url: `${url}/gzip`, headers, decodes: true });
    const given = { kind: 'failed', class: 'timeout', status: null, detail: 'given up' } as const;
    long.exchange.abort(given, hostClock.nowNs());
    expect(long.sink.outcome).toMatchObject({ class: 'generator', status: 200 });
    expect(await next.sink.done).toEqual({ kind: 'ok', status: 200 });
    expect(client.counters.connectionsOpened).toBe(1);
  }, 30_000);
});
