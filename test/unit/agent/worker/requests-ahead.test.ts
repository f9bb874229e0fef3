import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createRequestRenderer, type RequestRenderer } from '../../../../agent/worker/request-renderer.ts';
import { RequestsAhead } from '../../../../agent/worker/requests-ahead.ts';
import type { ParsedPlan } from '../../../../shared/plan/parse-plan.ts';
import { type Arrival, type ArrivalStream, createArrival } from '../../../../shared/schedule/arrival-stream.ts';
import { allLanes } from '../../../../shared/schedule/deal.ts';
import { createWorkerSchedule } from '../../../../shared/schedule/worker-schedule.ts';
import { planOfText } from '../../../support/plan-of-text.ts';
import { basisOf } from '../../../support/trial-simulation.ts';

const trace = readFileSync(new URL('../../../data/mooncake-conversation-20.jsonl', import.meta.url));
const parsed = planOfText(
  `seed: 1
target: { url: "http://127.0.0.1:1", identify: true }
workload:
  - { name: short, llm: { api: chat, model: m, prompt: hello } }
  - { name: long, llm: { api: completions, model: m } }
  - { name: twice, headers: { X-First: "{{prompt}}" }, llm: { api: chat, model: "{{input_tokens}}", prompt: "{{prompt}} {{prompt}}" } }
data: { dataset: { mooncake: { file: m.jsonl } } }
load: [{ arrivals: { dataset: { speed: 10 } } }]
`,
  { files: { 'm.jsonl': trace } },
);

function partsOf({ plan, blobs }: ParsedPlan): { readonly stream: ArrivalStream; readonly renderer: RequestRenderer } {
  const basis = { ...basisOf(plan), blobs };
  const stream = createWorkerSchedule({ ...basis, ownedLanes: [{ lanes: allLanes(plan.laneCount), fromNs: 0 }] });
  return { stream, renderer: createRequestRenderer(plan, basis) };
}

/** Every arrival with its request, as a dispatcher asks for them; `before` runs before each. */
function taken(stream: ArrivalStream, renderer: RequestRenderer, before: () => void = () => undefined): unknown[] {
  const all: unknown[] = [];
  const arrival = createArrival();
  for (;;) {
    before();
    const peeked = stream.peekNs();
    if (!stream.next(arrival)) break;
    const template = renderer.choose(arrival);
    const request = renderer.render(arrival, template);
    const body = new TextDecoder().decode(request.body ?? undefined);
    all.push({ peeked, chosen: template, ...arrival, ...request, body });
  }
  expect(stream.peekNs()).toBe(Infinity);
  return all;
}

describe('requests rendered ahead', () => {
  const direct = partsOf(parsed);
  const expected = taken(direct.stream, direct.renderer);

  it('is for plans with prompts only', () => {
    expect(direct.renderer.isSlow).toBe(true);
    const plain = planOfText('target: {url: "http://h"}\nload: [{rate: 1, duration: 1s}]\n');
    expect(partsOf(plain).renderer.isSlow).toBe(false);
    expect(expected).toHaveLength(20);
  });

  it.each([
    ['all before the first release', Infinity],
    ['a piece between releases', 1],
    ['a few pieces between releases', 7],
    ['nothing', 0],
  ])('gives the same arrivals and bytes with %s', (_what, pieces) => {
    const { stream, renderer } = partsOf(parsed);
    const ahead = new RequestsAhead(stream, renderer);
    const before = (): void => {
      for (let piece = 0; piece < pieces && ahead.renderAhead(); piece += 1);
    };
    expect(taken(ahead, ahead, before)).toEqual(expected);
  });

  it('holds no more bytes than it may, but for the request that goes beyond', () => {
    const { stream, renderer } = partsOf(parsed);
    const ahead = new RequestsAhead(stream, renderer, 100_000);
    while (ahead.renderAhead());
    let left = 0;
    const arrival: Arrival = createArrival();
    while (stream.next(arrival)) left += 1;
    expect(left).toBeGreaterThan(5);
    expect(left).toBeLessThan(20);
  });

  it('does not give a request that was made ahead to another arrival of the same name', () => {
    const { stream, renderer } = partsOf(parsed);
    const ahead = new RequestsAhead(stream, renderer);
    while (ahead.renderAhead());
    const arrival = createArrival();
    ahead.next(arrival);
    const later = { ...arrival, index: arrival.index + 1, intendedNs: arrival.intendedNs + 1 };
    const expectedLater = renderer.render(later, 1);
    expect(ahead.render(later, 1)).toEqual(expectedLater);
  });
});
