/**
 * The Runs service: submissions become runs, watchers get progress, then the result's files, then the end. The result is made
 * here, once, and streamed: the command line writes the folder on its own side, where the user asked for it.
 */
import { createReadStream } from 'node:fs';
import { FleetError } from '../../shared/fleet-error.ts';
import { PIECE_BYTES } from '../../shared/rpc/protocol.ts';
import type { StopSignal, SubmitMessage, WatchEvent } from '../../shared/rpc/runs-message.ts';
import type { Timekeeper } from '../../shared/time/timekeeper.ts';
import { removeLargeFiles } from '../report/request-file.ts';
import { buildRunResult, type RunResult } from '../report/run-result.ts';
import type { RunDriver } from '../run/run-driver.ts';
import type { RunRequest } from '../run/run-request.ts';
import { readSubmission } from './submission.ts';

/** How often a watcher is told where the run is, ns. */
const PROGRESS_INTERVAL_NS = 1_000_000_000;
/** Ended runs that can still be watched; older results are forgotten. */
const KEPT_RUNS_MAX = 4;

interface KnownRun {
  readonly driver: RunDriver;
  readonly result: Promise<RunResult>;
}

export class RunsService {
  readonly #timekeeper: Timekeeper;
  readonly #startRun: (request: RunRequest) => RunDriver;
  readonly #runs = new Map<string, KnownRun>();

  constructor(timekeeper: Timekeeper, startRun: (request: RunRequest) => RunDriver) {
    this.#timekeeper = timekeeper;
    this.#startRun = startRun;
  }

  /** Reads a submission whole and starts its run; answers with the run's id. */
  async submit(messages: AsyncIterable<SubmitMessage>): Promise<string> {
    const driver = this.#startRun(await readSubmission(messages));
    const result = driver.ended.then(({ record, merge, blobs }) => buildRunResult(record, merge, blobs));
    // Whoever watches gets the error; without a watcher it must not end the process.
    result.catch(() => undefined);
    this.#runs.set(driver.run.runId, { driver, result });
    const oldest = this.#runs.keys().next().value;
    if (this.#runs.size > KEPT_RUNS_MAX && oldest !== undefined) await this.#forget(oldest);
    return driver.run.runId;
  }

  /** Follows a run. */
  async *watch(runId: string, isWanted: () => boolean): AsyncIterable<WatchEvent> {
    const { driver, result } = this.#known(runId);
    let ended: RunResult | null = null;
    while (ended === null) {
      if (!isWanted()) return;
      yield { kind: 'progress', progress: driver.progress() };
      ended = await Promise.race([result, this.#pause()]);
    }
    yield* resultEvents(ended);
  }

  /** Asks a run to stop; answers with the state it was in. */
  stop(runId: string, signal: StopSignal, abrupt: boolean): string {
    const { driver } = this.#known(runId);
    const before = driver.state.kind;
    driver.stop(signal, abrupt);
    return before;
  }

  /** Forgets all runs and their files; those that are still on are left alone. */
  async close(): Promise<void> {
    for (const runId of [...this.#runs.keys()]) await this.#forget(runId);
  }

  async #forget(runId: string): Promise<void> {
    const known = this.#runs.get(runId);
    this.#runs.delete(runId);
    if (known === undefined) return;
    try {
      await removeLargeFiles((await known.result).largeFiles);
    } catch {
      // A result that could not be made has been told to whoever watched; its files are in the system's temporary folder.
    }
  }

  #known(runId: string): KnownRun {
    const known = this.#runs.get(runId);
    if (known === undefined) throw new FleetError('refused', `run ${runId} is not known here`);
    return known;
  }

  #pause(): Promise<null> {
    return new Promise((resolve) => {
      this.#timekeeper.after(PROGRESS_INTERVAL_NS, () => resolve(null));
    });
  }
}

/** The files of a result in pieces, then the end. */
async function* resultEvents(result: RunResult): AsyncIterable<WatchEvent> {
  for (const [name, path] of result.largeFiles) {
    for await (const content of createReadStream(path, { highWaterMark: PIECE_BYTES }) as AsyncIterable<Uint8Array>) {
      yield { kind: 'piece', name, content };
    }
  }
  const encoder = new TextEncoder();
  for (const [name, text] of result.files) {
    const content = encoder.encode(text);
    // An empty file still needs its one piece.
    for (let from = 0; from === 0 || from < content.length; from += PIECE_BYTES) {
      yield { kind: 'piece', name, content: content.subarray(from, from + PIECE_BYTES) };
    }
  }
  const { outcome, summary } = result;
  yield { kind: 'end', outcome: outcome.kind, exitCode: outcome.exitCode, reasons: outcome.reasons, summary };
}
