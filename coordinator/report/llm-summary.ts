/** The lines of the summary about LLM answers: times of tokens, tokens, notes, and what other tools would have reported. */
import type { CompatRow } from './llm-compat.ts';
import type { LlmValue } from './llm-value.ts';
import type { MetricSummary } from './metric-summary.ts';
import { countText, MISSING, rateText, table, timeText } from './text-format.ts';

/** Metrics of the table, with what is said of them. */
const SHOWN_METRICS: readonly (readonly [metric: string, label: string])[] = [
  ['ttft', 'ttft'],
  ['ttft_send', 'ttft, from the send'],
  ['timeToAnswer', 'time to answer'],
  ['ttst', 'ttst'],
  ['tpot', 'tpot'],
  ['tpot_n1', 'tpot (n - n1)'],
  ['itl', 'itl, per token'],
  ['chunkGap', 'chunk gap'],
  ['ntpot', 'ntpot'],
  ['lastToken', 'last token'],
];
const SHOWN = ['50', '90', '99'] as const;

/** What the section is made from. */
export interface LlmSummarySource {
  readonly llm: LlmValue | null;
  readonly metrics: Readonly<Record<string, MetricSummary>>;
}

/** The lines; none without LLM requests. */
export function llmLines({ llm, metrics }: LlmSummarySource): readonly string[] {
  if (llm === null) return [];
  const rows: string[][] = [['', ...SHOWN.map((key) => `p${key}`), 'mean', 'max', 'samples']];
  for (const [metric, label] of SHOWN_METRICS) {
    const summary = metrics[metric];
    if (summary === undefined || summary.count === 0) continue;
    const percentiles = SHOWN.map((key) => timeText(summary.percentiles[key]));
    rows.push([label, ...percentiles, timeText(summary.mean), timeText(summary.max), countText(summary.count)]);
  }
  const { usage, chunks } = llm.tokenSources;
  return [
    'token times of ok answers, from the intended instant (docs/llm-metrics.md has the formulas)',
    ...table(rows, '  '),
    `  output tokens ${String(llm.outputTokens)}, ${rateText(llm.outputTokensPerSecond)} (counted by usage in ${usage} answers, by chunks in ${chunks})`,
    `  input tokens ${llm.inputTokens === null ? MISSING : String(llm.inputTokens)}, all tokens ${rateText(llm.totalTokensPerSecond)}; tokens per chunk ${llm.tokensPerChunk === null ? MISSING : llm.tokensPerChunk.toFixed(2)}`,
    ...tokenizerLines(llm),
    ...llm.notes.map((note) => `  note: ${note}`),
    '',
    'the same streams as other tools define their numbers: from the send; means exact, percentiles to a bucket (0.1 %)',
    ...table(
      [['', 'named', 'mean', ...SHOWN.map((key) => `p${key}`), 'formula'], ...llm.compat.map(compatCells)],
      '  ',
    ),
  ];
}

function tokenizerLines({ tokenizer }: LlmValue): readonly string[] {
  if (tokenizer === null) return [];
  const { name, answers, leftOut, outputTokens, otherwise, outputTokensPerSecond } = tokenizer;
  return [
    `  by tokenizer ${name}: ${outputTokens} output tokens in a sample of ${answers} answers that have ${otherwise} by usage or chunks (${leftOut} not counted); all answers like it: ${rateText(outputTokensPerSecond)}`,
  ];
}

function compatCells(row: CompatRow): string[] {
  const percentiles = SHOWN.map((key) => timeText(row.percentiles[key]));
  return [row.tool, row.name, timeText(row.mean), ...percentiles, row.formula];
}
