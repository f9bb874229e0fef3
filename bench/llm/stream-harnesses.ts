/**
 * The harnesses of the comparison, ours among them: how each is told to stream answers of a fixed length in an open Poisson loop, and where
 * its own figures are afterwards. What it read is counted at the target, never taken from its words.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

/** Where its figures are: keys one below the other, by slashes. */
interface FigurePlaces {
  /** In the folder of the run. */
  readonly file: string;
  /** Milliseconds in its unit of time. */
  readonly unitMs: number;
  readonly ok: string;
  readonly ttftP50: string;
  readonly ttftP99: string;
  readonly gapMean: string;
}

export interface StreamHarness {
  readonly name: string;
  /** What makes it tell its version. */
  readonly version: Command;
  /** A run that leaves its figures in `folder`. */
  command(load: StreamLoad, folder: string): Command;
  readonly figures: FigurePlaces;
}

/** Tokens of a prompt: short, for it is the answers that are compared. */
const PROMPT_TOKENS = 10;

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
  figures: {
    file: 'out/result.json',
    unitMs: 1e-6,
    ok: 'accounting/ok',
    ttftP50: 'metrics/ttft/percentiles/50',
    ttftP99: 'metrics/ttft/percentiles/99',
    gapMean: 'metrics/tpot/mean',
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
  figures: {
    file: 'profile_export_aiperf.json',
    unitMs: 1,
    ok: 'request_count/avg',
    ttftP50: 'time_to_first_token/p50',
    ttftP99: 'time_to_first_token/p99',
    gapMean: 'inter_token_latency/avg',
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
  figures: {
    file: 'benchmarks.json',
    unitMs: 1,
    ok: 'benchmarks/0/metrics/request_totals/successful',
    ttftP50: 'benchmarks/0/metrics/time_to_first_token_ms/successful/percentiles/p50',
    ttftP99: 'benchmarks/0/metrics/time_to_first_token_ms/successful/percentiles/p99',
    gapMean: 'benchmarks/0/metrics/inter_token_latency_ms/successful/mean',
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
  figures: {
    file: 'out/summary_lifecycle_metrics.json',
    unitMs: 1000,
    ok: 'successes/count',
    ttftP50: 'successes/latency/time_to_first_token/median',
    ttftP99: 'successes/latency/time_to_first_token/p99',
    gapMean: 'successes/latency/time_per_output_token/mean',
  },
};

export const STREAM_HARNESSES: readonly StreamHarness[] = [LOADFLEET, AIPERF, GUIDELLM, INFERENCE_PERF];

/** The number at `path` in a harness's file; NaN where it has none. */
function numberAt(file: unknown, path: string): number {
  let value = file;
  for (const key of path.split('/')) value = (value as Readonly<Record<string, unknown>> | null | undefined)?.[key];
  return typeof value === 'number' ? value : Number.NaN;
}

/** The figures of the run of a harness that left `folder`. @throws when it left no file there. */
export function toldFigures({ figures }: StreamHarness, folder: string): ToldFigures {
  const file: unknown = JSON.parse(readFileSync(join(folder, figures.file), 'utf8'));
  const msAt = (place: string): number => figures.unitMs * numberAt(file, place);
  return {
    ok: numberAt(file, figures.ok),
    ttftP50Ms: msAt(figures.ttftP50),
    ttftP99Ms: msAt(figures.ttftP99),
    gapMeanMs: msAt(figures.gapMean),
  };
}
