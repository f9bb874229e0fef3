/** Dependence between neighbours: are block values long enough apart to be treated as independent? (M§3.2, M§4.3) */

/**
 * Lag-1 autocorrelation: sum (x_i - mean)(x_{i+1} - mean) / sum (x_i - mean)^2. Null where it has no meaning: fewer than
 * two values, or all the same. 1, 2, 3, 4, 5 gives 0.4.
 */
export function lagOneAutocorrelation(values: readonly number[]): number | null {
  const count = values.length;
  if (count < 2) return null;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  let products = 0;
  let squares = 0;
  for (let i = 0; i < count; i += 1) {
    const deviation = (values[i] as number) - mean;
    squares += deviation * deviation;
    if (i > 0) products += deviation * ((values[i - 1] as number) - mean);
  }
  return squares === 0 ? null : products / squares;
}
