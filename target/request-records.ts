/**
 * What the target keeps of each request when asked to: identities, to find the ones that came twice, and the instants of
 * service, to compare each request with theory. Bounded: what does not fit is not kept and counted.
 */

import type { Exchange, KeptRequest } from './exchange.ts';
import type { RequestEnd } from './target-counts.ts';

/** Records that are kept at most, about 200 bytes each. */
const MAX_RECORDS = 2_000_000;

/** Keeps requests in the order in which they ended. */
export class RequestRecords {
  readonly #records: KeptRequest[] = [];
  readonly #identities = new Set<string>();
  #duplicates = 0;

  /** Requests whose identity had come before, among the first MAX_RECORDS identities. */
  get duplicates(): number {
    return this.#duplicates;
  }

  get records(): readonly KeptRequest[] {
    return this.#records;
  }

  /** Notes an identity on arrival. */
  arrived(identity: string): void {
    if (this.#identities.has(identity)) this.#duplicates++;
    else if (this.#identities.size < MAX_RECORDS) this.#identities.add(identity);
  }

  ended(exchange: Exchange, end: RequestEnd, endNs: number): void {
    if (this.#records.length >= MAX_RECORDS) return;
    const { identity, path, receivedNs, startNs, serviceNs, answer } = exchange;
    this.#records.push({ identity, path, receivedNs, startNs, serviceNs, endNs, end, status: answer.status });
  }
}
