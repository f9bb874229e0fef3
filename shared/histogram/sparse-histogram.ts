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

/** Bytes of the longest gap: 33,792 needs 16 bits. */
const GAP_BYTES_MAX = 3;

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
  const writer = new BucketWriter();
  const from = histogram.lowestIndex();
  const to = histogram.highestIndex();
  if (from !== null && to !== null) {
    for (let index = from; index <= to; index += 1) writer.write(index, histogram.countAt(index));
  }
  return {
    layoutId: LAYOUT_ID,
    count: histogram.count,
    min: histogram.min,
    max: histogram.max,
    sum: histogram.sum,
    overflow: histogram.overflow,
    buckets: writer.bytes(),
  };
}

function encodeBlock(block: RecordingBlock): SparseHistogram {
  const writer = new BucketWriter();
  for (const index of block.touched.slice(0, block.touchedCount).sort()) {
    writer.write(index, block.counts[index] as number);
  }
  return {
    layoutId: LAYOUT_ID,
    count: block.count,
    min: block.count === 0 ? null : block.min,
    max: block.count === 0 ? null : block.max,
    sum: blockSum(block),
    overflow: block.overflow,
    buckets: writer.bytes(),
  };
}

/** Writes the (gap, count) pairs of non-empty buckets, given upwards, into a buffer that grows by doubling. */
class BucketWriter {
  #buffer = new Uint8Array(1024);
  #length = 0;
  #previous = -1;

  write(index: number, count: number): void {
    if (count === 0) return;
    if (this.#length + GAP_BYTES_MAX + VARINT_BYTES_MAX > this.#buffer.length) {
      const larger = new Uint8Array(this.#buffer.length * 2);
      larger.set(this.#buffer);
      this.#buffer = larger;
    }
    const behindGap = writeVarint(this.#buffer, this.#length, index - this.#previous - 1);
    this.#length = writeVarint(this.#buffer, behindGap, count);
    this.#previous = index;
  }

  bytes(): Uint8Array {
    return this.#buffer.slice(0, this.#length);
  }
}
