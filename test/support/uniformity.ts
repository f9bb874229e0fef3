/** Goodness of fit for the generator's own tests, on fixed seeds: statistics against their critical values (M§3.2). */
import { chiSquareCdf } from './stats/chi-square.ts';

/** Kolmogorov-Smirnov: sqrt(n) * sup |F_n - F| against U(0,1). Below 1.6276 at 1 %, 1.9495 at 0.1 %. */
export function scaledKolmogorovSmirnov(values: readonly number[]): number {
  const n = values.length;
  const sorted = Float64Array.from(values).sort();
  const distance = sorted.reduce((most, value, i) => Math.max(most, (i + 1) / n - value, value - i / n), 0);
  return distance * Math.sqrt(n);
}

/** P(a chi-square this large or larger) for counts that should be equal in every bin. */
export function equalCountsPValue(counts: readonly number[]): number {
  const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  const statistic = counts.reduce((sum, count) => sum + (count - mean) ** 2 / mean, 0);
  return 1 - chiSquareCdf(statistic, counts.length - 1);
}

/** How many values fall in each of `bins` equal parts of [0, 1). */
export function binCounts(values: readonly number[], bins: number): number[] {
  const counts = new Array<number>(bins).fill(0);
  for (const value of values) {
    const bin = Math.floor(value * bins);
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return counts;
}

/** Squared coefficient of variation. */
export function scvOf(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
  return variance / mean ** 2;
}

/** Differences of neighbours. */
export function gapsOf(instants: readonly number[]): number[] {
  return instants.slice(1).map((instant, i) => instant - (instants[i] as number));
}
