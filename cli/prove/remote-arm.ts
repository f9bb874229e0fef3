/**
 * One run on the fleet of a coordinator elsewhere as a side of a proof. Only its files come here, so what `result.json` does not have
 * is read from `response.hlog`: exact counts, values to the edges of their buckets (0.1 %).
 */

import { type RemoteResult, runRemote } from '../../coordinator/api/remote-run.ts';
import { percentilesOfBlocks } from '../../coordinator/report/block-percentiles.ts';
import { PERCENTILES } from '../../coordinator/report/metric-summary.ts';
import type { ResultValue } from '../../coordinator/report/result-value.ts';
import { FleetError } from '../../shared/fleet-error.ts';
import { Histogram } from '../../shared/histogram/histogram.ts';
import { hlogTag, readHlog } from '../../shared/histogram/hlog.ts';
import type { PlanBundle } from '../../shared/plan/plan.ts';
import { exitCodeOfSignal } from '../exit-code.ts';
import type { Signals } from '../signals.ts';
import type { ArmRun, RunFleet } from './proof.ts';

/** A run that is over, and the fleet it really had. */
export interface RemoteArm {
  readonly run: ArmRun;
  readonly fleet: RunFleet;
}

/**
 * Runs `bundle` on the fleet of `coordinator` (`HOST:PORT`).
 * @throws FleetError `interrupted` when a signal came, `internal` when the run could not be run to its end; as `runRemote` else.
 */
export async function runThere(
  bundle: PlanBundle,
  percentile: number,
  options: {
    readonly coordinator: string;
    readonly command: string;
    readonly signals: Signals;
    readonly onNotice: (text: string) => void;
  },
): Promise<RemoteArm> {
  const { coordinator, command, signals, onNotice } = options;
  // Nobody publishes these runs, so nobody would take the file.
  const plan = { ...bundle.plan, output: { ...bundle.plan.output, perRequestLimit: null } };
  const result = await runRemote({
    endpoint: { address: coordinator, security: { kind: 'loopback' } },
    request: { bundle: { ...bundle, plan }, command },
    stops: signals,
    onProgress: () => undefined,
    onNotice,
  });
  if (signals.first !== null) {
    throw new FleetError('interrupted', `stopped by ${signals.first} (exit code ${exitCodeOfSignal(signals.first)})`);
  }
  return remoteArmOf(result, percentile);
}

/** What the files of a run say. @throws FleetError `internal` when it was not finished, `protocol` when a file is missing or not ours. */
export function remoteArmOf({ files }: Pick<RemoteResult, 'files'>, percentile: number): RemoteArm {
  const value = JSON.parse(fileOf(files, 'result.json')) as ResultValue;
  const { run, verdict, metrics, statistics, measured } = value;
  if (run.end.kind !== 'finished') {
    throw new FleetError('internal', `a run of this series was not finished: ${run.end.reason ?? run.end.kind}`);
  }
  const parts = readHlog(fileOf(files, 'response.hlog'), hlogTag('response'));
  const whole = new Histogram();
  for (const part of parts) whole.add(part);
  const asked = String(percentile);
  const response = metrics['response'];
  const known: Readonly<Record<string, number | null>> = response?.percentiles ?? {};
  const read = whole.percentile(percentile);
  const own = read === null ? null : Math.min(read, response?.max ?? read);
  const keys = [...PERCENTILES, asked];
  const judged = statistics.metrics.response as Readonly<Record<string, { excess: { bound: number } | null } | null>>;
  return {
    run: {
      runId: run.id,
      seed: String(run.seed),
      status: verdict.status,
      ok: measured.accounting.ok,
      failureShare: value.failureShare,
      percentiles: Object.fromEntries(keys.map((key) => [key, key in known ? (known[key] ?? null) : own])),
      blocks: percentilesOfBlocks(
        parts.map((part) => ({ count: part.count, addTo: (into: Histogram) => into.add(part) })),
        percentile,
      ),
      // A percentile that the result does not judge has no bound there.
      excessBound: judged[asked]?.excess?.bound ?? null,
    },
    fleet: { agents: value.agents.length, workerSlots: run.workerSlots },
  };
}

function fileOf(files: ReadonlyMap<string, string>, name: string): string {
  const text = files.get(name);
  if (text === undefined) throw new FleetError('protocol', `the coordinator sent no ${name}`);
  return text;
}
