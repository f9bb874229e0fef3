/**
 * The harnesses of the comparison, ours among them: how each is told to stream answers of a fixed length in an open Poisson loop, and where
 * its own figures are afterwards. What it read is counted at the target, never taken from its words.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ResultValue } from '../../coordinator/report/result-value.ts';
import { loadfleetCommand } from './target-process.ts';
import type { Command } from './watched-process.ts';

/** What a harness is asked for. */
export interface StreamLoad {
  readonly url: string;
  /** Of a tokenizer of Hugging Face's format. */
  readonly tokenizerFolder: string;
  readonly streams: number;
  readonly streamsPerSecond: number;
  readonly tokensPerStream: number;
}

/** What a harness says it measured. */
export interface ToldFigures {
  readonly ok: number;
  readonly ttftP50Ms: number;
  readonly ttftP99Ms: number;
  /** Mean over requests, or over their gaps, of (last - first token) / (tokens - 1). */
  readonly gapMeanMs: number;
}

export interface StreamHarness {
  readonly name: string;
  /** What makes it tell its version. */
  readonly version: Command;
  /** A run that leaves its figures in `folder`. */
  command(load: StreamLoad, folder: string): Command;
  /** The figures of the run that left `folder`. */
  told(folder: string): ToldFigures;
}

/** Tokens of a prompt: short, for it is the answers that are compared. */
const PROMPT_TOKENS = 10;

interface AiperfFile {
  readonly request_count: { readonly avg: number };
  readonly time_to_first_token: { readonly p50: number; readonly p99: number };
  readonly inter_token_latency: { readonly avg: number };
}

interface GuidellmDistribution {
  readonly successful: { readonly mean: number; readonly percentiles: { readonly p50: number; readonly p99: number } };
}

interface GuidellmFile {
  readonly benchmarks: readonly [
    {
      readonly metrics: {
        readonly request_totals: { readonly successful: number };
        readonly time_to_first_token_ms: GuidellmDistribution;
        readonly inter_token_latency_ms: GuidellmDistribution;
      };
    },
  ];
}

interface InferencePerfFile {
  readonly successes: {
    readonly count: number;
    /** Seconds. */
    readonly latency: {
      readonly time_to_first_token: { readonly median: number; readonly p99: number };
      readonly time_per_output_token: { readonly mean: number };
    };
  };
}

function fileIn(folder: string, name: string): unknown {
  return JSON.parse(readFileSync(join(folder, name), 'utf8'));
}

const LOADFLEET: StreamHarness = {
  name: 'loadfleet',
  version: loadfleetCommand(['--version']),
  command: ({ url, streams, streamsPerSecond, tokensPerStream }, folder) => {
    const plan = join(folder, 'plan.yaml');
    writeFileSync(
      plan,
      `seed: 1
target: { url: ${JSON.stringify(url)} }
workload: [{ llm: { api: chat, model: reference, maxTokens: ${tokensPerStream}, ignoreEos: true } }]
load: [{ rate: ${streamsPerSecond}, count: ${streams} }]
limits: { drain: 1m }
fleet: { workers: 1 }
failOn: never
`,
    );
    return loadfleetCommand(['run', plan, '--quiet', '--out', join(folder, 'out')]);
  },
  told: (folder) => {
    const { accounting, metrics } = fileIn(folder, join('out', 'result.json')) as ResultValue;
    const msOf = (ns: number | null | undefined): number => (ns ?? Number.NaN) / 1e6;
    return {
      ok: accounting.ok,
      ttftP50Ms: msOf(metrics['ttft']?.percentiles['50']),
      ttftP99Ms: msOf(metrics['ttft']?.percentiles['99']),
      gapMeanMs: msOf(metrics['tpot']?.mean),
    };
  },
};

