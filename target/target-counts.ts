/**
 * The books of the reference target: what reached it, counted independently of any client, so that a report's `sent` can be
 * compared with what arrived. Memory is bounded whatever clients send.
 */

/** A snapshot of the books. Admin requests and their connections are in none of these numbers. */
export interface TargetCounts {
  /** Requests whose headers arrived in full: requests = answered + cutShort + abandoned + open. */
  readonly requests: number;
  /** Whole answers handed to the connection, whatever their status. */
  readonly answered: number;
  /** Answers that a fault ended early, spoiled or withheld. */
  readonly cutShort: number;
  /** Requests whose client had closed the connection before the answer was due or whole. */
  readonly abandoned: number;
  /** Requests still to be answered. */
  readonly open: number;
  /** Requests with a well-formed identity header. */
  readonly identified: number;
  /** Requests whose identity had come before; null unless identities are kept. */
  readonly duplicates: number | null;
  /** Connections that ended in bytes that are no HTTP request. */
  readonly malformed: number;
  /** Requests by path without query; paths beyond the first MAX_PATHS count as `(other)`. */
  readonly byPath: Readonly<Record<string, number>>;
  /** Whole answers by status. */
  readonly byStatus: Readonly<Record<string, number>>;
  /** How often each kind of fault acted. */
  readonly byFault: Readonly<Record<string, number>>;
  readonly connections: { readonly opened: number; readonly closed: number; readonly open: number };
  /** Bytes on the connections, headers included. */
  readonly bytes: { readonly received: number; readonly sent: number };
}

/** How one request ended at the target. */
export type RequestEnd = 'answered' | 'cutShort' | 'abandoned';

/** Distinct paths that are counted apart. */
export const MAX_PATHS = 1_000;
const OTHER_PATHS = '(other)';

/** Counts requests, answers and faults. Connections are counted by ConnectionBook. */
export class RequestBook {
  #requests = 0;
  #identified = 0;
  #malformed = 0;
  readonly #ends: Record<RequestEnd, number> = { answered: 0, cutShort: 0, abandoned: 0 };
  readonly #byPath = new Map<string, number>();
  readonly #byStatus = new Map<number, number>();
  readonly #byFault = new Map<string, number>();

  /** Counts a request whose headers have arrived; returns its place, 0-based. */
  countRequest(path: string): number {
    const name = this.#byPath.has(path) || this.#byPath.size < MAX_PATHS ? path : OTHER_PATHS;
    increase(this.#byPath, name);
    return this.#requests++;
  }

  countIdentified(): void {
    this.#identified++;
  }

  countMalformed(): void {
    this.#malformed++;
  }

  countFault(kind: string): void {
    increase(this.#byFault, kind);
  }

  countAnswer(status: number): void {
    this.#ends.answered++;
    increase(this.#byStatus, status);
  }

  countCutShort(): void {
    this.#ends.cutShort++;
  }

  countAbandoned(): void {
    this.#ends.abandoned++;
  }

  /** The books now, with what the other books know. */
  snapshot(others: Pick<TargetCounts, 'duplicates' | 'connections' | 'bytes'>): TargetCounts {
    const { answered, cutShort, abandoned } = this.#ends;
    return {
      requests: this.#requests,
      answered,
      cutShort,
      abandoned,
      open: this.#requests - answered - cutShort - abandoned,
      identified: this.#identified,
      malformed: this.#malformed,
      byPath: Object.fromEntries(this.#byPath),
      byStatus: Object.fromEntries(this.#byStatus),
      byFault: Object.fromEntries(this.#byFault),
      ...others,
    };
  }
}

function increase<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
