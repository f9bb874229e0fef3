import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readAiPerf } from '../../../../shared/llm-workload/aiperf.ts';
import { readAzureTrace, readBurstGpt } from '../../../../shared/llm-workload/csv-trace.ts';
import { describeRows } from '../../../../shared/llm-workload/describe-rows.ts';
import { mooncakeFormat, readHashTrace, timedTraceFormat } from '../../../../shared/llm-workload/hash-trace.ts';
import { instantsOf } from '../../../../shared/llm-workload/select-rows.ts';
import { readShareGpt, vllmShareGptRules } from '../../../../shared/llm-workload/sharegpt.ts';
import { wordCounter } from '../../../../shared/llm-workload/workload-row.ts';

const copy = (name: string): string => readFileSync(new URL(`../../../data/${name}`, import.meta.url), 'utf8');

describe('Azure traces', () => {
  it('are read with every decimal of their times', () => {
    const { rows } = readAzureTrace(copy('azure-llm-2023-code-40.csv'), 'azure.csv');
    expect(rows).toHaveLength(40);
    expect(rows[0]).toMatchObject({ inputTokens: 4808, outputTokens: 10, session: null });
    expect(instantsOf(rows, 1, 'azure.csv')?.slice(0, 2)).toEqual(Float64Array.of(0, 52_000_000));
    expect(instantsOf(rows, 2, 'azure.csv')?.[1]).toBe(26_000_000);
  });

  it.each([
    ['TIMESTAMP,ContextTokens\n', /no column "GeneratedTokens"/],
    ['TIMESTAMP,ContextTokens,GeneratedTokens\n1,2,3\n', /line 2: "1" is not a date and time/],
    [
      'TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03,x,3\n',
      /line 2: "x" is not a whole number of tokens/,
    ],
  ])('refuse %j', (text, reason) => {
    expect(() => readAzureTrace(text, 'azure.csv')).toThrow(reason);
  });
});

describe('BurstGPT', () => {
  const text = [
    'Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type',
    '5,ChatGPT,472,18,490,Conversation log',
    '45,GPT-4,1087,230,1317,Conversation log',
    '118,GPT-4,417,0,417,Conversation log',
  ].join('\r\n');

  it('leaves out failures, and other models when one is named, and counts both', () => {
    expect(readBurstGpt(text, 'b.csv', { model: null })).toMatchObject({
      rows: [{ inputTokens: 472 }, { inputTokens: 1087, outputTokens: 230, at: { seconds: 45 } }],
      leftOut: { 'no response tokens': 1 },
    });
    expect(readBurstGpt(text, 'b.csv', { model: 'GPT-4' })).toMatchObject({
      rows: [{ inputTokens: 1087 }],
      leftOut: { 'other model': 1, 'no response tokens': 1 },
    });
  });
});

describe('Mooncake', () => {
  it('keeps hash ids as blocks that are shared', () => {
    const { rows } = readHashTrace(copy('mooncake-conversation-20.jsonl'), 'm.jsonl', mooncakeFormat);
    const [first, second] = rows;
    expect(first).toMatchObject({ inputTokens: 6758, outputTokens: 500 });
    const blocks = first?.prompt.kind === 'blocks' ? first.prompt.blocks : [];
    expect(blocks.length).toBe(14);
    expect(blocks[0]).toEqual({ key: 'h0', tokens: 512 });
    expect(blocks.at(-1)).toEqual({ key: 'h13', tokens: 6758 - 13 * 512 });
    const others = second?.prompt.kind === 'blocks' ? second.prompt.blocks : [];
    expect(others.slice(0, 2).map(({ key }) => key)).toEqual(['h0', 'h14']);
    // The first block of each row after the first; no two share a second one.
    const total = rows.reduce((sum, { inputTokens }) => sum + inputTokens, 0);
    expect(describeRows(rows).prefixReuse).toBeCloseTo((19 * 512) / total, 12);
  });

  it.each([
    [
      '{"timestamp":0,"input_length":513,"output_length":1,"hash_ids":[1]}',
      /1 hashes do not cover 513 .* \(that takes 2\)/,
    ],
    ['{"timestamp":0,"input_length":512,"output_length":1,"hash_ids":[1,2]}', /2 hashes do not cover 512/],
    ['{"timestamp":0,"input_length":5,"output_length":1,"text_input":"hi"}', /has "text_input": .* dataset aiperf/],
    ['{"timestamp":0,"output_length":1}', /no field "input_length"/],
    ['{"input_length":1,"output_length":1}', /no field "timestamp"/],
    ['{"timestamp":0,"input_length":1.5,"output_length":1}', /"input_length" is 1\.5, expected a whole number/],
    ['[1]', /line 1: is not a JSON object/],
    ['{', /line 1: is not JSON/],
    ['', /holds no rows/],
  ])('refuses %s', (text, reason) => {
    expect(() => readHashTrace(text, 'm.jsonl', mooncakeFormat)).toThrow(reason);
  });

  it('R055 the whole recorded hour reads, and its prefixes are shared', { timeout: 60_000 }, (context) => {
    const file = new URL('../../../../../shared/data/mooncake-conversation.jsonl', import.meta.url);
    if (!existsSync(file)) return context.skip('the recorded hour is not beside the checkout');
    const { rows } = readHashTrace(readFileSync(file, 'utf8'), 'mooncake', mooncakeFormat);
    const described = describeRows(rows);
    expect(described.rows).toBe(12_031);
    expect(described.prefixReuse).toBeGreaterThan(0.3);
  });
});

