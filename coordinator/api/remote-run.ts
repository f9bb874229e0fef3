/**
 * Runs a plan on a coordinator that runs elsewhere, from the command line's side: uploads, follows, passes signals on, and
 * collects the result's files, which are then written where the user is. What comes back is the same as from an embedded run.
 */
import { createHash } from 'node:crypto';
import { FleetError } from '../../shared/fleet-error.ts';
import { planToJson } from '../../shared/plan/plan-json.ts';
import type { FleetEndpoint } from '../../shared/rpc/fleet-client.ts';
import { PLAN_BYTES_MAX, PROTOCOL } from '../../shared/rpc/protocol.ts';
import { RunsClient } from '../../shared/rpc/runs-client.ts';
import type { RunProgress, StopSignal, WatchEvent } from '../../shared/rpc/runs-message.ts';
import { hostTimekeeper } from '../../shared/time/timekeeper.ts';
import { LargePieces } from './large-pieces.ts';
import { REQUEST_FILE, removeLargeFiles } from '../report/request-file.ts';
import type { RunRequest } from '../run/run-request.ts';
import type { StopRequests } from '../run/stop-requests.ts';

/** Largest result that is taken from a coordinator, all files together, in bytes. */
const RESULT_BYTES_MAX = 256 * 1024 * 1024;
/** How often in a row a lost link is dialled again before the run is given up, and how long after each loss, ns. */
const TRIES_MAX = 10;
const TRY_AGAIN_NS = 1_000_000_000;

export interface RemoteRunOptions {
  readonly endpoint: FleetEndpoint;
  readonly request: RunRequest;
  readonly stops: StopRequests;
  readonly onProgress: (progress: RunProgress) => void;
  readonly onNotice: (text: string) => void;
}

/** A run's result as it came over the wire. */
export interface RemoteResult {
  readonly runId: string;
  readonly outcome: { readonly kind: string; readonly exitCode: number; readonly reasons: readonly string[] };
  readonly summary: string;
  /** Content of every file of the result folder by name. */
  readonly files: ReadonlyMap<string, string>;
  /** Files that are too large for memory: name to the path of a temporary one, which whoever takes the result removes. */
  readonly largeFiles: ReadonlyMap<string, string>;
  /** Large files that could not be kept here: name to the reason. */
  readonly missing: ReadonlyMap<string, string>;
}

/**
 * Submits, watches and returns the result. @throws FleetError `refused` or `plan` as the coordinator says, `lost` when it
 * cannot be reached or goes away before the run has ended. A link that breaks for seconds costs nothing: the run goes on without it.
 */
export async function runRemote(options: RemoteRunOptions): Promise<RemoteResult> {
  const { endpoint, request } = options;
  const { plan, blobs, effectiveYaml, secrets } = request.bundle;
  const planJson = planToJson(plan);
  if (planJson.length > PLAN_BYTES_MAX) {
    throw new FleetError('plan', `plan: ${planJson.length} bytes as JSON, the limit is ${PLAN_BYTES_MAX}`);
  }
  const client = new RunsClient(endpoint);
  try {
    const planSha256 = createHash('sha256').update(planJson).digest('hex');
    const header = { protocol: PROTOCOL, planJson, planSha256, effectiveYaml, secrets, command: request.command };
    const runId = await client.submit(header, blobs);
    const result = await follow(client, runId, options);
    const isThere = result.largeFiles.has(REQUEST_FILE) || result.missing.has(REQUEST_FILE);
    if (plan.output.perRequestLimit === null || isThere) return result;
    return { ...result, missing: new Map([...result.missing, [REQUEST_FILE, 'the coordinator did not send it']]) };
  } finally {
    client.close();
  }
}

/** Watches a run to its end and passes stops on, over as many links as it takes. */
async function follow(client: RunsClient, runId: string, options: RemoteRunOptions): Promise<RemoteResult> {
  const { stops, onProgress, onNotice } = options;
  const undelivered: StopSignal[] = [];
  const stop = async (signal: StopSignal): Promise<void> => {
    try {
      await client.stop(runId, signal, false);
    } catch (error) {
      undelivered.push(signal);
      onNotice(`stop: ${(error as Error).message}`);
    }
  };
  const unsubscribe = stops.subscribe((signal) => void stop(signal));
  let tries = 0;
  let furthestNs = 0;
  try {
    for (;;) {
      try {
        return await collect(runId, client.watch(runId), (progress) => {
          // Only a run that goes on: one whose result never comes over is not asked for without end.
          if (progress.elapsedNs > furthestNs) tries = 0;
          furthestNs = Math.max(furthestNs, progress.elapsedNs);
          onProgress(progress);
        });
      } catch (error) {
        if (!(error instanceof FleetError) || error.code !== 'lost' || tries === TRIES_MAX) throw error;
        if (tries === 0) onNotice(`${error.message}; dialling again`);
        tries += 1;
      }
      await new Promise<void>((resolve) => void hostTimekeeper.after(TRY_AGAIN_NS, resolve));
      for (const signal of undelivered.splice(0)) await stop(signal);
    }
  } finally {
    unsubscribe();
  }
}

/** @throws FleetError; nothing of the result is left then. */
async function collect(
  runId: string,
  events: AsyncIterable<WatchEvent>,
  onProgress: (progress: RunProgress) => void,
): Promise<RemoteResult> {
  const large = new LargePieces();
  try {
    return await collectInto(large, runId, events, onProgress);
  } catch (error) {
    await removeLargeFiles(large.files);
    throw error;
  }
}

async function collectInto(
  large: LargePieces,
  runId: string,
  events: AsyncIterable<WatchEvent>,
  onProgress: (progress: RunProgress) => void,
): Promise<RemoteResult> {
  const pieces = new Map<string, Uint8Array[]>();
  let bytes = 0;
  for await (const event of events) {
    switch (event.kind) {
      case 'progress':
        onProgress(event.progress);
        break;
      case 'piece':
        if (event.name === REQUEST_FILE) {
          await large.add(event.name, event.content);
          break;
        }
        bytes += event.content.length;
        if (bytes > RESULT_BYTES_MAX) {
          throw new FleetError('protocol', `result: more than the limit of ${RESULT_BYTES_MAX} bytes`);
        }
        pieces.set(event.name, [...(pieces.get(event.name) ?? []), event.content]);
        break;
      case 'end': {
        const { outcome, exitCode, reasons, summary } = event;
        const files = new Map(Array.from(pieces, ([name, parts]) => [name, Buffer.concat(parts).toString('utf8')]));
        return {
          runId,
          outcome: { kind: outcome, exitCode, reasons },
          summary,
          files,
          largeFiles: large.files,
          missing: large.missing,
        };
      }
    }
  }
  throw new FleetError('lost', 'the coordinator went away before the run had ended');
}
