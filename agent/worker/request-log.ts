/**
 * Rows of requests that ended on one worker, for `requests.jsonl` (`output.perRequest`): at most `limit` over the trial, the rest is
 * counted. It writes numbers into flat blocks that are given away with the hand-over; nothing is encoded or copied on this thread.
 */

import { RECORD, RECORD_WIDTH } from '../../shared/metrics/request-record.ts';
import type { LoggedRequests, RecordBlock } from './logged-requests.ts';
import type { OpenRequest } from './open-request.ts';

/** Rows of one block: 120 kB. */
export const BLOCK_ROWS = 512;

export class RequestLog {
  readonly #limit: number;
  #kept = 0;
  #leftOut = 0;
  #full: RecordBlock[] = [];
  #rows: Float64Array<ArrayBuffer> | null = null;
  #count = 0;
  #spare: Float64Array<ArrayBuffer> | null = null;

  /** `limit`: rows that this worker may keep in the trial. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Logs a request that has ended, or was given up, with the code of its outcome; `status` null = no status line came. */
  add(request: OpenRequest, outcome: number, status: number | null): void {
    if (this.#kept >= this.#limit) {
      this.#leftOut += 1;
      return;
    }
    this.#kept += 1;
    const rows = this.#room();
    const at = this.#count * RECORD_WIDTH;
    this.#count += 1;
    writeRow(rows, at, request, outcome, status);
  }

  /** Makes a block ahead of need; false when one is ready or none will be needed. */
  workAhead(): boolean {
    if (this.#spare !== null || this.#kept >= this.#limit) return false;
    this.#spare = createRows();
    return true;
  }

  /** Gives away what was logged since the last call. */
  take(): LoggedRequests {
    if (this.#rows !== null && this.#count > 0) this.#full.push({ rows: this.#rows, count: this.#count });
    const logged = { blocks: this.#full, leftOut: this.#leftOut };
    this.#full = [];
    this.#leftOut = 0;
    this.#rows = this.#count > 0 ? null : this.#rows;
    this.#count = 0;
    return logged;
  }

  #room(): Float64Array {
    if (this.#rows !== null && this.#count < BLOCK_ROWS) return this.#rows;
    if (this.#rows !== null) this.#full.push({ rows: this.#rows, count: this.#count });
    this.#rows = this.#spare ?? createRows();
    this.#spare = null;
    this.#count = 0;
    return this.#rows;
  }
}

function createRows(): Float64Array<ArrayBuffer> {
  return new Float64Array(BLOCK_ROWS * RECORD_WIDTH);
}

function writeRow(rows: Float64Array, at: number, request: OpenRequest, outcome: number, status: number | null): void {
  const isAnswered = request.stage === 'answered';
  rows[at + RECORD.phase] = request.phase;
  rows[at + RECORD.template] = request.template;
  rows[at + RECORD.lane] = request.lane;
  rows[at + RECORD.block] = request.block;
  rows[at + RECORD.rank] = request.rank;
  rows[at + RECORD.index] = request.index;
  rows[at + RECORD.intendedNs] = request.intendedNs;
  rows[at + RECORD.releasedNs] = request.releasedNs;
  rows[at + RECORD.waitQueueNs] = request.waitQueueNs;
  rows[at + RECORD.waitConnectNs] = request.waitConnectNs;
  rows[at + RECORD.waitStreamNs] = request.waitStreamNs;
  rows[at + RECORD.sendNs] = request.wasSent ? request.sendNs : Number.NaN;
  rows[at + RECORD.firstByteNs] = isAnswered ? request.firstByteNs : Number.NaN;
  rows[at + RECORD.endNs] = request.endNs;
  rows[at + RECORD.outcome] = outcome;
  rows[at + RECORD.status] = status ?? Number.NaN;
  rows[at + RECORD.bodyBytes] = request.bodyBytes;
  rows.fill(Number.NaN, at + RECORD.inputTokens, at + RECORD_WIDTH);
  request.reader?.describe(rows, at);
  if (request.chain !== null) rows[at + RECORD.turn] = request.turn;
}
