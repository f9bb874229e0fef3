/**
 * What the coordinator pays for one second of one agent: 6 series in their wire form, checked and added into dense totals.
 * The bound is 20 ms for 100 agents: 200,000 ns for each. Run: `node bench/micro/merge.ts [name] [--smoke]`.
 */
import { Histogram } from '../../shared/histogram/histogram.ts';
import { createRecordingBlock, record } from '../../shared/histogram/recording-block.ts';
import { encodeSparse, type SparseHistogram } from '../../shared/histogram/sparse-histogram.ts';
import { seededRandom } from '../../test/support/seeded-random.ts';
import { type MicroBench, runFromCommandLine } from './runner.ts';

const AGENTS = 100;
const SERIES = 6;

/** One agent's series of one window: `samples` log-normal times around the series' own size. */
export function seriesOf(seed: number, samples: number): SparseHistogram[] {
  const random = seededRandom(seed);
  return Array.from({ length: SERIES }, (_, series) => {
    const block = createRecordingBlock();
    const median = 5e6 * 3 ** (series - 3);
    for (let i = 0; i < samples; i += 1) record(block, Math.floor(median * Math.exp(random.normal(0, 0.8))));
    return encodeSparse(block);
  });
}

/** Different agents, one after the other, as often as it takes; one operation is one second of one agent. */
function mergeBench(samples: number): MicroBench {
  const agents: SparseHistogram[][] = [];
  return {
    name: `merge/agent-second-6-series-of-${samples}`,
    unit: 'agents',
    count: 20 * AGENTS,
    smokeCount: 3,
    run: (count) => {
      // Made when first needed: a smoke run does not pay for a hundred.
      for (let agent = agents.length; agent < Math.min(count, AGENTS); agent += 1)
        agents.push(seriesOf(agent, samples));
      const totals = Array.from({ length: SERIES }, () => new Histogram());
      for (let i = 0; i < count; i += 1) {
        const agent = agents[i % AGENTS] as SparseHistogram[];
        for (let series = 0; series < SERIES; series += 1) {
          (totals[series] as Histogram).addSparse(agent[series] as SparseHistogram);
        }
      }
      return totals.reduce((sum, total) => sum + total.sum, 0n).toString(16);
    },
  };
}

/** A total of 100,000 samples. */
function total(): Histogram {
  const histogram = new Histogram();
  for (let agent = 0; agent < 10; agent += 1) histogram.addSparse(seriesOf(agent, 10_000)[3] as SparseHistogram);
  return histogram;
}

/** The benches of the merge. `merge/agent-second-6-series-of-10000` is an agent at 10,000 requests/s. */
export const mergeBenches: readonly MicroBench[] = [
  ...[100, 1000, 10_000].map(mergeBench),
  {
    name: 'merge/read-four-percentiles',
    unit: 'totals',
    count: 1000,
    smokeCount: 2,
    run: (count) => {
      const histogram = total();
      let sum = 0;
      for (let i = 0; i < count; i += 1) {
        for (const percentage of [50, 90, 99, 99.9]) sum += histogram.percentile(percentage) as number;
      }
      return String(sum);
    },
  },
  {
    name: 'merge/encode-total',
    unit: 'totals',
    count: 1000,
    smokeCount: 2,
    run: (count) => {
      const histogram = total();
      let bytes = 0;
      for (let i = 0; i < count; i += 1) bytes += encodeSparse(histogram).buckets.length;
      return String(bytes);
    },
  },
];

if (import.meta.main)
  runFromCommandLine(mergeBenches, process.argv.slice(2), (line) => process.stdout.write(`${line}\n`));
