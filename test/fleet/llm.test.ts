/** LLM streams through real processes: every kind of answer counted as what it is, and no failed stream in a series of ok ones. */
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { LlmValue } from '../../coordinator/report/llm-value.ts';
import { assertBalanced, type ResultFile, removeResultFolders, runCommand } from '../support/command-run.ts';
import { outcomesOf, requestLinesOf } from '../support/request-lines.ts';
import { startStreamServer, type StreamServer } from '../support/stream-server.ts';

let server: StreamServer | null = null;
let folder: string | null = null;

afterEach(async () => {
  await server?.close();
  server = null;
  if (folder !== null) await rm(folder, { recursive: true, force: true });
  folder = null;
  removeResultFolders();
});

const KINDS = ['good', 'error', 'cut', 'whole', 'bare-error', 'nothing', 'empty'] as const;

it('R042 R043 R044 R054 R058 answers of every kind end up in their own book', async () => {
  server = await startStreamServer();
  folder = await mkdtemp(join(tmpdir(), 'loadfleet-llm-'));
  const plan = join(folder, 'plan.yaml');
  const requests = KINDS.map((kind) => `  - {name: ${kind}, llm: {api: chat, model: ${kind}, prompt: hello}}`).join(
    '\n',
  );
  writeFileSync(
    plan,
    `target: {url: "${server.url}"}\nworkload:\n${requests}\nload: [{rate: 60, duration: 2s}]\nlimits: {timeout: 10s}\nfleet: {workers: 1}\nfailOn: never\n`,
  );
  const { result, exitCode, file } = await runCommand([
    'run',
    plan,
    '--seed',
    '11',
    '--slo',
    'ttft:5s,tpot:5s',
    '--quiet',
    '--per-request',
  ]);
  expect(exitCode).toBe(0);
  const { accounting, workload, metrics } = result as ResultFile;
  assertBalanced(accounting);
  const bookOf = (name: string) => {
    const found = workload.find((one) => one.name === name);
    if (found === undefined) throw new Error(`no request named ${name}`);
    const failed = Object.entries(found.accounting.failed).filter(([, count]) => count > 0);
    return { attempted: found.accounting.attempted, ok: found.accounting.ok, failed: failed.map(([name]) => name) };
  };
  for (const kind of KINDS) {
    const { attempted, ok, failed } = bookOf(kind);
    expect(attempted, kind).toBeGreaterThan(0);
    const expected = {
      good: [],
      whole: [],
      empty: [],
      error: ['in-stream-error'],
      'bare-error': ['in-stream-error'],
      cut: ['truncated'],
      nothing: ['truncated'],
    }[kind];
    expect([kind, ok, failed]).toEqual([kind, expected.length === 0 ? attempted : 0, expected]);
  }
  const good = bookOf('good').attempted;
  expect(metrics['ttft']?.count).toBe(good);
  expect(metrics['chunkGap']?.count).toBe(4 * good);
  const lines = requestLinesOf(file('requests.jsonl'));
  const { failed: classes, ok, unfinished } = accounting;
  const books = Object.entries({ ok, unfinished, ...classes }).filter(([, count]) => count > 0);
  expect(outcomesOf(lines)).toEqual(Object.fromEntries(books));
  for (const kind of KINDS) {
    expect(lines.filter(({ loadfleet }) => loadfleet.request === kind)).toHaveLength(bookOf(kind).attempted);
  }
  // The series and the lines are of the same streams.
  const streamed = lines.filter(({ loadfleet }) => loadfleet.request === 'good').map(({ loadfleet }) => loadfleet.llm);
  const ttfts = streamed.map((llm) => llm?.ttftNs ?? 0);
  expect([Math.min(...ttfts), Math.max(...ttfts)]).toEqual([metrics['ttft']?.min, metrics['ttft']?.max]);
  expect(new Set(streamed.map((llm) => llm?.outputTokens))).toEqual(new Set([5]));
  expect([metrics['outputTokens']?.min, metrics['outputTokens']?.max]).toEqual([0, 5]);
}, 60_000);

it.each(['wire', 'undici'])(
  'R044 an answer whose connection breaks or stays open behind the end marker is ok (%s)',
  async (client) => {
    server = await startStreamServer();
    for (const kind of ['broken-behind-end', 'open-behind-end']) {
      const flags = ['--llm', 'chat', '--model', kind, '--count', '5', '--duration', '1s', '--client', client];
      const { result } = await runCommand(['run', '--url', server.url, ...flags, '--fail-on', 'never', '--quiet']);
      const { accounting, metrics, llm } = result as ResultFile & { readonly llm: LlmValue };
      assertBalanced(accounting);
      expect([accounting.ok, llm.counts.leftOpen, llm.outputTokens]).toEqual([5, 5, 25]);
      // The second in which the body could have ended is no part of the answer.
      expect((metrics['response']?.mean ?? Infinity) - (metrics['lastToken']?.mean ?? 0)).toBeLessThan(1e9);
    }
  },
  60_000,
);
