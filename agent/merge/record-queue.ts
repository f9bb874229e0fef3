/**
 * Rows of requests that wait for a report, already in the form of the wire. Bounded: while no report can be sent, rows beyond the limit
 * are counted and let go.
 */
import { encodeRecords } from '../../shared/metrics/record-codec.ts';
import type { SlotRecords } from '../../shared/metrics/request-record.ts';
import type { LoggedRequests } from '../worker/logged-requests.ts';

/** Bytes that may wait: some 150,000 rows, far below what one message may hold. */
const WAITING_BYTES_MAX = 8 * 1024 * 1024;

const NO_BYTES = new Uint8Array(0);

export class RecordQueue {
  readonly #bytesMax: number;
  #waiting: SlotRecords[] = [];
  readonly #leftOut = new Map<number, number>();
  #bytes = 0;

  constructor(bytesMax = WAITING_BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  /** Takes what a worker logged. */
  add(slot: number, { blocks, leftOut }: LoggedRequests): void {
    this.#leaveOut(slot, leftOut);
    for (const { rows, count } of blocks) {
      const bytes = encodeRecords(rows, count);
      if (this.#bytes + bytes.length > this.#bytesMax) {
        this.#leaveOut(slot, count);
        continue;
      }
      this.#bytes += bytes.length;
      this.#waiting.push({ slot, count, bytes, leftOut: 0 });
    }
  }

  /** Everything that waits. */
  take(): SlotRecords[] {
    const uncounted = Array.from(this.#leftOut, ([slot, leftOut]) => ({ slot, count: 0, bytes: NO_BYTES, leftOut }));
    const taken = [...this.#waiting, ...uncounted];
    this.#waiting = [];
    this.#leftOut.clear();
    this.#bytes = 0;
    return taken;
  }

  #leaveOut(slot: number, count: number): void {
    if (count > 0) this.#leftOut.set(slot, (this.#leftOut.get(slot) ?? 0) + count);
  }
}
