import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createRequestRenderer } from '../../../../agent/worker/request-renderer.ts';
import type { BlobRef } from '../../../../shared/plan/blob-ref.ts';
import type { Plan } from '../../../../shared/plan/plan.ts';
import { type Arrival, createArrival } from '../../../../shared/schedule/arrival-stream.ts';
import { dealLanes } from '../../../../shared/schedule/deal.ts';
import { createWorkerSchedule } from '../../../../shared/schedule/worker-schedule.ts';
import { createLlmRequest, createPlan, createRequestTemplate } from '../../../support/plan-fixture.ts';
import { basisOf } from '../../../support/trial-simulation.ts';

function blob(name: string, text: string): { ref: BlobRef; bytes: Uint8Array } {
  const bytes = new TextEncoder().encode(text);
  return { ref: { name, sha256: createHash('sha256').update(bytes).digest('hex'), sizeBytes: bytes.length }, bytes };
}

/** All arrivals of the plan, as `workers` workers would draw them. */
function arrivalsOf(plan: Plan, workers: number): Arrival[] {
  const all: Arrival[] = [];
  for (let slot = 0; slot < workers; slot += 1) {
    const lanes = dealLanes(plan.laneCount, workers, slot);
    const stream = createWorkerSchedule({ ...basisOf(plan), ownedLanes: [{ lanes, fromNs: 0 }] });
    for (let arrival = createArrival(); stream.next(arrival); arrival = createArrival()) all.push(arrival);
  }
  return all;
}

function rendererOf(plan: Plan, blobs: ReadonlyMap<string, Uint8Array> = new Map()) {
  return createRequestRenderer(plan, { ...basisOf(plan), blobs });
}

describe('request choice', () => {
  it('follows the weights and the identity alone', () => {
    const requests = [1, 3, 6].map((weight) =>
      createRequestTemplate({ name: `w${weight}`, weight, url: `http://127.0.0.1:9/${weight}` }),
    );
    const plan = createPlan({ ratePerSecond: 1000, durationNs: 20e9, overrides: { requests } });
    const choices = (workers: number): Map<string, number> => {
      const renderer = rendererOf(plan);
      return new Map(arrivalsOf(plan, workers).map((a) => [`${a.lane}.${a.block}.${a.rank}`, renderer.choose(a)]));
    };
    const one = choices(1);
    expect(new Map([...choices(7)].sort())).toEqual(new Map([...one].sort()));
    const counts = [0, 0, 0];
    for (const choice of one.values()) counts[choice]! += 1;
    const total = one.size;
    for (const [index, weight] of [1, 3, 6].entries()) {
      const share = weight / 10;
      expect(Math.abs(counts[index]! - total * share)).toBeLessThan(4 * Math.sqrt(total * share * (1 - share)));
    }
  });
});

describe('R030 whether a compressed answer is decoded', () => {
  it.each([
    [[['Accept-Encoding', 'gzip']], true, true],
    [[['accept-encoding', 'br']], true, true],
    [[['Accept-Encoding', 'gzip']], false, false],
    [[['Accept', 'text/html']], true, false],
    [[], true, false],
  ] as const)('headers %j, expect.decoded %s: %s', (headers, decoded, decodes) => {
    const request = createRequestTemplate({
      url: 'http://127.0.0.1:9/',
      headers,
      expect: { status: [[200, 399]], decoded },
    });
    const renderer = rendererOf(createPlan({ overrides: { requests: [request] } }));
    expect(renderer.render(createArrival(), 0).decodes).toBe(decodes);
  });

  it('not where the answer is read by itself', () => {
    const headers = [['Accept-Encoding', 'gzip']] as const;
    const request = createRequestTemplate({ url: 'http://127.0.0.1:9/', headers, llm: createLlmRequest() });
    const renderer = rendererOf(createPlan({ overrides: { requests: [request] } }));
    expect(renderer.render(createArrival(), 0).decodes).toBe(false);
  });
});

