import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { BodyDecoding, decodeBody, type DecodingExchange } from '../../../../agent/client/decoded-body.ts';
import { createClientCounters } from '../../../../agent/client/protocol-client.ts';
import type { Outcome } from '../../../../shared/metrics/outcome.ts';
import { RecordingSink } from '../../../support/recording-sink.ts';

const PLAIN = Buffer.from('a line that comes again and again\n'.repeat(500));
const OK: Outcome = { kind: 'ok', status: 200 };

/** An answer whose head named `coding`. */
function answered(coding: string | null, isWanted = true) {
  const inner = new RecordingSink();
  const counters = createClientCounters();
  const client = new BodyDecoding(counters);
  const exchange: DecodingExchange = { sink: inner, decoding: null, decodesFor: isWanted ? client : null };
  exchange.sink.onSend(1);
  exchange.sink.onFirstByte(2);
  decodeBody(exchange, coding);
  return { exchange, inner, counters, client };
}

/** Gives `body` to the exchange in pieces of `size`, and ends it well at 90. */
function receive(exchange: DecodingExchange, body: Buffer, size = 100): void {
  for (let at = 0; at < body.length; at += size) exchange.sink.onBytes(body.subarray(at, at + size), 10);
  exchange.sink.onEnd(OK, 90);
}

describe('R030 a body with a Content-Encoding', () => {
  it.each([
    ['gzip', gzipSync(PLAIN)],
    ['X-GZIP', gzipSync(PLAIN)],
    ['deflate', deflateSync(PLAIN)],
    ['deflate', deflateRawSync(PLAIN)],
    ['br', brotliCompressSync(PLAIN)],
    [' zstd ', zstdCompressSync(PLAIN)],
  ])('%s is ok when it decodes, ends with its last wire byte, and is counted on both sides', async (coding, body) => {
    for (const size of [1, 7, body.length]) {
      const { exchange, inner, counters } = answered(coding);
      receive(exchange, body, size);
      expect(await inner.done).toEqual(OK);
      expect([inner.endNs, inner.body.length, counters.bytesDecoded]).toEqual([90, body.length, PLAIN.length]);
    }
  });

  it.each([
    ['gzip', gzipSync(PLAIN)],
    ['deflate', deflateSync(PLAIN)],
    ['br', brotliCompressSync(PLAIN)],
  ])('%s that is corrupt failed as protocol', async (coding, body) => {
    const { exchange, inner } = answered(coding);
    receive(exchange, Buffer.concat([Buffer.from('no such data'), body]));
    expect(await inner.done).toMatchObject({ kind: 'failed', class: 'protocol', status: 200 });
    expect(inner.outcome).toMatchObject({ detail: expect.stringMatching(`^content-encoding ${coding}: .+`) as string });
    expect(inner.endNs).toBe(90);
  });

  it.each([
    ['gzip', gzipSync(PLAIN)],
    ['deflate', deflateSync(PLAIN)],
    ['br', brotliCompressSync(PLAIN)],
    ['zstd', zstdCompressSync(PLAIN)],
  ])('%s that ends too early failed as truncated', async (coding, body) => {
    const { exchange, inner } = answered(coding);
    receive(exchange, body.subarray(0, body.length - 5));
    expect(await inner.done).toMatchObject({ kind: 'failed', class: 'truncated', status: 200 });
  });

  it('zstd that asks for a window above 8 MiB is refused', async () => {
    const windowed = (windowLog: number): Buffer =>
      zstdCompressSync(Buffer.alloc(200_000_000), { params: { [constants.ZSTD_c_windowLog]: windowLog } });
    const [most, more] = [answered('zstd'), answered('zstd')];
    receive(most.exchange, windowed(23));
    receive(more.exchange, windowed(27));
    expect(await most.inner.done).toEqual(OK);
    expect(await more.inner.done).toMatchObject({ class: 'protocol' });
  });

  it('a checksum that is wrong failed', async () => {
    const body = gzipSync(PLAIN);
    body.writeUInt32LE((body.readUInt32LE(body.length - 8) ^ 1) >>> 0, body.length - 8);
    const { exchange, inner } = answered('gzip');
    receive(exchange, body);
    expect(await inner.done).toMatchObject({
      class: 'protocol',
      detail: 'content-encoding gzip: incorrect data check',
    });
  });

  it('failed also where the fault was found before the body ended', async () => {
    const { exchange, inner } = answered('gzip');
    exchange.sink.onBytes(Buffer.from('no such data'), 10);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(inner.outcome).toBeNull();
    receive(exchange, Buffer.from('more of it'));
    expect(await inner.done).toMatchObject({ class: 'protocol' });
  });

  it('without a byte there is nothing to decode: HEAD, 204, 304', () => {
    const { exchange, inner } = answered('gzip');
    exchange.sink.onEnd(OK, 3);
    expect([inner.outcome, inner.endNs]).toEqual([OK, 3]);
  });

  it('an answer that failed on the wire says so at once', () => {
    const { exchange, inner } = answered('gzip');
    exchange.sink.onBytes(gzipSync(PLAIN).subarray(0, 20), 10);
    const failed: Outcome = { kind: 'failed', class: 'reset', status: 200, detail: 'ECONNRESET' };
    exchange.sink.onEnd(failed, 20);
    expect([inner.outcome, inner.endNs]).toEqual([failed, 20]);
  });

  it.each([null, 'identity', 'compress', 'gzip, br'])('%s is left as it is', (coding) => {
    const { exchange, inner, counters } = answered(coding);
    expect(exchange.sink).toBe(inner);
    receive(exchange, Buffer.from('plain'));
    expect([inner.outcome, counters.bytesDecoded]).toEqual([OK, 0]);
  });

  it('nothing is decoded where nobody asked for it', () => {
    const { exchange, inner } = answered('gzip', false);
    expect(exchange.sink).toBe(inner);
  });

  it('a bomb takes no memory for what it becomes', async () => {
    const body = gzipSync(Buffer.alloc(200_000_000));
    const before = process.memoryUsage().arrayBuffers;
    const { exchange, inner, counters } = answered('gzip');
    let most = 0;
    const looking = setInterval(() => (most = Math.max(most, process.memoryUsage().arrayBuffers)), 1);
    receive(exchange, body, 65_536);
    expect(await inner.done).toEqual(OK);
    clearInterval(looking);
    expect(counters.bytesDecoded).toBe(200_000_000);
    expect(most - before).toBeLessThan(100_000_000);
  });
});

