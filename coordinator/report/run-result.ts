/**
 * From the facts and the sums of a run to everything that is printed, stored and returned. Making the report never fails
 * because of what the run did: a run without one request, or whose books do not balance, gets a full report that says so.
 */
import type { BlobStore } from '../../shared/plan/blob-ref.ts';
import type { CertifiedRate } from '../../shared/calibration/calibration.ts';
import { planToJson } from '../../shared/plan/plan-json.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import { rateLengthNs } from '../../shared/plan/rate-length.ts';
import { createRedactor } from '../../shared/plan/redact-secrets.ts';
import { seedFromBigInt } from '../../shared/random/seed.ts';
import { countArrivals } from '../../shared/schedule/count-arrivals.ts';
import { type Accounting, failureShareOf } from '../merge/accounting.ts';
import { type ArrivalCounter, balanceBooks } from '../merge/books.ts';
import type { RunMerge } from '../merge/run-merge.ts';
import type { WindowRow } from '../merge/window-rows.ts';
import type { RunRecord } from '../run/run-record.ts';
import { certifiedRateWarning, plannedAgainst } from '../verdict/certified-rate-gate.ts';
import type { CalibrationRecheck } from '../verdict/recheck-gate.ts';
import { judgedExcess, observedWorkerNs, receiveDelayOf } from './excess-part.ts';
import { type FidelityValue, fidelityValue } from './fidelity-value.ts';
import { fidelityEvidence } from './harness-evidence.ts';
import { jsonInteger } from './json-integer.ts';
import { lateTokensOf } from './late-tokens.ts';
import { llmValue } from './llm-value.ts';
import { vllmValue } from './llm-vllm.ts';
import { hlogFiles } from './hlog-files.ts';
import { outcomeOfRun, type RunOutcome } from './outcome-of-run.ts';
import { hideNamedSecrets } from './hide-named-secrets.ts';
import { redactValue } from './redact-value.ts';
import {
  agentValues,
  failureValues,
  gaugeValues,
  phaseValues,
  windowValues,
  workloadValues,
  workloadWarnings,
} from './result-parts.ts';
import { REQUEST_FILE } from './request-file.ts';
import { type JsonValue, type RequestsValue, RESULT_SCHEMA, type ResultValue, type RunValue } from './result-value.ts';
import { datasetValue, datasetWarnings } from './dataset-value.ts';
import { serverValues, serverWarnings } from './server-value.ts';
import { sessionValue } from './session-value.ts';
import { ownWords } from './own-words.ts';
import { statisticsOf } from './percentile-statistics.ts';
import { ranNsOf } from './phase-span.ts';
import { lostSlotsOf, type RunData, verdictOn } from './run-verdict.ts';
import { phaseData, type ScopeData, sumData } from './scope-data.ts';
import { summaryOf } from './summary.ts';
import { sloOf } from './slo-of.ts';
import { judgeThreshold } from './thresholds.ts';
import { windowsCsv } from './windows-csv.ts';
import { workLengthOf } from './work-length.ts';

/** A finished run as the outside sees it. Every text in it is already free of secrets (R106). */
export interface RunResult {
  /** The value of `result.json`. */
  readonly value: ResultValue;
  /** The measured phases as counters and histograms, for whoever computes further. */
  readonly measured: ScopeData;
  /** Which exit code, and why. */
  readonly outcome: RunOutcome;
  /** Console summary and `summary.txt`, ends in a newline. */
  readonly summary: string;
  /** Content of every file of the result folder by name; all plain UTF-8 text. May cross the wire to a distant CLI. */
  readonly files: ReadonlyMap<string, string>;
  /** Files that are too large for memory: name to the path of a temporary one, which whoever takes the result removes. */
  readonly largeFiles: ReadonlyMap<string, string>;
}

/** A secret that is no word of the plan's own. */
const LONG_SECRET_LENGTH_MIN = 8;

/**
 * Makes the result of a run: balances the books, judges, writes every file in memory. `blobs` are the plan's files: a trace
 * is counted from them. `machine`: what is known of the agents' machine.
 */
