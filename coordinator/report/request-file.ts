/**
 * `requests.jsonl` while the run lasts: lines are written to a private temporary file as reports come, a slice at a time, so that neither
 * memory nor the coordinator's loop bears them. What cannot be written is counted, and never fails the run.
 */
import { mkdtempSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { FleetError } from '../../shared/fleet-error.ts';
import { RECORD_WIDTH } from '../../shared/metrics/request-record.ts';
import type { RequestLines, RequestSource } from './request-line.ts';

/** Name in the result folder. */
export const REQUEST_FILE = 'requests.jsonl';

/** Rows that may wait for the disk: 24 MB. */
const WAITING_ROWS_MAX = 100_000;
/** Rows turned into text in one go: some 2 ms. */
const SLICE_ROWS = 300;

/** The file when the run is over. */
export interface RequestFileRecord {
  readonly path: string;
  /** Lines in it. */
  readonly written: number;
  /** Requests that ended and have no line. */
  readonly leftOut: number;
  /** Why it ends early; null when it does not. */
  readonly problem: string | null;
}

interface Batch {
  readonly source: RequestSource;
  readonly rows: Float64Array;
  /** Next row to write. */
  at: number;
}

export class RequestFile {
  readonly path: string;
  readonly #lines: RequestLines;
  readonly #limit: number;
  readonly #waiting: Batch[] = [];
  #waitingRows = 0;
  /** Rows taken, written or not. */
  #taken = 0;
  #written = 0;
  #writtenBytes = 0;
  #leftOut = 0;
  #problem: string | null = null;
  #handle: FileHandle | null = null;
  #writing: Promise<void> = Promise.resolve();
  #isWriting = false;

  /** `limit`: lines that it may hold. @throws FleetError `io`. */
  constructor(lines: RequestLines, limit: number) {
    this.#lines = lines;
    this.#limit = limit;
    try {
      this.path = join(mkdtempSync(join(tmpdir(), 'loadfleet-requests-')), REQUEST_FILE);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new FleetError('io', `output.perRequest: no temporary file can be made: ${why}`, { cause: error });
    }
  }

  /** Takes rows of one worker slot, and a count of those that it did not keep. Each report's once. */
  add(source: RequestSource, rows: Float64Array, leftOut: number): void {
    this.#leftOut += leftOut;
    const count = rows.length / RECORD_WIDTH;
    const room = Math.min(this.#limit - this.#taken, WAITING_ROWS_MAX - this.#waitingRows);
    const kept = this.#problem === null ? Math.max(0, Math.min(count, room)) : 0;
    this.#leftOut += count - kept;
    if (kept === 0) return;
    this.#taken += kept;
    this.#waitingRows += kept;
    this.#waiting.push({ source, rows: rows.subarray(0, kept * RECORD_WIDTH), at: 0 });
    if (this.#isWriting) return;
    this.#isWriting = true;
    this.#writing = this.#drain();
  }

  /** Writes what waits and closes the file. Never rejects. */
  async end(): Promise<RequestFileRecord> {
    await this.#writing;
    try {
      // A run without one request has an empty file.
      this.#handle ??= await open(this.path, 'w');
      await this.#handle.close();
    } catch (error) {
      this.#problem ??= (error as Error).message;
    }
    return { path: this.path, written: this.#written, leftOut: this.#leftOut, problem: this.#problem };
  }

  async #drain(): Promise<void> {
    try {
      this.#handle ??= await open(this.path, 'w');
      for (let batch = this.#waiting[0]; batch !== undefined; batch = this.#waiting[0]) {
        const { text, rows } = this.#slice(batch);
        // A disk that is nearly full takes a part without an error: this goes on until it has all or fails.
        await this.#handle.appendFile(text);
        this.#written += rows;
        this.#writtenBytes += Buffer.byteLength(text);
        this.#waitingRows -= rows;
        if (batch.at >= batch.rows.length) this.#waiting.shift();
      }
    } catch (error) {
      this.#problem = (error as Error).message;
      this.#leftOut += this.#waitingRows;
      this.#waitingRows = 0;
      this.#waiting.length = 0;
      await this.#cutHalfLine();
    } finally {
      this.#isWriting = false;
    }
  }

  /** After a write that failed: what it left is half a line, which no reader of lines could take. */
  async #cutHalfLine(): Promise<void> {
    try {
      await this.#handle?.truncate(this.#writtenBytes);
    } catch (error) {
      this.#problem = `${this.#problem ?? ''}; its last line may be cut: ${(error as Error).message}`;
    }
  }

  #slice(batch: Batch): { readonly text: string; readonly rows: number } {
    const end = Math.min(batch.rows.length, batch.at + SLICE_ROWS * RECORD_WIDTH);
    const rows = (end - batch.at) / RECORD_WIDTH;
    let text = '';
    for (; batch.at < end; batch.at += RECORD_WIDTH) text += this.#lines.lineOf(batch.source, batch.rows, batch.at);
    return { text, rows };
  }
}

/** Removes temporary files of results, once they have been published or are not wanted. Each has a folder of its own. */
export async function removeLargeFiles(files: ReadonlyMap<string, string>): Promise<void> {
  await Promise.all(Array.from(files.values(), (path) => rm(dirname(path), { recursive: true, force: true })));
}