describe('a request that is given up', () => {
  it('while its body is being decoded ends by that, with the last wire byte, and once', async () => {
    const { exchange, inner } = answered('gzip');
    receive(exchange, gzipSync(PLAIN));
    expect(exchange.decoding?.giveUp()).toBe(true);
    expect(inner.outcome).toMatchObject({ kind: 'failed', class: 'generator', status: 200 });
    expect(inner.endNs).toBe(90);
    // The decoder comes to its end all the same: the sink throws at a second one.
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(exchange.decoding?.giveUp()).toBe(false);
  });

  it('before its body is here is the affair of its client', () => {
    const { exchange, inner } = answered('gzip');
    exchange.sink.onBytes(gzipSync(PLAIN).subarray(0, 20), 10);
    expect(exchange.decoding?.giveUp()).toBe(false);
    expect(inner.outcome).toBeNull();
  });
});

it('R030 a server that makes up codings is told of a few times, in short lines of ASCII', () => {
  const { client, exchange } = answered(null);
  for (let index = 0; index < 10; index += 1) decodeBody(exchange, `made-up-${index}\u00ff${'x'.repeat(1000)}`);
  const warnings = client.takeWarnings();
  expect(warnings).toHaveLength(4);
  for (const warning of warnings) expect(warning).toMatch(/^[ -~]{1,250}$/);
});