export function buildRunResult(
  record: RunRecord,
  merge: RunMerge,
  blobs: BlobStore,
  machine: KnownMachine = UNKNOWN_MACHINE,
): RunResult {
  const redact = createRedactor(record.secrets);
  const books = balanceBooks(record, merge, arrivalCounter(record, blobs));
  const gauges = merge.telemetry.summaries();
  const phases = record.plan.phases.map((phase, index) =>
    phaseData(
      merge,
      books,
      index,
      rateLengthNs(phase),
      workLengthOf(record.plan, index, books.phases[index] as Accounting, gauges),
    ),
  );
  const measured = sumData(phases.filter((_, index) => record.plan.phases[index]?.warmup === false));
  const value = redactValue(resultValue(record, merge, { books, phases, measured }, machine), redact, ownWords);
  const summary = summaryOf(value);
  const files = new Map([
    ['result.json', `${JSON.stringify(value, null, 2)}\n`],
    ['summary.txt', summary],
    ['windows.csv', windowsCsv(value)],
    ['plan.effective.yaml', redactWhole(record)],
    ...hlogFiles(record.plan, merge, record.startedAtMs),
    ...vllmFiles(value, measured, record.plan),
  ]);
  const { requestFile } = record;
  const largeFiles = new Map(requestFile === null ? [] : [[REQUEST_FILE, requestFile.path]]);
  return { value, measured, outcome: value.run.outcome, summary, files, largeFiles };
}

/**
 * The effective plan had its secrets taken out value by value when it was made. Only long ones are looked for again: a short one, such as
 * the key `none`, would take its keys and defaults apart, and it could not be run again.
 */
function redactWhole({ secrets, effectiveYaml }: RunRecord): string {
  return createRedactor(secrets.filter(({ length }) => length >= LONG_SECRET_LENGTH_MIN))(effectiveYaml);
}

/** The result under vLLM's keys, for a plan with LLM requests. Made from the redacted value. */
function vllmFiles(value: ResultValue, measured: ScopeData, plan: Plan): readonly (readonly [string, string])[] {
  if (value.llm === null) return [];
  const facts = {
    startedAt: value.run.startedAt,
    api: plan.requests.find(({ llm }) => llm !== null)?.llm?.api ?? '',
    requestRate: value.rate.intendedPerSecond,
    arrivals: plan.phases.find(({ warmup }) => !warmup)?.arrivals ?? null,
    goodputPerSecond: value.slo?.goodputPerSecond ?? null,
  };
  return [['llm-vllm.json', `${JSON.stringify(vllmValue(value.llm, measured, facts), null, 2)}\n`]];
}

/** What is known of the machine that the agents ran on, apart from what they say themselves. */
export interface KnownMachine {
  /** What its calibration says. */
  readonly certified: CertifiedRate;
  /** Checks of it before and after the run; null where nobody asked. */
  readonly recheck: CalibrationRecheck | null;
}

/** Without a word about the machine. */
const UNKNOWN_MACHINE: KnownMachine = {
  certified: { kind: 'none', reason: 'no calibration of the agents’ machines is at hand' },
  recheck: null,
};