describe("vLLM's timed_trace", () => {
  it('has blocks of 16, seconds, and any names', () => {
    const text = '{"t":"1.5","in":17,"out":4,"h":["a","b"]}\n{"t":2,"in":3,"out":4}\n';
    const names = { timestamp: 't', inputLength: 'in', outputLength: 'out', hashIds: 'h' };
    const { rows } = readHashTrace(text, 't.jsonl', { ...timedTraceFormat, ...names });
    expect(rows[0]?.prompt).toEqual({
      kind: 'blocks',
      blocks: [
        { key: 'ha', tokens: 16 },
        { key: 'hb', tokens: 1 },
      ],
    });
    expect(rows[1]?.prompt).toEqual({ kind: 'blocks', blocks: [{ key: 'r1', tokens: 3 }] });
    expect(instantsOf(rows, 1, 't')).toEqual(Float64Array.of(0, 5e8));
  });
});

describe('ShareGPT', () => {
  const words = (count: number): string => Array.from({ length: count }, () => 'word').join(' ');
  const conversation = (prompt: number, answer: number): object => ({
    id: 'x',
    conversations: [
      { from: 'human', value: words(prompt) },
      { from: 'gpt', value: words(answer) },
    ],
  });
  const read = (entries: readonly unknown[], rules = vllmShareGptRules) =>
    readShareGpt(JSON.stringify(entries), 's.json', rules, wordCounter);

  it("applies vLLM's rules at their bounds, by name", () => {
    const { rows, leftOut, parameters } = read([
      conversation(4, 4),
      conversation(3, 4),
      conversation(4, 3),
      conversation(1024, 1024),
      conversation(1025, 4),
      conversation(1024, 1025),
      { conversations: [{ from: 'human', value: 'alone with itself here' }] },
      'a bare string',
      null,
    ]);
    expect(rows.map(({ inputTokens, outputTokens }) => [inputTokens, outputTokens])).toEqual([
      [4, 4],
      [1024, 1024],
    ]);
    expect(leftOut).toEqual({
      'prompt too short': 1,
      'answer too short': 1,
      'prompt too long': 1,
      'prompt and answer too long': 1,
      'too few turns': 1,
      'no conversation': 2,
    });
    expect(parameters).toMatchObject({ inputTokensMin: 4, totalTokensMax: 2048, tokenCounter: 'words' });
  });

  it('takes a given answer length instead of the recorded one, and then has no shortest answer', () => {
    const { rows } = read([conversation(10, 1)], { ...vllmShareGptRules, outputTokens: 2 });
    expect(rows.map(({ outputTokens }) => outputTokens)).toEqual([2]);
  });

  it('takes all questions of a conversation as one session when told to', () => {
    const text = ['a b c d', '1 2 3 4', 'next?', 'x y z', 'last'].map((value) => ({ from: 'x', value }));
    const [first] = read([{ conversations: text }]).rows;
    expect(first?.laterTurns).toBeUndefined();
    const [row] = read([{ conversations: text }], { ...vllmShareGptRules, laterTurns: 'send' }).rows;
    expect(row?.laterTurns).toEqual([
      { text: 'next?', outputTokens: 3, delayNs: 0 },
      { text: 'last', outputTokens: null, delayNs: 0 },
    ]);
  });

  it('sends no answer or system text as a question of a session', () => {
    const said = (...speakers: string[]) => ({
      conversations: speakers.map((from) => ({ from, value: 'one two three four' })),
    });
    const entries = [
      said('human', 'gpt', 'human', 'gpt'),
      said('user', 'assistant', 'user'),
      said('gpt', 'human', 'gpt'),
      said('system', 'human', 'gpt', 'human'),
      said('human', 'human', 'gpt'),
      said('human', 'gpt', 'gpt', 'human'),
    ];
    const { rows, leftOut } = read(entries, { ...vllmShareGptRules, laterTurns: 'send' });
    expect(rows.map(({ laterTurns = [] }) => laterTurns.length)).toEqual([1, 1]);
    expect(leftOut).toEqual({ 'not question and answer in turn': 4 });
    // vLLM takes the first two, whoever speaks.
    expect(read(entries).rows).toHaveLength(6);
  });

  it('refuses what is no array', () => {
    expect(() => readShareGpt('{}', 's.json', vllmShareGptRules, wordCounter)).toThrow(/not a JSON array/);
  });
});

