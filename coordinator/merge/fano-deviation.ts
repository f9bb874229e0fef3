/**
 * How far the burstiness of what was sent is from what was planned (F4 of M§3.1): the ratio of the two Fano factors, and how far it
 * may be from 1 by chance. Both sides see the same arrivals, so chance has a part only in the sends that moved to another bin.
 */
import { type BinSums, movedShare, plannedMoments, sentMoments } from '../../shared/metrics/fidelity.ts';
import { fanoFactor, fanoRatio } from '../../shared/stats/fano.ts';

/** Fewer bins than this say nothing. */
const BINS_MIN = 30;
/** Plans more even than this have no ratio worth the name: any lag at all would multiply a factor near 0. */
const PLANNED_FANO_MIN = 0.5;
/** Standard errors that are granted to chance: the worst of many workers is judged. */
const STANDARD_ERRORS = 4;
/** Pairs of arrivals in one bin that are granted to chance: the counts of a slow worker are whole numbers. */
const PAIRS_GRANTED = 3;

/** What one set of bins says. */
export interface FanoDeviation {
  /** Fano factor of the sends over that of the plan. */
  readonly ratio: number;
  /** |ratio - 1| beyond what chance explains; 0 when chance explains it all. */
  readonly deviation: number;
}

/**
 * The deviation of one set of bins; null where it has no meaning: fewer than 30 bins, nothing planned or sent, or a plan that is
 * evenly spaced. If a share q of the sends moves to other bins at random, planned and sent counts are correlated by 1 - q, and the
 * ratio of k bins has the standard error 2 sqrt((1 - (1 - q)^2) / (k - 1)); N arrivals change it in steps of 2 / N.
 */
export function fanoDeviation(sums: BinSums): FanoDeviation | null {
  if (sums.bins < BINS_MIN || sums.sent === 0) return null;
  const planned = plannedMoments(sums);
  const sent = sentMoments(sums);
  const plannedFano = fanoFactor(planned);
  const ratio = fanoRatio(sent, planned);
  if (plannedFano === null || ratio === null || plannedFano < PLANNED_FANO_MIN) return null;
  const moved = Math.min(1, movedShare(sums));
  const standardError = 2 * Math.sqrt((1 - (1 - moved) ** 2) / (sums.bins - 1));
  const chance = STANDARD_ERRORS * standardError + (2 * PAIRS_GRANTED) / sums.sent;
  return { ratio, deviation: Math.max(0, Math.abs(ratio - 1) - chance) };
}
