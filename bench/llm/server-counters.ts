/**
 * The token counters that known inference servers show on their Prometheus page, brought to two numbers, so that a client's books can be
 * checked against them. A counter that is printed with few digits (llama.cpp's: six) is known only so far.
 */
import { parseMetricPage } from '../../coordinator/scrape/prometheus-text.ts';

/** Tokens that a server has counted since its start. */
export interface ServerTokens {
  readonly server: string;
  /** Of prompts, those from its cache included. */
  readonly input: number;
  readonly output: number;
  /** How far each may be off, because of the digits it was printed with. */
  readonly inputSlack: number;
  readonly outputSlack: number;
}

interface KnownServer {
  readonly server: string;
  /** Counters whose sum is the tokens of the prompts. */
  readonly input: readonly string[];
  readonly output: string;
  /** Digits that a counter is printed with. */
  readonly digits: number;
}

const EXACT = 15;

const SERVERS: readonly KnownServer[] = [
  {
    server: 'llama.cpp',
    input: ['llamacpp:prompt_tokens_total', 'llamacpp:prompt_tokens_cached_total'],
    output: 'llamacpp:tokens_predicted_total',
    digits: 6,
  },
  { server: 'vLLM', input: ['vllm:prompt_tokens_total'], output: 'vllm:generation_tokens_total', digits: EXACT },
  { server: 'SGLang', input: ['sglang:prompt_tokens_total'], output: 'sglang:generation_tokens_total', digits: EXACT },
];

/** The counters of a page; null where it is none of a known server. */
export function serverTokens(page: string): ServerTokens | null {
  const totals = new Map<string, number>();
  // A server has one series per model and engine.
  for (const series of parseMetricPage(page).series)
    if (series.kind !== 'histogram') totals.set(series.name, (totals.get(series.name) ?? 0) + series.value);
  const known = SERVERS.find(({ output }) => totals.has(output));
  if (known === undefined) return null;
  const inputs = known.input.map((name) => totals.get(name) ?? 0);
  const output = totals.get(known.output) as number;
  const slackOf = (value: number): number => roundingOf(value, known.digits);
  return {
    server: known.server,
    input: inputs.reduce((sum, value) => sum + value, 0),
    output,
    inputSlack: inputs.reduce((sum, value) => sum + slackOf(value), 0),
    outputSlack: slackOf(output),
  };
}

/** Half a unit of the last of so many digits; 0 where a whole number has no more than these. */
function roundingOf(value: number, digits: number): number {
  return value < 10 ** digits ? 0 : 10 ** (Math.floor(Math.log10(value)) - digits + 1) / 2;
}

/** What the server counted between two pages beside what the client did; empty where they agree as far as both are known. */
export function tokenDifferences(
  before: ServerTokens,
  after: ServerTokens,
  client: { readonly input: number; readonly output: number },
): readonly string[] {
  const lines: string[] = [];
  for (const side of ['input', 'output'] as const) {
    const grown = after[side] - before[side];
    const slack = after[`${side}Slack`] + before[`${side}Slack`];
    if (Math.abs(grown - client[side]) > slack)
      lines.push(`${side} tokens ${client[side]}, by the server ${grown}${slack === 0 ? '' : ` +- ${slack}`}`);
  }
  return lines;
}
