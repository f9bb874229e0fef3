import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createRequestRenderer } from '../../../../agent/worker/request-renderer.ts';
import { withDatasetPrompt } from '../../../../shared/plan/build-dataset.ts';
import { DATASET_KEYS } from '../../../../shared/plan/dataset-grammar.ts';
import type { ParsedPlan } from '../../../../shared/plan/parse-plan.ts';
import { planFromJson, planToJson } from '../../../../shared/plan/plan-json.ts';
import { seedFromBigInt } from '../../../../shared/random/seed.ts';
import type { Arrival } from '../../../../shared/schedule/arrival-stream.ts';
import { planErrorOf, planOfText } from '../../../support/plan-of-text.ts';

const trace = readFileSync(new URL('../../../data/mooncake-conversation-20.jsonl', import.meta.url));
const files = {
  'm.jsonl': trace,
  's.json': '[{"conversations":[{"value":"one \\"two\\" three\\nfour"},{"value":"a b c d e"}]}]',
};

function planWith(dataset: string, load: string, more = ''): ParsedPlan {
  return planOfText(
    `seed: 1\ntarget: {url: "http://127.0.0.1:1"}\nworkload: [{llm: {api: chat, model: m}}]\ndata: {dataset: {${dataset}}${more}}\nload: [${load}]\n`,
    { files },
  );
}

/** The JSON bodies that arrivals with these indices of a phase send. */
function bodiesOf(
  { plan, blobs }: ParsedPlan,
  indices: readonly number[],
  phase = 0,
  trial = 0,
): Record<string, unknown>[] {
  const phases = plan.phases.map(({ startNs, durationNs, arrivals }) => ({ startNs, durationNs, law: arrivals }));
  const basis = { seed: seedFromBigInt(plan.seed), trial, laneCount: plan.laneCount, phases, blobs };
  const renderer = createRequestRenderer(plan, basis);
  return indices.map((index) => {
    const arrival: Arrival = { intendedNs: 0, phase, lane: index % plan.laneCount, block: 0, rank: 0, index };
    const { body } = renderer.render(arrival, 0);
    return JSON.parse(new TextDecoder().decode(body ?? new Uint8Array())) as Record<string, unknown>;
  });
}

const promptOf = (body: Record<string, unknown> | undefined): string =>
  ((body?.['messages'] as { readonly content: string }[])[0] as { readonly content: string }).content;

