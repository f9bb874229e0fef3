/**
 * Every metric of a streamed LLM answer: what it means in words and symbols, in which unit, from which instant its clock runs, where
 * its token count comes from, and what happens to answers without a value. `docs/llm-metrics.md` is made from this table; the values
 * themselves are computed in `answer-values.ts`. Two tools give one name to different numbers: here one name has one formula.
 */

import type { LlmMetricId, MetricUnit } from '../metrics/metric.ts';

/** Where a metric's clock begins. `none`: a distance inside the answer, or no time at all. */
export type ClockZero = 'intended' | 'send' | 'none';

/** One metric. */
export interface LlmMetric {
  readonly id: LlmMetricId;
  readonly unit: MetricUnit;
  readonly words: string;
  /** In the symbols of `SYMBOLS`. */
  readonly formula: string;
  readonly zero: ClockZero;
  /** Samples per answer. */
  readonly samples: 'one per answer' | 'one per gap' | 'one per token';
  /** Whether the number of output tokens enters: n, or m of them that came. */
  readonly tokens: 'none' | 'n' | 'm' | 'per chunk';
  /** Which ok answers have no value. Answers that failed never have one (except `outputTokens`, kept under failed). */
  readonly without: string;
}

/** The symbols of the formulas. */
const SYMBOLS: readonly (readonly [symbol: string, meaning: string])[] = [
  ['t_int', 'the intended instant of the arrival'],
  ['t_send', 'the first byte of the request handed to a ready socket'],
  ['t_open', 'the first event of the stream, whatever is in it'],
  [
    't_1, t_2, t_last',
    'the first, second and last chunk with generated payload (text, reasoning, tool call, sound or picture)',
  ],
  ['t_ans', 'the first chunk with payload that is no reasoning'],
  ['g_j', 'the gap between chunk j and the one before, 0 for chunks of one network read'],
  ['n', 'output tokens: from usage, else from chunks; the report says how many answers each'],
  [
    'm',
    'output tokens that came: n without the reasoning tokens of usage where no reasoning came, nor more chunks than the others fill',
  ],
  ['n1', 'tokens that were made by the end of the first chunk, where the server counts along or m equals c'],
  ['k_j', 'tokens of chunk j, where the server counts along or m equals c'],
  ['c', 'chunks with generated payload'],
  ['e', 'events of the stream, those that only open it included'],
];

const NO_PAYLOAD = 'answers without payload, answers that were not streamed';
const ONE_TOKEN = `${NO_PAYLOAD}, answers of one token or one chunk`;

function timeOf(
  id: LlmMetricId,
  zero: ClockZero,
  formula: string,
  words: string,
  rest: Partial<Pick<LlmMetric, 'samples' | 'tokens' | 'without'>> = {},
): LlmMetric {
  return {
    id,
    unit: 'ns',
    zero,
    formula,
    words,
    samples: 'one per answer',
    tokens: 'none',
    without: NO_PAYLOAD,
    ...rest,
  };
}