function resultValue(record: RunRecord, merge: RunMerge, data: RunData, machine: KnownMachine): ResultValue {
  const { plan } = record;
  const { books, phases, measured } = data;
  const measuredPhases = plan.phases.filter((phase) => !phase.warmup);
  const lost = lostSlotsOf(merge);
  const workload = workloadValues(plan, merge);
  const dataset = datasetValue(plan, books.total.scheduled - books.total.followUps);
  const receiveDelay = receiveDelayOf(measured, observedWorkerNs(record, measuredPhases, lost.length));
  const planned = plannedAgainst(machine.certified, plan, record.workerSlots);
  const verdict = verdictOn(record, merge, data, {
    excess: judgedExcess(plan, measured, receiveDelay),
    planned,
    recheck: machine.recheck,
  });
  const thresholds = plan.thresholds.map((threshold) => judgeThreshold(threshold, measured, plan.slo.length > 0));
  const outcome = outcomeOfRun({
    end: record.end,
    failOn: plan.failOn,
    verdict,
    thresholds,
    total: books.total,
    measured: measured.accounting,
  });
  return {
    schema: RESULT_SCHEMA,
    run: runValue(record, outcome),
    verdict,
    accounting: books.total,
    measured: {
      phases: measuredPhases.map((phase) => phase.name),
      lengthNs: measured.lengthNs,
      ranNs: ranNsOf(measuredPhases, record.end),
      accounting: measured.accounting,
    },
    failureShare: failureShareOf(measured.accounting),
    rate: measured.rate(),
    metrics: measured.metrics(),
    metricsFailed: measured.metricsFailed(),
    responseWithFailures: measured.responseWithFailures().value(),
    statistics: statisticsOf(measured, measuredRows(plan, merge), receiveDelay),
    slo: sloOf(plan, measured),
    llm: llmValue(plan, measured, lateTokensOf(plan, merge)),
    thresholds,
    fidelity: measuredFidelity(record, merge),
    traffic: measured.traffic(),
    phases: phaseValues(record, merge, phases, lost.length),
    workload,
    agents: agentValues(record, merge, books),
    windows: windowValues(record, merge),
    gauges: gaugeValues(merge),
    dataset,
    sessions: sessionValue(plan, measured),
    server: serverValues(record.servers, plan.phases),
    requests: requestsValue(record),
    failures: failureValues(merge, record.secrets),
    calibrationRecheck: machine.recheck,
    warnings: [
      ...[certifiedRateWarning(planned)].filter((text) => text !== null),
      ...record.warnings,
      ...serverWarnings(record.servers),
      ...datasetWarnings(dataset),
      ...workloadWarnings(workload, measured.accounting),
      ...merge.warnings
        .entries()
        .map((entry) => entry.text)
        .sort(),
    ],
  };
}

function runValue(record: RunRecord, outcome: RunOutcome): RunValue {
  const { end } = record;
  return {
    id: record.runId,
    trial: record.trial,
    startedAt: new Date(record.startedAtMs).toISOString(),
    durationNs: record.durationNs,
    seed: jsonInteger(record.plan.seed),
    loadfleetVersion: record.loadfleetVersion,
    command: record.command,
    plan: planValue(record.plan),
    end: {
      kind: end.kind,
      atNs: end.kind === 'finished' ? null : end.atNs,
      reason: end.kind === 'finished' ? null : end.kind === 'failed' ? end.reason : end.signal,
      abrupt: end.kind === 'interrupted' && end.abrupt,
    },
    outcome,
    workerSlots: record.workerSlots,
  };
}

function planValue(plan: Plan): JsonValue {
  return JSON.parse(new TextDecoder().decode(planToJson(hideNamedSecrets(plan)))) as JsonValue;
}

function requestsValue({ plan, requestFile }: RunRecord): RequestsValue | null {
  const limit = plan.output.perRequestLimit;
  if (limit === null || requestFile === null) return null;
  const { written, leftOut, problem } = requestFile;
  return { file: REQUEST_FILE, limit, written, leftOut, problem };
}

/** Windows of the measured phases in order of phase and time. */
function measuredRows(plan: Plan, merge: RunMerge): readonly WindowRow[] {
  return plan.phases.flatMap((phase, index) => (phase.warmup ? [] : merge.rows.ofPhase(index)));
}

function measuredFidelity(record: RunRecord, merge: RunMerge): FidelityValue {
  const { slots, fleet } = fidelityEvidence(record, merge, true);
  return fidelityValue(slots, fleet);
}

/** Counts on the plan's own schedule (M§1.3). */
function arrivalCounter(record: RunRecord, blobs: BlobStore): ArrivalCounter {
  const { plan, trial } = record;
  const basis = {
    seed: seedFromBigInt(plan.seed),
    trial,
    laneCount: plan.laneCount,
    phases: plan.phases.map(({ startNs, durationNs, arrivals }) => ({ startNs, durationNs, law: arrivals })),
    blobs,
  };
  return (phase, lanes, fromNs, toNs) => countArrivals(basis, { phase, lanes, fromNs, toNs });
}
