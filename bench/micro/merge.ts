/**
 * What the coordinator pays for one second of a fleet: 100 agents with 6 series each, in their wire form, checked and added
 * into dense totals. The bound is 20 ms. Run: `node bench/micro/merge.ts [name] [--smoke]`.
 */
import { Histogram } from '../../shared/histogram/histogram.ts';
import { createRecordingBlock, record } from '../../shared/histogram/recording-block.ts';
import { encodeSparse, type SparseHistogram } from '../../shared/histogram/sparse-histogram.ts';
import { seededRandom } from '../../test/support/seeded-random.ts';
import { type MicroBench, runFromCommandLine } from './runner.ts';

const AGENTS = 100;
const SERIES = 6;

/** One agent's series of one window: `samples` log-normal times around the series' own size. */
function seriesOf(seed: number, samples: number): SparseHistogram[] {
  const random = seededRandom(seed);
  return Array.from({ length: SERIES }, (_, series) => {
    const block = createRecordingBlock();
    const median = 5e6 * 3 ** (series - 3);
    for (let i = 0; i < samples; i += 1) record(block, Math.floor(median * Math.exp(random.normal(0, 0.8))));
    return encodeSparse(block);
  });
}

/** Makes the fleet when it is first needed: smoke runs and filters do not pay for the others. */
function lazyFleet(samples: number): () => SparseHistogram[][] {
  let fleet: SparseHistogram[][] | undefined;
  return () => (fleet ??= Array.from({ length: AGENTS }, (_, agent) => seriesOf(agent, samples)));
}

/** One operation is one second of the whole fleet: 600 series merged. */
function mergeBench(samples: number): MicroBench {
  const fleetOf = lazyFleet(samples);
  return {
    name: `merge/100-agents-6-series-of-${samples}`,
    unit: 'seconds',
    count: 20,
    smokeCount: 1,
    run: (count) => {
      const fleet = fleetOf();
      const totals = Array.from({ length: SERIES }, () => new Histogram());
      for (let second = 0; second < count; second += 1) {
        for (const agent of fleet) {
          for (let series = 0; series < SERIES; series += 1) {
            (totals[series] as Histogram).addSparse(agent[series] as SparseHistogram);
          }
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

/** The benches of the merge. `merge/100-agents-6-series-of-10000` is the heaviest fleet that is planned for. */
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