/** All of them, in the order of the report. */
export const LLM_METRIC_TABLE: readonly LlmMetric[] = [
  timeOf(
    'ttft',
    'intended',
    't_1 - t_int',
    'Time to first token, as a user who came at the intended instant waited. The headline.',
  ),
  timeOf('ttft_send', 'send', 't_1 - t_send', 'Time to first token from the send, as other tools measure it.'),
  timeOf('firstChunk', 'intended', 't_open - t_int', 'Time to the first event, which may hold a role and no token.', {
    without: 'answers that were not streamed',
  }),
  timeOf('firstChunk_send', 'send', 't_open - t_send', 'The same from the send.', {
    without: 'answers that were not streamed',
  }),
  timeOf(
    'timeToAnswer',
    'intended',
    't_ans - t_int',
    'Time to the first token of the answer itself: reasoning does not count.',
    { without: 'answers of reasoning only, answers that were not streamed' },
  ),
  timeOf('timeToAnswer_send', 'send', 't_ans - t_send', 'The same from the send.', {
    without: 'answers of reasoning only, answers that were not streamed',
  }),
  timeOf('ttst', 'none', 't_2 - t_1', 'From the first to the second chunk with payload.', { without: ONE_TOKEN }),
  timeOf('chunkGap', 'none', 'g_j', 'Gap between two chunks. Not a token gap where a chunk holds several tokens.', {
    samples: 'one per gap',
    without: ONE_TOKEN,
  }),
  timeOf('itl', 'none', 'g_j / k_j', 'Gap per token of its chunk, once for each of its tokens.', {
    samples: 'one per token',
    tokens: 'per chunk',
    without: `${ONE_TOKEN}, answers whose chunks have unknown token counts`,
  }),
  timeOf('tpot', 'none', '(t_last - t_1) / (m - 1)', 'Time per output token after the first.', {
    tokens: 'm',
    without: ONE_TOKEN,
  }),
  timeOf(
    'tpot_n1',
    'none',
    '(t_last - t_1) / (n - n1)',
    'Time per output token after the first chunk: unbiased where chunks hold several tokens.',
    { tokens: 'n', without: `${ONE_TOKEN}, answers with unknown n1` },
  ),
  timeOf('ntpot', 'intended', '(t_last - t_int) / n', 'Whole time over tokens.', {
    tokens: 'n',
    without: 'answers without tokens',
  }),
  timeOf('ntpot_send', 'send', '(t_last - t_send) / n', 'The same from the send.', {
    tokens: 'n',
    without: 'answers without tokens',
  }),
  timeOf(
    'lastToken',
    'intended',
    't_last - t_int',
    'Time to the last token: ttft and all gaps, exactly. The end of the stream is `response`.',
  ),
  timeOf('lastToken_send', 'send', 't_last - t_send', 'The same from the send.'),
  timeOf(
    'timePerEvent_send',
    'send',
    '(t_last - t_send) / e',
    'Whole time over events, those that only open the stream included.',
  ),
  {
    id: 'tokensPerChunk',
    unit: 'milli-tokens',
    words: 'Tokens per chunk of one answer. Above 1000 a chunk is no token.',
    formula: '1000 m / c',
    zero: 'none',
    samples: 'one per answer',
    tokens: 'm',
    without: NO_PAYLOAD,
  },
  {
    id: 'outputTokens',
    unit: 'tokens',
    words: 'Output tokens of one answer, reasoning included.',
    formula: 'n',
    zero: 'none',
    samples: 'one per answer',
    tokens: 'n',
    without: 'none',
  },
  {
    id: 'inputTokens',
    unit: 'tokens',
    words: 'Input tokens of one answer by usage, cached ones included. 0 is taken for not told.',
    formula: 'usage',
    zero: 'none',
    samples: 'one per answer',
    tokens: 'none',
    without: 'answers without usage',
  },
  {
    id: 'cachedTokens',
    unit: 'tokens',
    words: 'Input tokens that the server took from its cache.',
    formula: 'usage',
    zero: 'none',
    samples: 'one per answer',
    tokens: 'none',
    without: 'answers whose usage does not say',
  },
  {
    id: 'reasoningTokens',
    unit: 'tokens',
    words: 'Output tokens that were reasoning.',
    formula: 'usage',
    zero: 'none',
    samples: 'one per answer',
    tokens: 'none',
    without: 'answers whose usage does not say',
  },
  {
    id: 'outputTokenRate',
    unit: 'milli-tokens/s',
    words: 'Tokens per second that one user sees after the first.',
    formula: '1000 (m - 1) / (t_last - t_1)',
    zero: 'none',
    samples: 'one per answer',
    tokens: 'm',
    without: `${ONE_TOKEN}, answers that came in one read`,
  },
  timeOf(
    'tpot_open',
    'none',
    '(t_last - t_open) / (n - 1)',
    'Time per token from the first event, which may hold no token: the tpot of vLLM.',
    {
      tokens: 'n',
      without: `${NO_PAYLOAD}, answers of one token`,
    },
  ),
  timeOf('ttft_firstTurn', 'intended', 't_1 - t_int', 'ttft of the first turns of sessions, whose prompt is new.', {
    without: `${NO_PAYLOAD}, later turns, runs without sessions of several turns`,
  }),
  timeOf(
    'ttft_laterTurns',
    'intended',
    't_1 - t_int',
    'ttft of the later turns, whose prompt holds what was said before: a prefix cache shows here.',
    { without: `${NO_PAYLOAD}, first turns, runs without sessions of several turns` },
  ),
];

const BY_ID: ReadonlyMap<string, LlmMetric> = new Map(LLM_METRIC_TABLE.map((metric) => [metric.id, metric]));

/** The entry of `id`. */
export function llmMetricOf(id: LlmMetricId): LlmMetric {
  return BY_ID.get(id) as LlmMetric;
}

/** The page `docs/llm-metrics.md`: symbols, then a table of all metrics. */
export function llmMetricPage(): string {
  const symbols = SYMBOLS.map(([symbol, meaning]) => `| ${symbol} | ${meaning} |`);
  const metrics = LLM_METRIC_TABLE.map(({ id, unit, words, formula, zero, samples, tokens, without }) => {
    const clock = zero === 'none' ? '-' : zero;
    const count = tokens === 'none' ? '-' : tokens;
    return `| \`${id}\` | ${words} | ${formula} | ${unit} | ${clock} | ${count} | ${samples} | ${without} |`;
  });
  return `${[...PAGE_HEAD, '| symbol | meaning |', '|---|---|', ...symbols, '', '## Metrics', ...TABLE_HEAD, ...metrics].join('\n')}\n`;
}

const PAGE_HEAD = [
  '# Metrics of LLM answers',
  '',
  'Made from the table in `shared/llm/metric-registry.ts`. An instant is that of the network read that brought the event, taken before',
  'it was parsed. Times from `intended` are the headline: they hold the time that a request waited for us or for a connection. Those',
  'that end in `_send` begin with the first byte sent, as other tools measure. For every answer `ttft` plus the sum of its gaps is',
  '`lastToken`, exactly. Only answers that ended well are in these series; what a failed stream had brought is counted apart.',
  'Quotients are cut to whole units. A bound of `slo` on `chunkGap` or `itl` is on the largest gap of an answer; an answer too short',
  'to have a gap meets every bound on gaps and on time per token, one of several tokens that was not streamed meets none of them.',
  '`e2e` in `slo` and in thresholds is `response`.',
  'What they show of an overloaded server, in an open and in a closed loop: [overload](overload.md).',
  '',
  '## Symbols',
];
const TABLE_HEAD = [
  '| metric | meaning | formula | unit | clock begins | tokens | samples | answers without a value |',
  '|---|---|---|---|---|---|---|---|',
];
