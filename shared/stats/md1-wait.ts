/**
 * The distribution of the wait in M/D/1, computed with positive terms only. Erlang's alternating series (M§6.3) needs
 * hundreds of digits; conditioning on the queue left behind whole services (Franx, "A simple solution for the M/D/c waiting
 * time distribution", 2001) needs none. Unit of time: one service.
 */

import { solveRisingFromZero } from './bisection.ts';

/** The law of the wait for one utilisation; it remembers the queue-length probabilities it has computed. */
export interface Md1WaitLaw {
  /** P(wait <= x). */
  cdf(x: number): number;
  /** The least x with P(wait <= x) >= probability, for a probability in [0, 1). */
  quantile(probability: number): number;
}

/** Poisson tails below this weight are left out. */
const NEGLIGIBLE = 1e-300;

/** The law for `utilisation` in (0, 1). */
export function createMd1WaitLaw(utilisation: number): Md1WaitLaw {
  const waitingAtMost = queueLengthCdf(utilisation);
  const cdf = (x: number): number => {
    if (x < 0) return 0;
    // A wait of x ends `rest` before the next whole service: P = sum over j arrivals in `rest` of P(queue <= k - 1 - j).
    const services = Math.floor(x) + 1;
    const rest = services - x;
    let poisson = Math.exp(-utilisation * rest);
    let total = 0;
    for (let j = 0; j < services && poisson > NEGLIGIBLE; j += 1) {
      total += poisson * waitingAtMost(services - 1 - j);
      poisson *= (utilisation * rest) / (j + 1);
    }
    return total;
  };
  return {
    cdf,
    quantile: (probability) => (probability <= 1 - utilisation ? 0 : solveRisingFromZero(cdf, probability, 1)),
  };
}

/**
 * P(at most m requests wait) in M/D/1, for any m. With pi_j the probability of j requests in the system and A the Poisson
 * number of arrivals in one service, balance across the border below j gives
 * pi_j P(A = 0) = pi_0 P(A >= j) + sum_{i=1}^{j-1} pi_i P(A >= j - i + 1): no subtraction anywhere.
 */
function queueLengthCdf(utilisation: number): (waiting: number) => number {
  const tails = poissonTails(utilisation);
  const tailAt = (atLeast: number): number => tails[atLeast] ?? 0;
  const empty = Math.exp(-utilisation);
  const inSystem: number[] = [1 - utilisation];
  const atMost: number[] = [1 - utilisation];
  const extend = (): void => {
    const j = inSystem.length;
    let crossing = (inSystem[0] as number) * tailAt(j);
    // Beyond the table P(A >= n) is nothing, so older terms need not be visited.
    for (let i = Math.max(1, j + 1 - tails.length); i < j; i += 1)
      crossing += (inSystem[i] as number) * tailAt(j - i + 1);
    inSystem.push(crossing / empty);
    atMost.push((atMost[j - 1] as number) + crossing / empty);
  };
  return (waiting) => {
    // One request is in service beside those that wait.
    while (atMost.length <= waiting + 1) extend();
    return atMost[waiting + 1] as number;
  };
}

/** P(A >= n) for Poisson A with the given mean, n = 0, 1, ..., added up from the small end. */
function poissonTails(mean: number): number[] {
  const terms: number[] = [];
  for (let term = Math.exp(-mean); term > NEGLIGIBLE; term *= mean / terms.length) terms.push(term);
  let tail = 0;
  return terms.reduceRight<number[]>((tails, term) => {
    tail += term;
    tails.unshift(tail);
    return tails;
  }, []);
}
