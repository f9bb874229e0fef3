/**
 * Recording blocks that are ready to be filled: emptied ones that came back from the main thread, and new ones made ahead of
 * need, so that the first sample of a window never waits for 200 kB of memory (design §7). It never keeps a block with samples.
 */

import { createRecordingBlock, type RecordingBlock } from '../../shared/histogram/recording-block.ts';

/** Spare blocks kept from the start: the usual number of series of one window, twice (ok and failed). */
const SPARE_MIN = 20;
/** Most spare blocks kept: the limit on series, and the window's totals. Beyond it blocks are let go. */
const SPARE_MAX = 160;

export class BlockStore {
  readonly #spare: RecordingBlock[] = [];
  #wanted = SPARE_MIN;

  /** Number of spare blocks. */
  get spareCount(): number {
    return this.#spare.length;
  }

  /** An empty block. */
  take(): RecordingBlock {
    return this.#spare.pop() ?? createRecordingBlock();
  }

  /** Takes emptied blocks back. */
  recycle(blocks: readonly RecordingBlock[]): void {
    for (const block of blocks) if (this.#spare.length < SPARE_MAX) this.#spare.push(block);
  }

  /** Learns how many blocks one hand-over took, so that as many are ready for the next. */
  expect(blockCount: number): void {
    this.#wanted = Math.min(SPARE_MAX, Math.max(SPARE_MIN, blockCount));
  }

  /** Makes one block ahead of need; false when enough are ready. */
  workAhead(): boolean {
    if (this.#spare.length >= this.#wanted) return false;
    this.#spare.push(createRecordingBlock());
    return true;
  }
}
