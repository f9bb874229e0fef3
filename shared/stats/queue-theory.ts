/**
 * Exact waiting and response times of textbook queues (M§6.3): the truth that the harness is validated against.
 * Unit of time: the mean service time. `utilisation` is the load per server, in (0, 1); `probability` in [0, 1).
 * First come, first served, without limits. Not a model of real servers.
 */

import { assertInvariant } from '../fleet-error.ts';
import { solveRisingFromZero } from './bisection.ts';
import { createMd1WaitLaw } from './md1-wait.ts';

/**
 * Erlang's C: the probability that an arrival to M/M/c has to wait. From Erlang's B by its recursion
 * B_k = a B_{k-1} / (k + a B_{k-1}) with a = c * utilisation, then C = B / (1 - utilisation (1 - B)).
 */
export function erlangC(servers: number, utilisation: number): number {
  checkQueue(servers, utilisation);
  const offeredLoad = servers * utilisation;
  let blocking = 1;
  for (let k = 1; k <= servers; k += 1) blocking = (offeredLoad * blocking) / (k + offeredLoad * blocking);
  return blocking / (1 - utilisation * (1 - blocking));
}

/** Quantile of the wait in M/M/c, from P(W > t) = C e^(-c (1 - utilisation) t); 0 where nobody waits. */
export function mmcWaitQuantile(servers: number, utilisation: number, probability: number): number {
  checkProbability(probability);
  const waiting = erlangC(servers, utilisation);
  if (1 - probability >= waiting) return 0;
  return Math.log(waiting / (1 - probability)) / (servers * (1 - utilisation));
}

/** Mean wait in M/M/c: C / (c (1 - utilisation)). */
export function mmcWaitMean(servers: number, utilisation: number): number {
  return erlangC(servers, utilisation) / (servers * (1 - utilisation));
}

/**
 * P(response > t) in M/M/c. With theta = c (1 - utilisation):
 * (1 - C) e^-t + C (theta e^-t - e^(-theta t)) / (theta - 1), written so that theta = 1 needs no case of its own
 * and theta near 1 loses no digits.
 */
export function mmcResponseTail(servers: number, utilisation: number, t: number): number {
  const waiting = erlangC(servers, utilisation);
  const excess = servers * (1 - utilisation) - 1;
  const stretched = excess === 0 ? t : -Math.expm1(-excess * t) / excess;
  return Math.exp(-t) * (1 + waiting * stretched);
}

/** Quantile of the response time in M/M/c. For one server it is -ln(1 - probability) / (1 - utilisation). */
export function mmcResponseQuantile(servers: number, utilisation: number, probability: number): number {
  checkQueue(servers, utilisation);
  checkProbability(probability);
  if (servers === 1) return -Math.log1p(-probability) / (1 - utilisation);
  return solveRisingFromZero((t) => 1 - mmcResponseTail(servers, utilisation, t), probability, 1);
}

/** Mean response time in M/M/c: mean wait plus one service. */
export function mmcResponseMean(servers: number, utilisation: number): number {
  return mmcWaitMean(servers, utilisation) + 1;
}

/** Quantile of the wait in M/D/1; the response time is 1 longer. */
export function md1WaitQuantile(utilisation: number, probability: number): number {
  checkQueue(1, utilisation);
  checkProbability(probability);
  return createMd1WaitLaw(utilisation).quantile(probability);
}

/** Mean wait in M/D/1 (Pollaczek and Khinchine): utilisation / (2 (1 - utilisation)). */
export function md1WaitMean(utilisation: number): number {
  checkQueue(1, utilisation);
  return utilisation / (2 * (1 - utilisation));
}

/** Standard deviation of the number of requests in a stable M/M/1: sqrt(utilisation) / (1 - utilisation) (M§6.2). */
export function mm1BacklogDeviation(utilisation: number): number {
  checkQueue(1, utilisation);
  return Math.sqrt(utilisation) / (1 - utilisation);
}

function checkQueue(servers: number, utilisation: number): void {
  assertInvariant(Number.isSafeInteger(servers) && servers >= 1, `servers is ${servers}, the least is 1`);
  assertInvariant(utilisation > 0 && utilisation < 1, `utilisation is ${utilisation}, must be between 0 and 1`);
}

function checkProbability(probability: number): void {
  assertInvariant(probability >= 0 && probability < 1, `probability is ${probability}, must be in [0, 1)`);
}
