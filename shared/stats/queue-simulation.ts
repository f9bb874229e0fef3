/**
 * A first-come-first-served queue worked through without a clock: given arrival instants and service times, when does each
 * request start and end? Lindley's recursion for one server, Kiefer and Wolfowitz's for several. It tells the response
 * time that *each* request of a planned run must have, so that a measured run can be held against it (M§6.3, M§9.3).
 */

import { assertInvariant } from '../fleet-error.ts';

/** What is simulated. All times in one unit; integers in ns stay exact. */
export interface QueueInput {
  /** Arrival instants, never decreasing. */
  readonly arrivals: ArrayLike<number>;
  /** Service time of each arrival, >= 0; as many as arrivals. */
  readonly services: ArrayLike<number>;
  /** Number of servers, >= 1. */
  readonly servers: number;
}

/** What each arrival meets, in the order of arrival. */
export interface QueueOutcome {
  /** Time from arrival to start of service. */
  readonly waits: Float64Array;
  /** Time from arrival to end of service. */
  readonly responses: Float64Array;
}

/**
 * Works through the queue. An arrival starts at max(its instant, the instant at which the first server is free).
 * Cost O(arrivals * servers) at worst.
 */
export function simulateQueue({ arrivals, services, servers }: QueueInput): QueueOutcome {
  const count = arrivals.length;
  assertInvariant(services.length === count, `${services.length} service times for ${count} arrivals`);
  assertInvariant(Number.isSafeInteger(servers) && servers >= 1, `servers is ${servers}, the least is 1`);
  const waits = new Float64Array(count);
  const responses = new Float64Array(count);
  /** Instants at which the servers are free, ascending. */
  const free = new Float64Array(servers).fill(-Infinity);
  let previous = -Infinity;
  for (let i = 0; i < count; i += 1) {
    const arrival = arrivals[i] as number;
    const service = services[i] as number;
    assertInvariant(arrival >= previous, `arrival ${i} at ${arrival} comes before its predecessor at ${previous}`);
    assertInvariant(service >= 0, `service time ${i} is ${service}, the least is 0`);
    const start = Math.max(arrival, free[0] as number);
    waits[i] = start - arrival;
    responses[i] = start - arrival + service;
    replaceFirst(free, start + service);
    previous = arrival;
  }
  return { waits, responses };
}

/** Takes the first entry out of an ascending array and puts `value` in its place in the order. */
function replaceFirst(ascending: Float64Array, value: number): void {
  let at = 0;
  while (at + 1 < ascending.length && (ascending[at + 1] as number) < value) {
    ascending[at] = ascending[at + 1] as number;
    at += 1;
  }
  ascending[at] = value;
}
