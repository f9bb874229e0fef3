/**
 * Turning a histogram or a worker's block into its wire form and back. Encoding is deterministic: the same samples give the
 * same bytes, however they were recorded or merged, so a resent report is byte-identical. Not for a worker's loop: the
 * agent's main thread encodes.
 */

import { Histogram } from './histogram.ts';
import { LAYOUT_ID } from './layout.ts';
import { blockSum, type RecordingBlock } from './recording-block.ts';
import type { SparseHistogram } from './sparse-form.ts';
import { VARINT_BYTES_MAX, writeVarint } from './varint.ts';

export type { SparseHistogram } from './sparse-form.ts';

/** Bytes of the longest pair: a gap needs 16 bits, a count 53. */
const PAIR_BYTES_MAX = 3 + VARINT_BYTES_MAX;

/** The wire form of `source`, which is left as it is. */
export function encodeSparse(source: Histogram | RecordingBlock): SparseHistogram {
  return source instanceof Histogram ? encodeHistogram(source) : encodeBlock(source);
}

/** The histogram that `sparse` describes. `FleetError('protocol')` that names what is wrong when it is malformed (R070). */
export function decodeSparse(sparse: SparseHistogram): Histogram {
  const histogram = new Histogram();
  histogram.addSparse(sparse);
  return histogram;
}

function encodeHistogram(histogram: Histogram): SparseHistogram {
  return {
    layoutId: LAYOUT_ID,
    count: histogram.count,
    min: histogram.min,
    max: histogram.max,
    sum: histogram.sum,
    overflow: histogram.overflow,
    buckets: histogramBuckets(histogram),
  };
}

function encodeBlock(block: RecordingBlock): SparseHistogram {
  return {
    layoutId: LAYOUT_ID,
    count: block.count,
    min: block.count === 0 ? null : block.min,
    max: block.count === 0 ? null : block.max,
    sum: blockSum(block),
    overflow: block.overflow,
    buckets: blockBuckets(block),
  };
}

function histogramBuckets(histogram: Histogram): Uint8Array {
  const from = histogram.lowestIndex();
  const to = histogram.highestIndex();
  if (from === null || to === null) return new Uint8Array(0);
  const bytes = new Uint8Array((to - from + 1) * PAIR_BYTES_MAX);
  let length = 0;
  let previous = -1;
  for (let index = from; index <= to; index += 1) {
    const count = histogram.countAt(index);
    if (count === 0) continue;
    length = writePair(bytes, length, index - previous - 1, count);
    previous = index;
  }
  return bytes.slice(0, length);
}

function blockBuckets({ counts, touched, touchedCount }: RecordingBlock): Uint8Array {
  const upwards = touched.slice(0, touchedCount).sort();
  const bytes = new Uint8Array(touchedCount * PAIR_BYTES_MAX);
  let length = 0;
  let previous = -1;
  for (let i = 0; i < touchedCount; i += 1) {
    const index = upwards[i] as number;
    length = writePair(bytes, length, index - previous - 1, counts[index] as number);
    previous = index;
  }
  return bytes.slice(0, length);
}

function writePair(bytes: Uint8Array, offset: number, gap: number, count: number): number {
  return writeVarint(bytes, writeVarint(bytes, offset, gap), count);
}
