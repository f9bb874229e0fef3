import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, describe, expect, it } from 'vitest';
import { removeLargeFiles, RequestFile } from '../../../../coordinator/report/request-file.ts';
import { RequestLines } from '../../../../coordinator/report/request-line.ts';
import { requestSchema } from '../../../../coordinator/report/request-schema.ts';
import { createLlmRequest, createPlan, createRequestTemplate } from '../../../support/plan-fixture.ts';
import { type RowFields, rowsOf } from '../../../support/request-rows.ts';

const validate = new Ajv2020({ allErrors: true }).compile(requestSchema);
const source = { agentId: 'agent-1', slot: 3 };
const llm = createLlmRequest();
const plan = createPlan({
  durationNs: 10e9,
  overrides: {
    requests: [
      createRequestTemplate({ url: 'http://127.0.0.1/', name: 'page' }),
      createRequestTemplate({ url: 'http://127.0.0.1/', name: 'talk', llm }),
    ],
  },
});

/** The line of a row, checked against the published schema. */
function lineOf(fields: RowFields, clean = (text: string) => text): unknown {
  const line = JSON.parse(new RequestLines(plan, 0, clean).lineOf(source, rowsOf(fields), 0)) as unknown;
  validate(line);
  expect(validate.errors ?? []).toEqual([]);
  return line;
}

describe('a line of requests.jsonl', () => {
  it('has the stamps of a request, and the time from the send under AIPerf’s name', () => {
    const sent = { releasedNs: 1500, sendNs: 2000, firstByteNs: 3_002_000, endNs: 5_002_000, status: 200 };
    expect(lineOf({ ...sent, lane: 4, block: 2, rank: 1, bodyBytes: 77 })).toMatchObject({
      metadata: {
        x_request_id: '0.0.4.2.1',
        worker_id: 'agent-1/3',
        benchmark_phase: 'profiling',
        was_cancelled: false,
      },
      metrics: { request_latency: { value: 5, unit: 'ms' } },
      error: null,
      loadfleet: { request: 'page', outcome: 'ok', intendedNs: 1000, endNs: 5_002_000, bodyBytes: 77, llm: null },
    });
  });

  it('has the tokens of an answer by both definitions', () => {
    const stamps = { sendNs: 2000, firstByteNs: 2500, endNs: 90_000_000, status: 200 };
    const tokens = { inputTokens: 9, outputTokens: 5, tokenSource: 0, cachedTokens: 0, reasoningTokens: 2, events: 7 };
    const times = { firstPayloadNs: 10_002_000, secondPayloadNs: 20_002_000, firstAnswerNs: 20_002_000 };
    const chunks = {
      chunks: 3,
      lastPayloadNs: 50_002_000,
      gapMinNs: 10_000_000,
      gapMaxNs: 30_000_000,
      streamedTokens: 5,
    };
    const line = lineOf({ template: 1, ...stamps, ...tokens, ...times, ...chunks });
    const hidden = lineOf({ template: 1, ...stamps, ...tokens, ...times, ...chunks, streamedTokens: 3 });
    expect(hidden).toMatchObject({ loadfleet: { llm: { tpotNs: 20_000_000, outputTokens: 5 } } });
    expect(line).toMatchObject({
      metrics: {
        time_to_first_token: { value: 10, unit: 'ms' },
        time_to_second_token: { value: 10, unit: 'ms' },
        request_latency: { value: 50, unit: 'ms' },
        inter_token_latency: { value: 10, unit: 'ms' },
        output_token_throughput_per_user: { value: 100, unit: 'tokens/sec/user' },
        output_sequence_length: { value: 5, unit: 'tokens' },
        output_token_count: { value: 3, unit: 'tokens' },
      },
      loadfleet: {
        llm: {
          ttftNs: 10_001_000,
          ttftSendNs: 10_000_000,
          timeToAnswerNs: 20_001_000,
          lastTokenNs: 50_001_000,
          tpotNs: 10_000_000,
          tokenSource: 'usage',
          chunkGapNs: { count: 2, min: 10_000_000, mean: 20_000_000, max: 30_000_000 },
        },
      },
    });
  });

  it.each<[string, RowFields, object]>([
    [
      'one token',
      { outputTokens: 1, chunks: 1, firstPayloadNs: 9000, lastPayloadNs: 9000, sendNs: 2000 },
      { tpotNs: null },
    ],
    ['none', { outputTokens: 0, chunks: 0, sendNs: 2000 }, { tpotNs: null, ttftNs: null }],
  ])('R054 has no time per token for an answer of %s', (_what, fields, expected) => {
    const line = lineOf({ template: 1, events: 1, ...fields });
    expect(line).toMatchObject({ loadfleet: { llm: expected } });
    expect(line).not.toHaveProperty('metrics.inter_token_latency');
  });

  it.each<[string, RowFields, object]>([
    ['failed', { outcome: 2, status: 503 }, { error: { code: 503, type: 'http-status' }, metrics: {} }],
    ['never sent', { outcome: 4 }, { metadata: { request_start_ns: null }, error: { type: 'connect-refused' } }],
    [
      'still open at the end',
      { outcome: 1, sendNs: 1500 },
      { metadata: { was_cancelled: true, cancellation_time_ns: 2000 }, error: { code: null, type: 'unfinished' } },
    ],
  ])('says what became of a request that was %s', (_what, fields, expected) => {
    expect(lineOf(fields)).toMatchObject(expected);
  });

  it('R106 has names without secrets', () => {
    expect(lineOf({}, (text) => text.replaceAll('agent-1', '***'))).toMatchObject({
      metadata: { worker_id: '***/3', record_processor_id: '***' },
      loadfleet: { agent: '***' },
    });
  });
});

