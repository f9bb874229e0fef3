/** Histograms from plain lists of samples. */
import { Histogram } from '../../shared/histogram/histogram.ts';
import { createRecordingBlock, record, type RecordingBlock } from '../../shared/histogram/recording-block.ts';

/** A block that has recorded `samples`. */
export function blockOf(samples: Iterable<number>): RecordingBlock {
  const block = createRecordingBlock();
  for (const sample of samples) record(block, sample);
  return block;
}

/** A histogram of `samples`. */
export function histogramOf(samples: Iterable<number>): Histogram {
  const histogram = new Histogram();
  histogram.addBlock(blockOf(samples));
  return histogram;
}
