import { describe, expect, it } from 'vitest';
import { describeRows } from '../../../../shared/llm-workload/describe-rows.ts';
import { lengthRange, prefixRows, randomRows, sonnetRows } from '../../../../shared/llm-workload/generated.ts';
import { formatRecipe, parseRecipe, RecipeWriter } from '../../../../shared/llm-workload/prompt-recipe.ts';
import { selectRows, type Selection } from '../../../../shared/llm-workload/select-rows.ts';
import { VOCABULARY } from '../../../../shared/llm-workload/vocabulary.ts';
import { wordCounter, type WorkloadRow } from '../../../../shared/llm-workload/workload-row.ts';
import { seedFromBigInt } from '../../../../shared/random/seed.ts';

const seed = seedFromBigInt(3n);
const ALL: Selection = { limit: null, sample: null, inputTokensMax: null, outputTokensMax: null, tooLong: 'leave-out' };

describe('range ratios', () => {
  it.each([
    ['vllm', 0, [100, 100]],
    ['vllm', 0.1, [90, 110]],
    ['vllm', 0.25, [75, 125]],
    ['sglang', 1, [100, 100]],
    ['sglang', 0, [1, 100]],
    ['sglang', 0.1, [10, 100]],
  ] as const)('%s %f of 100 tokens is %j', (kind, ratio, range) => {
    expect(lengthRange(100, { kind, ratio })).toEqual(range);
  });

  it('reach both ends of the range, evenly', () => {
    const spread = { kind: 'vllm', ratio: 0.5 } as const;
    const { rows } = randomRows({ count: 4000, inputTokens: 10, outputTokens: 10, prefixTokens: 0, spread }, seed);
    const counts = new Map<number, number>();
    for (const { inputTokens } of rows) counts.set(inputTokens, (counts.get(inputTokens) ?? 0) + 1);
    expect([...counts.keys()].sort((a, b) => a - b)).toEqual([5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
    expect(Math.min(...counts.values())).toBeGreaterThan(280);
  });
});

describe('random rows', () => {
  const options = { count: 50, inputTokens: 40, outputTokens: 8, prefixTokens: 10, spread: { kind: 'fixed' } } as const;

  it('share their prefix and nothing else', () => {
    const { rows } = randomRows(options, seed);
    expect(describeRows(rows)).toMatchObject({ rows: 50, uniquePrompts: 50, inputTokens: { min: 50, max: 50 } });
    expect(describeRows(rows).prefixReuse).toBeCloseTo((49 * 10) / (50 * 50), 10);
  });

  it('follow from the seed', () => {
    const spread = { kind: 'sglang', ratio: 0 } as const;
    const lengths = (n: bigint) =>
      randomRows({ ...options, spread }, seedFromBigInt(n)).rows.map(({ inputTokens }) => inputTokens);
    expect(lengths(1n)).toEqual(lengths(1n));
    expect(lengths(1n)).not.toEqual(lengths(2n));
  });
});

describe('prefix groups', () => {
  it('have evenly many prompts each, in a seeded order', () => {
    const options = { groups: 4, promptsPerGroup: 5, prefixTokens: 30, suffixTokens: 10, outputTokens: 8 };
    const { rows } = prefixRows(options, seed);
    const groups = rows.map(({ prompt }) => (prompt.kind === 'blocks' ? prompt.blocks[0]?.key : ''));
    expect([...groups].sort()).toEqual(
      ['g0', 'g1', 'g2', 'g3'].flatMap((group) => Array.from({ length: 5 }, () => group)),
    );
    expect(groups).not.toEqual([...groups].sort());
    expect(describeRows(rows).prefixReuse).toBeCloseTo((16 * 30) / (20 * 40), 10);
  });
});

describe('text from lines', () => {
  const text = Array.from({ length: 30 }, (_, line) => `line ${line} has six words here`).join('\n');

  it('begins alike and goes on with drawn lines up to the length', () => {
    const options = { count: 20, inputTokens: 60, prefixTokens: 18, outputTokens: 5 };
    const { rows } = sonnetRows(text, 'sonnet.txt', options, { seed, counter: wordCounter });
    const prompts = rows.map(({ prompt }) => (prompt.kind === 'text' ? prompt.text : ''));
    const beginning = text.split('\n').slice(0, 3).join('\n');
    expect(prompts.every((prompt) => prompt.startsWith(beginning))).toBe(true);
    expect(new Set(prompts).size).toBe(20);
    expect(rows.every(({ inputTokens }) => inputTokens <= 60 && inputTokens > 50)).toBe(true);
  });
});

describe('recipes of prompts', () => {
  it('read back', () => {
    const blocks = [
      { key: 'h*1', tokens: 3 },
      { key: 'r0', tokens: 2 },
    ];
    expect(parseRecipe(formatRecipe(blocks))).toEqual(blocks);
    for (const bad of ['a', 'a*0', '*3', 'a*x', 'a*1  b*2']) expect(() => parseRecipe(bad)).toThrow(/not a block/);
  });

  it('have a word for each token, the same for one salt and key, and a shorter block begins the longer one', () => {
    const writer = new RecipeWriter('s');
    const words = (recipe: string) => writer.write(recipe).split(' ');
    expect(words('a*700 b*30')).toHaveLength(730);
    expect(words('a*10')).toEqual(words('a*700').slice(0, 10));
    expect(new RecipeWriter('s').write('a*10')).toBe(writer.write('a*10'));
    expect(words('a*20')).not.toEqual(words('b*20'));
  });

  it('R055 have other words under another salt', () => {
    const write = (salt: string) => new RecipeWriter(salt).write('a*50');
    expect(new Set(['', 'x', 'x.0.0', 'x.0.1', 'x.1.0'].map(write)).size).toBe(5);
  });

  it('use the whole vocabulary, evenly, and no word twice in it', () => {
    expect(new Set(VOCABULARY).size).toBe(VOCABULARY.length);
    const counts = new Map<string, number>();
    for (const word of new RecipeWriter('s').write(`a*${VOCABULARY.length * 200}`).split(' '))
      counts.set(word, (counts.get(word) ?? 0) + 1);
    expect(counts.size).toBe(VOCABULARY.length);
    // 200 expected with a deviation of 14.
    expect(Math.min(...counts.values())).toBeGreaterThan(120);
    expect(Math.max(...counts.values())).toBeLessThan(290);
  });
});

describe('selection', () => {
  const rowOf = (inputTokens: number, atSeconds: number | null = null): WorkloadRow => ({
    prompt: {
      kind: 'blocks',
      blocks: [
        { key: 'a', tokens: 4 },
        { key: 'b', tokens: inputTokens - 4 },
      ],
    },
    inputTokens,
    outputTokens: 10,
    session: null,
    at: atSeconds === null ? null : { seconds: atSeconds, nanos: 0 },
  });
  const lengths = (rows: readonly WorkloadRow[]) => rows.map(({ inputTokens }) => inputTokens);

  it('leaves out rows without output tokens, which servers refuse', () => {
    const rows = [rowOf(10), { ...rowOf(20), outputTokens: 0 }, { ...rowOf(30), outputTokens: null }];
    const selected = selectRows(rows, ALL, seed, 'x');
    expect([lengths(selected.rows), selected.leftOut]).toEqual([[10, 30], { 'no output tokens': 1 }]);
  });

  it('leaves out or cuts what is too long', () => {
    const rows = [rowOf(10), rowOf(20), rowOf(30)];
    expect(selectRows(rows, { ...ALL, inputTokensMax: 20 }, seed, 'x')).toMatchObject({
      leftOut: { 'input too long': 1 },
    });
    const cut = selectRows(rows, { ...ALL, inputTokensMax: 12, outputTokensMax: 3, tooLong: 'cut' }, seed, 'x').rows;
    expect(lengths(cut)).toEqual([10, 12, 12]);
    expect(cut[2]).toMatchObject({ outputTokens: 3, prompt: { blocks: [{ tokens: 4 }, { tokens: 8 }] } });
  });

  it('samples by the seed without replacement and keeps the order, then limits', () => {
    const rows = Array.from({ length: 100 }, (_, index) => rowOf(5 + index));
    const sample = selectRows(rows, { ...ALL, sample: 20 }, seed, 'x');
    expect(new Set(lengths(sample.rows)).size).toBe(20);
    expect(lengths(sample.rows)).toEqual(lengths(sample.rows).toSorted((a, b) => a - b));
    expect(sample.leftOut).toEqual({ 'not chosen': 80 });
    expect(lengths(selectRows(rows, { ...ALL, sample: 20, limit: 3 }, seed, 'x').rows)).toEqual(
      lengths(sample.rows).slice(0, 3),
    );
  });

  it('puts rows in order of time, and refuses a file in which only some have one', () => {
    expect(lengths(selectRows([rowOf(5, 9), rowOf(6, 3), rowOf(7, 9)], ALL, seed, 'x').rows)).toEqual([6, 5, 7]);
    expect(() => selectRows([rowOf(5, 9), rowOf(6)], ALL, seed, 'x')).toThrow(/1 of 2 rows have no timestamp/);
  });

  it('refuses an empty result and a sample above the rows', () => {
    expect(() => selectRows([rowOf(9)], { ...ALL, inputTokensMax: 5 }, seed, 'x')).toThrow(/no row is left/);
    expect(() => selectRows([rowOf(9)], { ...ALL, sample: 2 }, seed, 'x')).toThrow(/sample of 2 of 1 rows/);
  });
});
