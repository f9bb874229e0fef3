/**
 * Natural logarithm and exponential from + - * / and comparisons alone. ECMAScript leaves `Math.log` and `Math.exp` to the
 * implementation; these give the same bits on every engine, which a schedule shared by a fleet needs (M§1.3). Accurate to a
 * few units in the last place. Everything that is not shared between machines uses `Math`.
 */

/** ln 2, split so that k * ln2High is exact for |k| < 2^20. */
const ln2High = 0.69314718036912381649;
const ln2Low = 1.90821492927058770002e-10;
const sqrtHalf = 0.7071067811865476;

/** ln x for finite x > 0: x = m * 2^e, and ln m = 2 artanh((m - 1) / (m + 1)) as a series. */
export function naturalLog(x: number): number {
  let m = x;
  let e = 0;
  while (m < sqrtHalf) {
    m *= 2;
    e--;
  }
  while (m >= 2 * sqrtHalf) {
    m /= 2;
    e++;
  }
  const s = (m - 1) / (m + 1);
  const square = s * s;
  // |s| <= 0.1716: twelve terms leave less than 1e-19.
  let series = 0;
  for (let k = 23; k >= 3; k -= 2) series = square * (1 / k + series);
  return e * ln2High + (2 * s + (2 * s * series + e * ln2Low));
}

/** e^x; 0 below -745, Infinity above 709.7. */
export function exponential(x: number): number {
  if (x < -745.2) return 0;
  if (x > 709.79) return Infinity;
  const k = Math.floor(x / (ln2High + ln2Low) + 0.5);
  const r = x - k * ln2High - k * ln2Low;
  // |r| <= 0.347: eighteen terms leave less than 1e-22.
  let series = 1;
  for (let n = 18; n >= 1; n--) series = 1 + (r / n) * series;
  return scaleByPowerOfTwo(series, k);
}

/** value * 2^k by repeated exact doubling or halving. */
function scaleByPowerOfTwo(value: number, k: number): number {
  let result = value;
  for (let i = 0; i < k; i++) result *= 2;
  for (let i = 0; i > k; i--) result /= 2;
  return result;
}