describe("AIPerf's JSON lines", () => {
  const read = (text: string, laterTurns: 'send' | 'refuse' | 'first' = 'refuse') =>
    readAiPerf(text, 'a.jsonl', { laterTurns }, wordCounter);

  it('gives texts, lengths, sessions and times', () => {
    const { rows } = read(
      '{"text":"one two","timestamp":1500,"output_length":7,"session_id":"s"}\n{"texts":["a","b"]}\n',
    );
    expect(rows).toMatchObject([
      {
        prompt: { text: 'one two' },
        inputTokens: 2,
        outputTokens: 7,
        session: 's',
        at: { seconds: 1, nanos: 500_000_000 },
      },
      { prompt: { text: 'a\nb' }, outputTokens: null, at: null },
    ]);
  });

  it('makes one row of a session, with its later turns, their delays and lengths', () => {
    const session =
      '{"session_id":"s","turns":[{"text":"a","delay":9},{"text":"b","delay":1500,"output_length":7},"c"]}';
    const [row] = read(session, 'send').rows;
    expect(row).toMatchObject({ session: 's', prompt: { kind: 'text', text: 'a' } });
    expect(row?.laterTurns).toEqual([
      { text: 'b', outputTokens: 7, delayNs: 1_500_000_000 },
      { text: 'c', outputTokens: null, delayNs: 0 },
    ]);
    for (const delay of ['-1', '""', '"0x10"', '" "', '"Infinity"', '1e300'])
      expect(() => read(`{"turns":["a",{"text":"b","delay":${delay}}]}`, 'send'), delay).toThrow(/"delay" .* a number/);
    expect(read('{"text":"a","delay":0}\n{"text":"b","delay":null}').rows).toHaveLength(2);
    expect(() => read('{"turns":["a",{"text":"b","image":"x"}]}', 'send')).toThrow(/only text can be sent/);
  });

  it('R092 refuses a later turn whose instant it could not keep, and names file, line and turn', () => {
    const session = '{"turns":[{"text":"a","timestamp":0},{"text":"b","timestamp":5000}]}';
    expect(() => read(session, 'send')).toThrow(/^a\.jsonl: line 1: turn 2: has a "timestamp" and no "delay"/);
    expect(read('{"text":"a","images":[],"extra":{},"audio":null,"role":"user"}').rows).toHaveLength(1);
  });

  it('refuses later turns, or takes the first and counts the others, when told to', () => {
    const session = '{"session_id":"s","turns":[{"text":"a"},{"text":"b"},"c"]}';
    expect(() => read(session)).toThrow(/line 1: has 3 turns/);
    expect(read(session, 'first')).toMatchObject({ rows: [{ session: 's' }], leftOut: { 'later turn': 2 } });
  });

  it.each([
    ['{"text":"a","image":"x.png"}', /has "image": only text can be sent/],
    ['{"text":"a","role":"system"}', /role "system": only a user's/],
    ['{"text":"a","extra":{"seed":1}}', /has "extra": .* extraBody/],
    ['{"delay":3}', /has no "text"/],
    ['{"turns":[]}', /not a list with a turn/],
    ['{"text":""}', /line 1: its text is empty/],
    ['{"turns":[{"text":" "}]}', /turn 1: its text is empty/],
    ['{"text":"a","session_id":"s","delay":500}', /has a "delay" and follows no answer/],
    ['{"text":"a","timestamp":5,"delay":500}', /or give a "timestamp" in its place/],
    ['{"text":"a","delay":"soon"}', /"delay" "soon" is not a number of ms/],
  ])('refuses %s', (text, reason) => {
    expect(() => read(text)).toThrow(reason);
  });
});
