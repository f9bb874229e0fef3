/**
 * Time on the release path for a generated prompt of the size that Mooncake's conversation trace has (12,000 tokens, 80 kB): rendered when it
 * is due, and rendered ahead, piece by piece, between releases. Prints both, and the longest piece of work ahead.
 * Usage: node bench/llm/prompt-rendering.ts [--requests 400]
 */
import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { createRequestRenderer, type RequestRenderer } from '../../agent/worker/request-renderer.ts';
import { RequestsAhead } from '../../agent/worker/requests-ahead.ts';
import { parsePlan } from '../../shared/plan/parse-plan.ts';
import { parseYaml } from '../../shared/plan/yaml-document.ts';
import { seedFromBigInt } from '../../shared/random/seed.ts';
import { type ArrivalStream, createArrival } from '../../shared/schedule/arrival-stream.ts';
import { allLanes } from '../../shared/schedule/deal.ts';
import { createWorkerSchedule } from '../../shared/schedule/worker-schedule.ts';

const { values } = parseArgs({ options: { requests: { type: 'string', default: '400' } } });
const requests = Number(values.requests);

/** Rows as the trace has them: 24 blocks of 512 tokens, of which the first is shared. */
function traceText(): string {
  let block = 1;
  const lines = Array.from({ length: requests }, (_, row) => {
    const ids = [0, ...Array.from({ length: 23 }, () => block++)];
    return JSON.stringify({ timestamp: row * 100, input_length: 12_000, output_length: 300, hash_ids: ids });
  });
  return lines.join('\n');
}

const PLAN =
  'seed: 1\ntarget: {url: "http://127.0.0.1:1"}\nworkload: [{llm: {api: completions, model: m}}]\n' +
  'data: {dataset: {mooncake: {file: trace.jsonl}}}\nload: [{arrivals: {dataset: {speed: 1}}}]\n';

const encoder = new TextEncoder();
const { plan, blobs } = parsePlan(
  parseYaml(encoder.encode(PLAN), 'bench'),
  {
    environment: {},
    readFile: () => encoder.encode(traceText()),
    readSecretFile: () => '',
    sha256: (bytes) => createHash('sha256').update(bytes).digest('hex'),
    chooseSeed: () => 1n,
  },
  { source: 'bench', defaultName: 'bench', referenceUrl: null },
);

function partsOf(): { readonly stream: ArrivalStream; readonly renderer: RequestRenderer } {
  const phases = plan.phases.map(({ startNs, durationNs, arrivals }) => ({ startNs, durationNs, law: arrivals }));
  const basis = { seed: seedFromBigInt(plan.seed), trial: 0, laneCount: plan.laneCount, phases, blobs };
  const stream = createWorkerSchedule({ ...basis, ownedLanes: [{ lanes: allLanes(plan.laneCount), fromNs: 0 }] });
  return { stream, renderer: createRequestRenderer(plan, basis) };
}

/** Microseconds of each release; `prepare` is what happens between two. */
function releases(stream: ArrivalStream, renderer: RequestRenderer, prepare: () => void): number[] {
  const arrival = createArrival();
  const spans: number[] = [];
  let bytes = 0;
  for (;;) {
    prepare();
    const before = performance.now();
    if (!stream.next(arrival)) break;
    bytes += renderer.render(arrival, renderer.choose(arrival)).body?.length ?? 0;
    spans.push((performance.now() - before) * 1000);
  }
  if (spans.length !== requests || bytes < requests * 50_000)
    throw new Error(`${spans.length} requests, ${bytes} bytes`);
  return spans;
}

function line(name: string, spans: readonly number[]): string {
  const sorted = [...spans].sort((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN).toFixed(1);
  return `${name.padEnd(36)} p50 ${at(0.5).padStart(8)} us   p99 ${at(0.99).padStart(8)} us   max ${at(1).padStart(8)} us`;
}

const due = partsOf();
console.log(
  line(
    'release, rendered when due',
    releases(due.stream, due.renderer, () => undefined),
  ),
);
const { stream, renderer } = partsOf();
const ahead = new RequestsAhead(stream, renderer);
const pieces: number[] = [];
const prepare = (): void => {
  for (;;) {
    const before = performance.now();
    if (!ahead.renderAhead()) return;
    pieces.push((performance.now() - before) * 1000);
  }
};
console.log(line('release, rendered ahead', releases(ahead, ahead, prepare)));
console.log(line('one piece of work ahead', pieces));