describe('a dataset in the plan', () => {
  const replay = planWith('mooncake: {file: m.jsonl}', '{arrivals: {dataset: {speed: 10}}}');

  it('replays instants with the rows they were recorded for', () => {
    const [phase] = replay.plan.phases;
    expect(phase?.arrivals).toMatchObject({ kind: 'trace', count: 20 });
    expect(replay.plan.data).toMatchObject({
      rows: 'in-order',
      rowCount: 20,
      columns: ['prompt', 'input_tokens', 'output_tokens', 'session'],
    });
    const lines = new TextDecoder()
      .decode(trace)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { input_length: number; output_length: number });
    const bodies = bodiesOf(replay, [0, 7, 19]);
    expect(bodies.map((body) => body['max_tokens'])).toEqual([0, 7, 19].map((index) => lines[index]?.output_length));
    expect(bodies.map((body) => promptOf(body).split(' ').length)).toEqual(
      [0, 7, 19].map((index) => lines[index]?.input_length),
    );
  });

  it('turns hash ids into shared prefixes of the real size', () => {
    const [first, second] = bodiesOf(replay, [0, 1]).map((body) => promptOf(body).split(' '));
    expect(first?.slice(0, 512)).toEqual(second?.slice(0, 512));
    expect(first?.slice(512, 1024)).not.toEqual(second?.slice(512, 1024));
  });

  it('travels whole', () => {
    expect(planFromJson(planToJson(replay.plan))).toEqual(replay.plan);
    expect(replay.plan.data?.dataset).toMatchObject({
      kind: 'mooncake',
      description: { rows: 20 },
      parameters: { blockTokens: 512 },
    });
  });

  it('R055 R092 deals rows of random lengths once per pass, with other words in each pass, trial and run', () => {
    const plan = planWith(
      'random: {count: 10, inputTokens: 20, vllmRangeRatio: 0.5}',
      '{rate: 10, duration: 10s, count: 30}'.replace('rate: 10, ', ''),
    );
    const passes = [0, 1, 2].map((pass) =>
      bodiesOf(
        plan,
        Array.from({ length: 10 }, (_, index) => 10 * pass + index),
      ).map(promptOf),
    );
    expect(new Set(passes.flat()).size).toBe(30);
    const lengths = passes.map((prompts) => prompts.map((prompt) => prompt.split(' ').length).sort((a, b) => a - b));
    expect(lengths[1]).toEqual(lengths[0]);
    expect(bodiesOf(plan, [0], 0, 1).map(promptOf)).not.toEqual([passes[0]?.[0]]);
  });

  it('R055 repeats its words where it is told to be cache-friendly', () => {
    const plan = planWith('random: {count: 1, inputTokens: 20, cacheFriendly: true}', '{duration: 1s, count: 3}');
    const prompts = [...bodiesOf(plan, [0, 2]), ...bodiesOf(plan, [0], 0, 1)].map(promptOf);
    expect(new Set(prompts).size).toBe(1);
  });

  it('escapes texts, and leaves a prompt of its own alone', () => {
    const plan = planWith('sharegpt: {file: s.json}', '{duration: 1s, count: 3}');
    expect(bodiesOf(plan, [0])).toMatchObject([{ max_tokens: 5, messages: [{ content: 'one "two" three\nfour' }] }]);
    const own = planOfText(
      'target: {url: "http://127.0.0.1:1"}\nworkload: [{llm: {api: completions, model: m, prompt: "Sum up: {{prompt}}", maxTokens: 3}}]\ndata: {dataset: {sharegpt: {file: s.json}}}\nload: [{duration: 1s, count: 3}]\n',
      { files },
    );
    expect(bodiesOf(own, [0])).toMatchObject([{ max_tokens: 3, prompt: 'Sum up: one "two" three\nfour' }]);
  });

  it.each([
    ['data: {rows: cycle}', /data\.file: is missing; give file or dataset/],
    ['data: {file: m.jsonl, dataset: {random: {}}}', /both given/],
    [
      'data: {dataset: {mooncake: {file: m.jsonl, blockTokens: 16}}}',
      /data\.dataset: m\.jsonl: line 1: 14 hashes do not cover 6758/,
    ],
    ['data: {dataset: {random: {vllmRangeRatio: 0.1, sglangRangeRatio: 0.1}}}', /opposite things; give one/],
    ['data: {dataset: {random: {rangeRatio: 0.1}}}', /unknown key "rangeRatio"/],
    ['data: {dataset: {moncake: {file: m.jsonl}}}', /did you mean "mooncake"/],
  ])('refuses %s', (data, reason) => {
    const text = `target: {url: "http://127.0.0.1:1"}\nworkload: [{llm: {api: chat, model: m}}]\nload: [{rate: 1, duration: 1s}]\n${data}\n`;
    expect(planErrorOf(text, { files })).toMatch(reason);
  });

  it('refuses recorded instants of a dataset without them', () => {
    const text = (dataset: string) =>
      `target: {url: "http://127.0.0.1:1"}\n${dataset}load: [{arrivals: {dataset: {speed: 2}}}]\n`;
    expect(planErrorOf(text('data: {dataset: {random: {}}}\n'), { files })).toMatch(
      /needs data\.dataset with recorded instants/,
    );
    expect(planErrorOf(text(''), { files })).toMatch(/needs data\.dataset with recorded instants/);
  });

  it('leaves requests that are no LLM requests alone', () => {
    const value = {
      name: 'r',
      weight: 1,
      method: 'GET',
      url: null,
      headers: [],
      body: null,
      bodyFile: null,
      llm: null,
    };
    const request = { ...value, expect: { status: [[200, 399]] as const, decoded: true } };
    expect(withDatasetPrompt(request, { path: '', origin: { source: '', line: null, column: null } })).toBe(request);
  });

  it.each(Object.keys(DATASET_KEYS))('has rules of selection for %s', (kind) => {
    expect(Object.keys(DATASET_KEYS[kind as keyof typeof DATASET_KEYS])).toEqual(
      expect.arrayContaining(['limit', 'sample', 'maxInputTokens', 'maxOutputTokens', 'tooLong']),
    );
  });
});