describe('the file of requests', () => {
  const files: RequestFile[] = [];
  const fileOf = (limit: number): RequestFile => {
    const file = new RequestFile(new RequestLines(plan, 0, (text) => text), limit);
    files.push(file);
    return file;
  };
  afterEach(() => {
    for (const { path } of files.splice(0)) rmSync(dirname(path), { recursive: true, force: true });
  });

  /** `count` rows, numbered from `first`. */
  const numbered = (first: number, count: number): Float64Array =>
    rowsOf(...Array.from({ length: count }, (_, row) => ({ bodyBytes: first + row })));

  it('holds every row in the order taken, however many come at once', async () => {
    const file = fileOf(10_000);
    file.add(source, numbered(0, 1000), 0);
    file.add(source, numbered(1000, 1), 0);
    const { path, ...record } = await file.end();
    expect(record).toEqual({ written: 1001, leftOut: 0, problem: null });
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    const bytes = lines.map((line) => (JSON.parse(line) as { loadfleet: { bodyBytes: number } }).loadfleet.bodyBytes);
    expect(bytes).toEqual(Array.from({ length: 1001 }, (_, row) => row));
  });

  it('ends at the limit and counts the rest', async () => {
    const file = fileOf(5);
    file.add(source, numbered(0, 3), 10);
    file.add(source, numbered(3, 4), 0);
    file.add(source, numbered(7, 1), 0);
    expect(await file.end()).toMatchObject({ written: 5, leftOut: 13, problem: null });
  });

  it('is empty for a run without requests', async () => {
    const { path } = await fileOf(5).end();
    expect(readFileSync(path, 'utf8')).toBe('');
  });

  it('counts what a disk does not take, and says so', async () => {
    const file = fileOf(100);
    rmSync(dirname(file.path), { recursive: true });
    file.add(source, numbered(0, 7), 0);
    const record = await file.end();
    expect(record).toMatchObject({ written: 0, leftOut: 7 });
    expect(record.problem).toMatch(/ENOENT/);
  });

  it.runIf(process.platform === 'linux')('has whole lines only, as many as it says, when the disk is full', () => {
    const moduleUrl = new URL('../../../../coordinator/report/request-file.ts', import.meta.url);
    // A limit on the size of files is like a full disk: it takes a part of a write, and refuses the next.
    const script = `
      import { readFileSync } from 'node:fs';
      import { RequestFile, removeLargeFiles } from ${JSON.stringify(moduleUrl.href)};
      import { RECORD_WIDTH } from ${JSON.stringify(new URL('../../../../shared/metrics/request-record.ts', import.meta.url).href)};
      const file = new RequestFile({ lineOf: () => '{"line":"' + 'x'.repeat(49) + '"}\\n' }, 10_000);
      file.add({}, new Float64Array(2000 * RECORD_WIDTH), 0);
      const record = await file.end();
      const text = readFileSync(record.path, 'utf8');
      await removeLargeFiles(new Map([['requests.jsonl', record.path]]));
      console.log(JSON.stringify({ ...record, lines: text.split('\\n').length - 1, isWhole: text.endsWith('\\n') }));
    `;
    const { stdout, stderr } = spawnSync(
      'bash',
      ['-c', 'ulimit -f 40; exec "$0" "$@"', process.execPath, '--input-type=module', '--eval', script],
      { encoding: 'utf8' },
    );
    expect(stderr).toBe('');
    const record = JSON.parse(stdout) as Record<'written' | 'leftOut' | 'lines', number> & {
      readonly isWhole: boolean;
    };
    expect(record.lines).toBe(record.written);
    expect(record.isWhole).toBe(true);
    expect(record.written).toBeGreaterThan(100);
    expect(record.leftOut).toBe(2000 - record.written);
  });

  it('is removed with its folder', async () => {
    const { path } = await fileOf(5).end();
    await removeLargeFiles(new Map([['requests.jsonl', path]]));
    expect(existsSync(dirname(path))).toBe(false);
  });
});