describe('rendering', () => {
  it('gives one shared object when nothing depends on the arrival', () => {
    const renderer = rendererOf(createPlan());
    const arrival = createArrival();
    expect(renderer.render(arrival, 0)).toBe(renderer.render({ ...arrival, rank: 5 }, 0));
    expect(renderer.render(arrival, 0)).toMatchObject({
      method: 'GET',
      url: 'http://127.0.0.1:9/',
      body: null,
      identity: null,
    });
  });

  it('carries the identity by the form of the phase', () => {
    const base = createPlan();
    const plan: Plan = {
      ...base,
      target: { ...base.target, identify: true },
      phases: [
        base.phases[0]!,
        { ...base.phases[0]!, startNs: 1e9, durationNs: 0, arrivals: { kind: 'all-at-once', count: 5 } },
      ],
    };
    const renderer = rendererOf(plan);
    expect(renderer.render({ ...createArrival(), lane: 7, block: 3, rank: 2 }, 0).identity).toBe('0.0.7.3.2');
    expect(renderer.render({ ...createArrival(), phase: 1, index: 4, lane: 4 }, 0).identity).toBe('0.1.4');
  });

  it('R092 gives each row once per pass over the fleet, on over phases (R055), whoever sends it', () => {
    const rowCount = 70;
    const file = blob(
      'users.csv',
      `id,name\n${Array.from({ length: rowCount }, (_unused, row) => `${row},n ${row}\n`).join('')}`,
    );
    const base = createPlan();
    const law = {
      kind: 'poisson-count' as const,
      knots: [
        { tSeconds: 0, ratePerSecond: 105 },
        { tSeconds: 1, ratePerSecond: 105 },
      ],
      count: 105,
    };
    const plan: Plan = {
      ...base,
      data: { file: file.ref, columns: ['id', 'name'], rowCount, rows: 'cycle', dataset: null },
      requests: [
        createRequestTemplate({
          url: 'http://127.0.0.1:9/users/{{id}}?n={{name|url}}',
          headers: [
            ['X-Name', '{{name}}'],
            ['X-Fixed', '1'],
          ],
          body: { kind: 'text', text: '{"name":"{{name|json}}"}' },
        }),
      ],
      phases: [
        { ...base.phases[0]!, arrivals: law },
        { ...base.phases[0]!, startNs: 1e9, arrivals: law },
      ],
    };
    const blobs = new Map([[file.ref.sha256, file.bytes]]);
    const uses = (workers: number): number[] => {
      const counts = new Array<number>(rowCount).fill(0);
      const renderer = rendererOf(plan, blobs);
      for (const arrival of arrivalsOf(plan, workers)) {
        const request = renderer.render(arrival, 0);
        const row = Number(/users\/(\d+)/.exec(request.url)![1]);
        expect(request.url).toBe(`http://127.0.0.1:9/users/${row}?n=n%20${row}`);
        expect(request.headers).toEqual([
          ['X-Name', `n ${row}`],
          ['X-Fixed', '1'],
        ]);
        expect(new TextDecoder().decode(request.body!)).toBe(`{"name":"n ${row}"}`);
        counts[row]! += 1;
      }
      return counts;
    };
    // 210 arrivals over two phases are three whole passes over 70 rows.
    expect(uses(1)).toEqual(new Array(rowCount).fill(3));
    expect(uses(7)).toEqual(new Array(rowCount).fill(3));
  });

  it('draws rows with replacement on lanes, the same for any number of workers', () => {
    const file = blob('r.csv', 'id\n0\n1\n2\n3\n');
    const base = createPlan({ ratePerSecond: 500, durationNs: 4e9 });
    const plan: Plan = {
      ...base,
      data: { file: file.ref, columns: ['id'], rowCount: 4, rows: 'random', dataset: null },
      requests: [createRequestTemplate({ url: 'http://127.0.0.1:9/{{id}}' })],
    };
    const blobs = new Map([[file.ref.sha256, file.bytes]]);
    const urls = (workers: number): string[] => {
      const renderer = rendererOf(plan, blobs);
      return arrivalsOf(plan, workers)
        .map((arrival) => renderer.render(arrival, 0).url)
        .sort();
    };
    const one = urls(1);
    expect(urls(3)).toEqual(one);
    for (const id of [0, 1, 2, 3]) {
      const count = one.filter((url) => url.endsWith(`/${id}`)).length;
      expect(Math.abs(count - one.length / 4)).toBeLessThan(4 * Math.sqrt((one.length * 3) / 16));
    }
  });

  it('names the file that is missing', () => {
    const { ref } = blob('body.bin', 'x');
    const plan = createPlan({
      overrides: {
        requests: [createRequestTemplate({ url: 'http://127.0.0.1:9/', body: { kind: 'file', file: ref } })],
      },
    });
    expect(() => rendererOf(plan)).toThrow(/body\.bin/);
    const blobs = new Map([[ref.sha256, new Uint8Array([1, 2])]]);
    expect(rendererOf(plan, blobs).render(createArrival(), 0).body).toEqual(new Uint8Array([1, 2]));
  });
});
