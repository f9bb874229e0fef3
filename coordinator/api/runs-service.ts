/**
 * The Runs service: submissions become runs, watchers get progress, then the result's files, then the end. The result is made
 * here, once, and streamed: the command line writes the folder on its own side, where the user asked for it.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { FleetError } from '../../shared/fleet-error.ts';
import { PIECE_BYTES } from '../../shared/rpc/protocol.ts';
import type { StopSignal, SubmitMessage, WatchEvent } from '../../shared/rpc/runs-message.ts';
import { durationText } from '../../shared/time/duration-text.ts';
import type { LongTimer } from '../../shared/time/long-timer.ts';
import type { Timekeeper } from '../../shared/time/timekeeper.ts';
import { removeLargeFiles } from '../report/request-file.ts';
import { buildRunResult, type RunResult } from '../report/run-result.ts';
import type { RunDriver } from '../run/run-driver.ts';
import type { RunRequest } from '../run/run-request.ts';
import { deadlineOf } from '../run/run-state.ts';
import { readSubmission } from './submission.ts';

/** How often a watcher is told where the run is, ns. */
const PROGRESS_INTERVAL_NS = 1_000_000_000;
/**
 * A run that nobody has watched for this long is stopped, ns: whoever asked for it is gone, and load that nobody answers for is not sent on.
 * More than a command line takes to dial again after its link broke, and to notice that it did.
 */
const UNWATCHED_MAX_NS = 20_000_000_000;
/** How often it is looked whether all results are delivered, ns. */
const DELIVERY_LOOK_NS = 100_000_000;
/** Ended runs that can still be watched; older results are forgotten. */
const KEPT_RUNS_MAX = 4;

interface KnownRun {
  readonly driver: RunDriver;
  readonly result: Promise<RunResult>;
  watchers: number;
  /** Set while nobody watches. */
  unwatched: LongTimer | null;
}

export class RunsService {
  readonly #timekeeper: Timekeeper;
  readonly #startRun: (request: RunRequest) => RunDriver;
  readonly #onNotice: (text: string) => void;
  readonly #runs = new Map<string, KnownRun>();

  constructor(timekeeper: Timekeeper, startRun: (request: RunRequest) => RunDriver, onNotice: (text: string) => void) {
    this.#timekeeper = timekeeper;
    this.#startRun = startRun;
    this.#onNotice = onNotice;
  }

  /** True while anybody follows a run, or is being sent its result. */
  get isWatched(): boolean {
    return [...this.#runs.values()].some(({ watchers }) => watchers > 0);
  }

  /** Reads a submission whole and starts its run; answers with the run's id. */
  async submit(messages: AsyncIterable<SubmitMessage>): Promise<string> {
    const driver = this.#startRun(await readSubmission(messages));
    const result = driver.ended.then(({ record, merge, blobs }) => buildRunResult(record, merge, blobs));
    // Whoever watches gets the error; without a watcher it must not end the process.
    result.catch(() => undefined);
    const run: KnownRun = { driver, result, watchers: 0, unwatched: null };
    this.#runs.set(driver.run.runId, run);
    this.#awaitWatcher(run);
    const oldest = this.#runs.keys().next().value;
    if (this.#runs.size > KEPT_RUNS_MAX && oldest !== undefined) await this.#forget(oldest);
    return driver.run.runId;
  }

  /** Follows a run. Once nobody has done so for a while, the run is stopped. */
  async *watch(runId: string, isWanted: () => boolean): AsyncIterable<WatchEvent> {
    const run = this.#known(runId);
    run.unwatched?.cancel();
    run.watchers += 1;
    try {
      let ended: RunResult | null = null;
      while (ended === null) {
        if (!isWanted()) return;
        yield { kind: 'progress', progress: run.driver.progress() };
        ended = await Promise.race([run.result, this.#pause()]);
      }
      yield* resultEvents(ended, this.#onNotice);
    } finally {
      run.watchers -= 1;
      this.#awaitWatcher(run);
    }
  }

  /** Asks a run to stop; answers with the state it was in. */
  stop(runId: string, signal: StopSignal, abrupt: boolean): string {
    const { driver } = this.#known(runId);
    const before = driver.state.kind;
    driver.stop(signal, abrupt);
    return before;
  }

  /** Resolves when everybody who watches has been sent all, or is gone, at the latest after `patienceNs`. */
  async delivered(patienceNs: number): Promise<void> {
    const untilNs = this.#timekeeper.nowNs() + patienceNs;
    while (this.isWatched && this.#timekeeper.nowNs() < untilNs) await this.#pause(DELIVERY_LOOK_NS);
  }

  /** Forgets all runs and their files; those that are still on are left alone. */
  async close(): Promise<void> {
    for (const runId of [...this.#runs.keys()]) await this.#forget(runId);
  }

  #awaitWatcher(run: KnownRun): void {
    const { runId } = run.driver.run;
    if (run.watchers > 0 || this.#runs.get(runId) !== run || deadlineOf(run.driver.state) === null) return;
    run.unwatched = this.#timekeeper.after(UNWATCHED_MAX_NS, () => {
      if (deadlineOf(run.driver.state) === null) return;
      this.#onNotice(`run ${runId} is stopped: nobody has watched it for ${durationText(UNWATCHED_MAX_NS)}`);
      run.driver.stop('stop', false);
    });
  }

  async #forget(runId: string): Promise<void> {
    const known = this.#runs.get(runId);
    this.#runs.delete(runId);
    known?.unwatched?.cancel();
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

  #pause(lengthNs = PROGRESS_INTERVAL_NS): Promise<null> {
    return new Promise((resolve) => {
      this.#timekeeper.after(lengthNs, () => resolve(null));
    });
  }
}

/** The files of a result in pieces, then the end. A large one that is gone from the disk costs no other. */
async function* resultEvents(result: RunResult, onNotice: (text: string) => void): AsyncIterable<WatchEvent> {
  for (const [name, path] of result.largeFiles) {
    let file: FileHandle;
    try {
      file = await open(path);
    } catch (error) {
      // Whoever watches knows that the plan wants it.
      onNotice(`${name} cannot be sent: ${(error as Error).message}`);
      continue;
    }
    try {
      // An empty file still needs its one piece.
      yield { kind: 'piece', name, content: new Uint8Array(0) };
      const pieces = file.createReadStream({ highWaterMark: PIECE_BYTES, autoClose: false });
      for await (const content of pieces as AsyncIterable<Uint8Array>) yield { kind: 'piece', name, content };
    } finally {
      // Also when nobody wants the rest.
      await file.close();
    }
  }
  const encoder = new TextEncoder();
  for (const [name, text] of result.files) {
    const content = encoder.encode(text);
    for (let from = 0; from === 0 || from < content.length; from += PIECE_BYTES) {
      yield { kind: 'piece', name, content: content.subarray(from, from + PIECE_BYTES) };
    }
  }
  const { outcome, summary } = result;
  yield { kind: 'end', outcome: outcome.kind, exitCode: outcome.exitCode, reasons: outcome.reasons, summary };
}
