/**
 * From windows to blocks: neighbouring windows are put together until there are few, long blocks, and in pairs again while
 * neighbouring blocks still depend on each other (M§4.3: 20 to 30 blocks; |r1| > 2 / sqrt(m) means double the block).
 */

import { lagOneAutocorrelation } from './autocorrelation.ts';
import type { BlockShare } from './block-quantile.ts';

/** Most blocks: more would only be shorter. */
const BLOCKS_MOST = 30;

/** Fewer blocks give no usable estimate of a variance. */
const BLOCKS_LEAST = 6;

/** Blocks that are as independent as their number allows. */
export interface Blocks {
  readonly shares: readonly BlockShare[];
  /** Lag-1 autocorrelation of their shares; null where it has no meaning. */
  readonly autocorrelation: number | null;
  /** Neighbours still depend on each other and there are too few to put them together again: intervals are too narrow. */
  readonly dependent: boolean;
}

/** Puts consecutive windows together; those without a sample are left out. */
export function independentBlocks(windows: readonly BlockShare[]): Blocks {
  const used = windows.filter(({ count }) => count > 0);
  let shares = inGroups(used, Math.ceil(used.length / BLOCKS_MOST));
  for (;;) {
    const autocorrelation = lagOneAutocorrelation(shares.map(({ above, count }) => above / count));
    const isDependent = autocorrelation !== null && autocorrelation > 2 / Math.sqrt(shares.length);
    if (!isDependent) return { shares, autocorrelation, dependent: false };
    if (Math.floor(shares.length / 2) < BLOCKS_LEAST) return { shares, autocorrelation, dependent: true };
    shares = inGroups(shares, 2);
  }
}

/** Sums of `size` neighbours each; what is left at the end joins the last group. */
function inGroups(shares: readonly BlockShare[], size: number): readonly BlockShare[] {
  if (size <= 1) return shares;
  const groups = Math.max(1, Math.floor(shares.length / size));
  return Array.from({ length: groups }, (_, group) => {
    const members = shares.slice(group * size, group === groups - 1 ? shares.length : (group + 1) * size);
    return members.reduce((sum, { count, above }) => ({ count: sum.count + count, above: sum.above + above }));
  });
}
