/**
 * Replays the Azure traces against a running OpenAI-compatible inference server and checks the books: every request has one outcome, and
 * what was counted from its usage is what the server's own page says it read and generated. `--random-model FILE` writes a model of
 * random weights for llama.cpp instead, for machines where none can be downloaded.
 * Usage: node bench/llm/real-server.ts --url http://127.0.0.1:8080 [--seconds 300] [--api completions] [--model default] [--limit ROWS]
 *   [--max-output TOKENS] [--only NAME] [--data ../shared/data] [--connection-age 1ms] [--in-flight COUNT]
 * `--connection-age` is for servers that close a connection behind every streamed answer though they promise to keep it, as llama.cpp
 * does; `--in-flight` for those that a long queue of requests slows down.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { ResultValue } from '../../coordinator/report/result-value.ts';
import { milliseconds } from './milliseconds.ts';
import { watchedRun } from './pinned-run.ts';
import { randomModel } from './random-model.ts';
import { serverTokens, type ServerTokens, tokenDifferences } from './server-counters.ts';
import { type Trace, type TraceCut, traceFacts, traceFile, TRACES } from './trace-facts.ts';

const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    seconds: { type: 'string', default: '300' },
    api: { type: 'string', default: 'completions' },
    model: { type: 'string', default: 'default' },
    limit: { type: 'string' },
    'max-output': { type: 'string' },
    only: { type: 'string' },
    'in-flight': { type: 'string', default: '10000' },
    'connection-age': { type: 'string', default: 'none' },
    data: { type: 'string', default: fileURLToPath(new URL('../../../shared/data', import.meta.url)) },
    'random-model': { type: 'string' },
  },
});

/** The server's counters, null where it has no page or none that is known. */
async function countersOf(url: string): Promise<ServerTokens | null> {
  const answer = await fetch(new URL('/metrics', url));
  return answer.ok ? serverTokens(await answer.text()) : null;
}

/** Counts by kind: the kinds that were met, or 0. */
function kinds(counts: Readonly<Record<string, number>>): string {
  const met = Object.entries(counts).filter(([, count]) => count > 0);
  return met.length === 0 ? '0' : met.map(([kind, count]) => `${count} ${kind}`).join(' and ');
}

function printed(name: string, result: ResultValue): void {
  const { accounting, metrics, llm, verdict, server } = result;
  const at = (metric: string, key: '50' | '99'): string => milliseconds(metrics[metric]?.percentiles[key]);
  const waiting = server[0]?.phases.flatMap(({ gauges }) => gauges.filter(({ role }) => role === 'waiting')) ?? [];
  console.log(
    `${name}: ${accounting.scheduled} scheduled, ${accounting.ok} ok, ${kinds(accounting.failed)} failed, ${accounting.unfinished} unfinished, ${kinds(accounting.dropped)} dropped`,
  );
  console.log(
    `  ${llm?.inputTokens} + ${llm?.outputTokens} tokens (${llm?.cachedTokens ?? '-'} from the cache), ${llm?.tokensPerChunk?.toFixed(3)} per chunk; at most ${Math.max(0, ...waiting.map(({ max }) => max))} waiting in the server`,
  );
  console.log(
    `  ttft p50 ${at('ttft', '50')} p99 ${at('ttft', '99')}   tpot p50 ${at('tpot', '50')} p99 ${at('tpot', '99')}   response p50 ${at('response', '50')} p99 ${at('response', '99')}   lag p99 ${at('lag', '99')}`,
  );
  for (const example of result.failures) console.log(`  ${example.class}: ${example.detail}`);
  console.log(`  verdict ${verdict.status}`);
  for (const reason of verdict.reasons) console.log(`    - ${reason}`);
}

async function replay(trace: Trace, url: string, cut: TraceCut): Promise<void> {
  const { name, kind } = trace;
  const path = traceFile(trace, values.data);
  if (path === null) return;
  const facts = traceFacts(kind, path, cut);
  const rules = [
    `file: ${JSON.stringify(path)}`,
    ...(cut.limit === undefined ? [] : [`limit: ${cut.limit}`]),
    ...(cut.maxOutputTokens === undefined ? [] : [`maxOutputTokens: ${cut.maxOutputTokens}`, 'tooLong: cut']),
  ];
  const plan = `seed: 1
target: { url: ${JSON.stringify(url)} }
workload: [{ llm: { api: ${values.api}, model: ${JSON.stringify(values.model)}, ignoreEos: true } }]
data: { dataset: { ${kind}: { ${rules.join(', ')} } } }
load: [{ arrivals: { dataset: { speed: ${facts.lengthSeconds / Number(values.seconds)} } } }]
scrape: [{ name: server, url: /metrics, interval: 1s }]
limits: { timeout: 10m, drain: 10m, maxInFlight: ${values['in-flight']}, maxQueue: ${facts.requests}, connectionAge: ${values['connection-age']} }
fleet: { workers: 1 }
failOn: never
`;
  const before = await countersOf(url);
  const { result } = await watchedRun(plan, null, 1);
  const after = await countersOf(url);
  printed(name, result);
  const { accounting, llm } = result;
  const input = Number(llm?.inputTokens ?? 0);
  const output = Number(llm?.outputTokens ?? 0);
  const wrong = [
    ...(accounting.scheduled === facts.requests ? [] : [`${accounting.scheduled} scheduled, not ${facts.requests}`]),
    ...(accounting.ok === facts.requests ? [] : [`${accounting.ok} ok, not ${facts.requests}`]),
    ...(output === facts.outputTokens ? [] : [`output tokens ${output}, by the trace ${facts.outputTokens}`]),
    ...(before === null || after === null ? [] : tokenDifferences(before, after, { input, output })),
  ];
  const page = before === null || after === null ? 'the server shows no counters that are known' : after.server;
  console.log(`  input tokens by the trace ${facts.inputTokens}; checked against: ${page}`);
  console.log(`  ${wrong.length === 0 ? 'every request and token is there' : `DIFFERS: ${wrong.join('; ')}`}`);
  if (wrong.length > 0) process.exitCode = 1;
}

const { url, limit, 'max-output': maxOutput, 'random-model': modelFile } = values;
if (modelFile !== undefined) {
  writeFileSync(modelFile, randomModel());
  console.log(`${modelFile} written`);
} else if (url === undefined) {
  console.error('--url of a running server, or --random-model FILE');
  process.exitCode = 2;
} else {
  const cut = {
    ...(limit === undefined ? {} : { limit: Number(limit) }),
    ...(maxOutput === undefined ? {} : { maxOutputTokens: Number(maxOutput) }),
  };
  for (const trace of TRACES)
    if (trace.kind === 'azure' && (values.only === undefined || trace.name === values.only))
      await replay(trace, url, cut);
}
