/** A run whose answers are compressed, as its plan asks: some of them are corrupt, and the server keeps its own count (R030). */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { assertBalanced, removeResultFolders, type ResultFile, runCommand } from '../support/command-run.ts';

type TrafficResult = ResultFile & {
  readonly traffic: { readonly bytesReceived: number; readonly bytesDecoded: number };
  readonly failures: readonly { readonly class: string; readonly detail: string; readonly count: number }[];
};

const PLAIN = Buffer.from('a row of a table, and so on\n'.repeat(1000));
const WHOLE = gzipSync(PLAIN);
const CORRUPT = Buffer.concat([WHOLE.subarray(0, 10), Buffer.alloc(WHOLE.length - 10, 0xff)]);
/** Each tenth answer is corrupt. */
const CORRUPT_EVERY = 10;

let folder = '';
/** Given instead of all other answers, where there is one. */
let slow: Buffer | null = null;
const seen = { whole: 0, corrupt: 0, uncompressed: 0 };
const server = createServer((request, response) => {
  if (!(request.headers['accept-encoding'] ?? '').includes('gzip')) {
    seen.uncompressed += 1;
    response.end(PLAIN);
    return;
  }
  if (slow !== null) {
    response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(slow);
    return;
  }
  const isCorrupt = (seen.whole + seen.corrupt) % CORRUPT_EVERY === CORRUPT_EVERY - 1;
  seen[isCorrupt ? 'corrupt' : 'whole'] += 1;
  response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(isCorrupt ? CORRUPT : WHOLE);
});

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'loadfleet-compressed-'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

afterEach(() => {
  slow = null;
  removeResultFolders();
});

async function run(request: string, load = 'closed:4, count: 200'): Promise<TrafficResult> {
  Object.assign(seen, { whole: 0, corrupt: 0, uncompressed: 0 });
  const plan = join(folder, 'plan.yaml');
  const { port } = server.address() as AddressInfo;
  writeFileSync(
    plan,
    `seed: 3
target: { url: "http://127.0.0.1:${port}" }
workload: [{ url: /table${request} }]
load: [{ arrivals: ${load} }]
fleet: { workers: 2 }
failOn: never
`,
  );
  const { result, exitCode, stderr } = await runCommand(['run', plan, '--quiet']);
  expect(exitCode, stderr).toBe(0);
  assertBalanced(result!.accounting);
  return result as TrafficResult;
}

describe('R030 a run of compressed answers', () => {
  it('counts them on the wire and decoded, and fails the corrupt ones', async () => {
    const { accounting, traffic, failures } = await run(', headers: { Accept-Encoding: gzip }');
    expect(seen).toEqual({ whole: 180, corrupt: 20, uncompressed: 0 });
    expect([accounting.ok, accounting.failed['protocol'], accounting.unfinished]).toEqual([180, 20, 0]);
    expect(traffic.bytesDecoded).toBe(180 * PLAIN.length);
    expect(traffic.bytesReceived).toBeGreaterThan(200 * WHOLE.length);
    expect(traffic.bytesReceived).toBeLessThan(traffic.bytesDecoded / 10);
    expect(failures).toMatchObject([{ class: 'protocol' }]);
    expect(failures[0]?.detail).toMatch(/^content-encoding gzip: /);
  });

  it('does not count the time of decoding as time of an answer, also where the next request follows it', async () => {
    const body = gzipSync(Buffer.alloc(100_000_000), { level: 1 });
    const beganMs = performance.now();
    gunzipSync(body);
    const decodingNs = (performance.now() - beganMs) * 1e6;
    slow = body;
    const { accounting, metrics } = await run(', headers: { Accept-Encoding: gzip }', 'closed:1, count: 8');
    expect(accounting.ok).toBe(8);
    const medianOf = (metric: string): number => metrics[metric]?.percentiles['50'] ?? Number.NaN;
    // From its intended instant on, which is not before the one before it has been decoded.
    expect(medianOf('response') - medianOf('service')).toBeLessThan(decodingNs / 2);
  });

  it('does so only as asked: without Accept-Encoding, and with `decoded: false`', async () => {
    const plain = await run('');
    expect(seen.uncompressed).toBe(200);
    expect([plain.accounting.ok, plain.traffic.bytesDecoded]).toEqual([200, 0]);
    const left = await run(', headers: { Accept-Encoding: gzip }, expect: { decoded: false }');
    expect([left.accounting.ok, left.traffic.bytesDecoded]).toEqual([200, 0]);
  });
});