const AIPERF: StreamHarness = {
  name: 'AIPerf',
  version: ['aiperf', ['--version']],
  command: ({ url, tokenizerFolder, streams, streamsPerSecond, tokensPerStream }, folder) => [
    'aiperf',
    [
      ...['profile', '--model', 'reference', '--url', url, '--endpoint-type', 'chat', '--streaming'],
      ...['--tokenizer', tokenizerFolder, '--use-server-token-count', '--extra-inputs', 'ignore_eos:true'],
      ...['--isl', String(PROMPT_TOKENS), '--osl', String(tokensPerStream), '--random-seed', '1'],
      ...['--request-rate', String(streamsPerSecond), '--request-count', String(streams)],
      ...['--ui', 'none', '--export-level', 'summary', '--no-server-metrics', '--artifact-dir', folder],
    ],
  ],
  told: (folder) => {
    const file = fileIn(folder, 'profile_export_aiperf.json') as AiperfFile;
    return {
      ok: file.request_count.avg,
      ttftP50Ms: file.time_to_first_token.p50,
      ttftP99Ms: file.time_to_first_token.p99,
      gapMeanMs: file.inter_token_latency.avg,
    };
  },
};

const GUIDELLM: StreamHarness = {
  name: 'GuideLLM',
  version: ['guidellm', ['--version']],
  command: ({ url, tokenizerFolder, streams, streamsPerSecond, tokensPerStream }, folder) => [
    'guidellm',
    [
      ...['run', '--backend', `kind=openai_http,target=${url},model=reference`],
      ...['--profile', `kind=poisson,rate=${streamsPerSecond}`, '--constraint', `kind=max_requests,count=${streams}`],
      ...['--tokenizer', `kind=huggingface_auto,model=${tokenizerFolder}`],
      ...['--data', `kind=synthetic_text,prompt_tokens=${PROMPT_TOKENS},output_tokens=${tokensPerStream}`],
      ...['--output', `kind=json,path=${join(folder, 'benchmarks.json')}`, '--disable-console'],
    ],
  ],
  told: (folder) => {
    const { metrics } = (fileIn(folder, 'benchmarks.json') as GuidellmFile).benchmarks[0];
    const { percentiles } = metrics.time_to_first_token_ms.successful;
    return {
      ok: metrics.request_totals.successful,
      ttftP50Ms: percentiles.p50,
      ttftP99Ms: percentiles.p99,
      gapMeanMs: metrics.inter_token_latency_ms.successful.mean,
    };
  },
};

const INFERENCE_PERF: StreamHarness = {
  name: 'inference-perf',
  // It has no such option, and says so.
  version: ['inference-perf', ['--version']],
  command: ({ url, tokenizerFolder, streams, streamsPerSecond, tokensPerStream }, folder) => {
    const config = join(folder, 'config.yaml');
    const lengths = (tokens: number): string =>
      `{ min: ${tokens}, max: ${tokens}, mean: ${tokens}, std_dev: 0, total_count: ${streams} }`;
    // Random data is for its completions API only.
    writeFileSync(
      config,
      `api: { type: completion, streaming: true }
data:
  type: random
  input_distribution: ${lengths(PROMPT_TOKENS)}
  output_distribution: ${lengths(tokensPerStream)}
load:
  type: poisson
  num_workers: 1
  stages: [{ rate: ${streamsPerSecond}, duration: ${Math.round(streams / streamsPerSecond)} }]
server: { type: vllm, model_name: reference, base_url: ${JSON.stringify(url)}, ignore_eos: true }
tokenizer: { pretrained_model_name_or_path: ${JSON.stringify(tokenizerFolder)} }
storage: { local_storage: { path: ${JSON.stringify(join(folder, 'out'))} } }
report: { request_lifecycle: { summary: true, per_stage: false, per_request: false } }
`,
    );
    return ['inference-perf', ['-c', config]];
  },
  told: (folder) => {
    const { successes } = fileIn(folder, join('out', 'summary_lifecycle_metrics.json')) as InferencePerfFile;
    const { time_to_first_token: ttft, time_per_output_token: tpot } = successes.latency;
    return {
      ok: successes.count,
      ttftP50Ms: 1e3 * ttft.median,
      ttftP99Ms: 1e3 * ttft.p99,
      gapMeanMs: 1e3 * tpot.mean,
    };
  },
};

export const STREAM_HARNESSES: readonly StreamHarness[] = [LOADFLEET, AIPERF, GUIDELLM, INFERENCE_PERF];
