/**
 * What recording one sample costs on a worker's loop, beside hdr-histogram-js; and what handing a window over costs the main
 * thread. Run: `node bench/micro/recorder.ts [name] [--smoke]`.
 */
import { Float64Histogram } from 'hdr-histogram-js';
import { Histogram } from '../../shared/histogram/histogram.ts';
import { clearBlock, createRecordingBlock, record } from '../../shared/histogram/recording-block.ts';
import { encodeSparse } from '../../shared/histogram/sparse-histogram.ts';
import { seededRandom } from '../../test/support/seeded-random.ts';
import { type MicroBench, runFromCommandLine } from './runner.ts';

/** Distinct samples; they are recorded over and over. A power of two. */
const SAMPLES = 1 << 16;

/** Response times around 5 ms with a long tail, and now and then one of seconds: integers in ns. */
function responseTimes(seed: number): Float64Array {
  const random = seededRandom(seed);
  const times = Float64Array.from({ length: SAMPLES }, () => Math.floor(5e6 * Math.exp(random.normal(0, 0.8))));
  times.set([5e9, 2e9, 3.6e12], 100);
  return times;
}

const samples = responseTimes(1);

/** A window of `count` samples, for the benches that do not record. */
function windowOf(count: number): ReturnType<typeof createRecordingBlock> {
  const block = createRecordingBlock();
  for (let i = 0; i < count; i += 1) record(block, samples[i % SAMPLES] as number);
  return block;
}

const fullWindow = windowOf(10_000);

/** The benches of the recorder. The first is the figure to watch: it is paid several times per request. */
export const recorderBenches: readonly MicroBench[] = [
  {
    name: 'recorder/record',
    unit: 'samples',
    count: 10_000_000,
    smokeCount: 20_000,
    run: (count) => {
      const block = createRecordingBlock();
      for (let i = 0; i < count; i += 1) record(block, samples[i & (SAMPLES - 1)] as number);
      return `${block.count}/${block.touchedCount}/${block.sum}`;
    },
  },
  {
    // 64-bit counters and no resizing, as it would have to be used.
    name: 'recorder/record-hdr-histogram-js',
    unit: 'samples',
    count: 2_000_000,
    smokeCount: 5_000,
    run: (count) => {
      const histogram = new Float64Histogram(1, 3.6e12, 3);
      for (let i = 0; i < count; i += 1) histogram.recordValue(samples[i & (SAMPLES - 1)] as number);
      return `${histogram.totalCount}/${histogram.maxValue}`;
    },
  },
  {
    name: 'recorder/record-1000-then-clear',
    unit: 'samples',
    count: 2_000_000,
    smokeCount: 5_000,
    run: (count) => {
      const block = createRecordingBlock();
      let touched = 0;
      for (let i = 0; i < count; i += 1) {
        record(block, samples[i & (SAMPLES - 1)] as number);
        if (block.count === 1000) {
          touched += block.touchedCount;
          clearBlock(block);
        }
      }
      return String(touched);
    },
  },
  {
    name: 'recorder/add-window-of-10000',
    unit: 'windows',
    count: 2_000,
    smokeCount: 5,
    run: (count) => {
      const total = new Histogram();
      for (let i = 0; i < count; i += 1) total.addBlock(fullWindow);
      return total.sum.toString(16);
    },
  },
  {
    name: 'recorder/encode-window-of-10000',
    unit: 'windows',
    count: 2_000,
    smokeCount: 5,
    run: (count) => {
      let bytes = 0;
      for (let i = 0; i < count; i += 1) bytes = encodeSparse(fullWindow).buckets.length;
      return String(bytes);
    },
  },
];

if (import.meta.main)
  runFromCommandLine(recorderBenches, process.argv.slice(2), (line) => process.stdout.write(`${line}\n`));
