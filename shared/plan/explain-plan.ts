/**
 * What a plan would do, without doing it: phases with their arrivals, curves, lanes per worker slot, limits as products over the fleet,
 * and the first requests as they would be sent, secrets redacted. Pure: counts come from the seed, not from a run.
 */

import { assertNever } from '../assert-never.ts';
import { seedFromBigInt } from '../random/seed.ts';
import type { ArrivalLaw, ClosedLaw, Knot } from '../schedule/arrival-law.ts';
import { outlineOf } from '../schedule/phase-outline.ts';
import type { ScheduleBasis } from '../schedule/phase-stream.ts';
import { compileRateCurve } from '../schedule/rate-curve.ts';
import { readDataTable } from './data-rows.ts';
import { hideSecretsOfUrl } from './find-secrets.ts';
import { type LoadMode, modeOf, notShownBy } from './load-mode.ts';
import { type ParsedPlan, REFERENCE_PLACEHOLDER } from './parse-plan.ts';
import type { Phase, Plan, RequestTemplate } from './plan.ts';
import { createRedactor, REDACTED, type Redact } from './redact-secrets.ts';
import { isSecretName } from './secret-names.ts';
import { compileTemplate, renderTemplate } from './template.ts';

/** Arrivals up to which a phase is counted exactly; about a second of work. */
const COUNTED_MAX = 200_000_000;
/** Lanes per worker slot below which the shares of slots differ by more than a few per cent (M§1.3). */
const LANES_PER_SLOT_MIN = 64;
/** Intended instants shown per phase. */
const INSTANTS_SHOWN = 3;

/** One phase. Counts are of trial 0. */
export interface PhaseExplanation {
  readonly name: string;
  readonly warmup: boolean;
  readonly startNs: number;
  readonly durationNs: number;
  readonly law: ArrivalLaw['kind'];
  readonly mode: LoadMode;
  /** What this mode does not show, in words; null for the open loop. */
  readonly notShown: string | null;
  /** Of a closed loop. */
  readonly closed: Pick<ClosedLaw, 'concurrency' | 'thinkNs' | 'count'> | null;
  /** Expected number of arrivals by the law; null in a closed loop, where the target decides. */
  readonly expected: number | null;
  /** Exact number for this seed; null where counting would take long, and in a closed loop. */
  readonly scheduled: number | null;
  readonly knots: readonly Knot[];
  /** The first intended instants, ns from T0. */
  readonly firstNs: readonly number[];
}

/** One request as it would be sent, with the first data row. */
export interface RequestExplanation {
  readonly name: string;
  /** Share of the arrivals, 0..1. */
  readonly share: number;
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

/** A plan explained. */
export interface PlanExplanation {
  readonly name: string;
  readonly seed: string;
  readonly target: string;
  readonly phases: readonly PhaseExplanation[];
  readonly totalScheduled: number | null;
  readonly totalDurationNs: number;
  readonly fleet: {
    readonly agents: number;
    readonly workersPerAgent: number;
    readonly workerSlots: number;
    readonly lanes: number;
    /** Least and most lanes of a slot. */
    readonly lanesPerSlot: readonly [least: number, most: number];
  };
  /** Over all worker slots. */
  readonly limits: {
    readonly maxInFlight: number;
    /** Null = a phase that is all at once as a whole, others not at all. */
    readonly maxQueue: number | null;
    readonly connections: number;
    /** Of each connection; null = any age. */
    readonly connectionAgeNs: number | null;
  };
  readonly requests: readonly RequestExplanation[];
  readonly data: { readonly file: string; readonly rowCount: number; readonly rows: string } | null;
  readonly files: readonly { readonly name: string; readonly sha256: string; readonly sizeBytes: number }[];
  readonly warnings: readonly string[];
}

/** Explains `parsed` as an embedded fleet on a machine with `cores` would run it where the plan does not say how many workers. */
export function explainPlan(parsed: ParsedPlan, host: { readonly cores: number }): PlanExplanation {
  const { plan, blobs } = parsed;
  const redact = createRedactor(parsed.secrets);
  const basis: ScheduleBasis = {
    seed: seedFromBigInt(plan.seed),
    trial: 0,
    laneCount: plan.laneCount,
    phases: plan.phases.map(({ startNs, durationNs, arrivals }) => ({ startNs, durationNs, law: arrivals })),
    blobs,
  };
  const phases = plan.phases.map((phase, index) => explainPhase(phase, index, basis));
  const counts = phases.filter(({ closed }) => closed === null).map((phase) => phase.scheduled);
  const fleet = explainFleet(plan, host.cores);
  return {
    name: redact(plan.name),
    seed: String(plan.seed),
    target:
      parsed.reference === null
        ? redact(hideSecretsOfUrl(plan.target.url, REDACTED))
        : `reference target, ${parsed.reference}`,
    phases,
    totalScheduled: counts.reduce<number | null>(
      (sum, count) => (sum === null || count === null ? null : sum + count),
      0,
    ),
    totalDurationNs: phases.reduce((sum, phase) => sum + phase.durationNs, 0),
    fleet,
    limits: {
      maxInFlight: plan.limits.maxInFlight * fleet.workerSlots,
      maxQueue: queueOf(plan, fleet.workerSlots),
      connections: plan.limits.connections * fleet.workerSlots,
      connectionAgeNs: plan.limits.connectionAgeNs,
    },
    requests: explainRequests(parsed, redact),
    data: plan.data === null ? null : { file: plan.data.file.name, rowCount: plan.data.rowCount, rows: plan.data.rows },
    files: [...blobs].map(([sha256, bytes]) => ({ name: nameOfBlob(plan, sha256), sha256, sizeBytes: bytes.length })),
    warnings: [...parsed.warnings, ...warningsOf(plan, fleet)],
  };
}

function explainPhase(phase: Phase, index: number, basis: ScheduleBasis): PhaseExplanation {
  const expected = expectedCount(phase);
  const isCounted = expected !== null && expected <= COUNTED_MAX;
  const outline = isCounted ? outlineOf(basis, index, INSTANTS_SHOWN) : null;
  const { arrivals } = phase;
  const mode = modeOf(arrivals);
  return {
    name: phase.name,
    warmup: phase.warmup,
    startNs: phase.startNs,
    durationNs: phase.durationNs,
    law: arrivals.kind,
    mode,
    notShown: notShownBy(mode),
    closed:
      arrivals.kind === 'closed'
        ? { concurrency: arrivals.concurrency, thinkNs: arrivals.thinkNs, count: arrivals.count }
        : null,
    expected,
    scheduled: outline?.count ?? null,
    knots: 'knots' in arrivals ? arrivals.knots : [],
    firstNs: outline?.firstNs ?? [],
  };
}

/** Mean of the number of arrivals; null where no law gives one. */
function expectedCount({ arrivals, durationNs }: Phase): number | null {
  switch (arrivals.kind) {
    case 'poisson':
    case 'even':
      return compileRateCurve(arrivals.knots, durationNs).totalMass;
    case 'poisson-count':
    case 'trace':
    case 'all-at-once':
      return arrivals.count;
    case 'gamma':
      return arrivals.ratePerSecond * (durationNs / 1e9);
    case 'closed':
      return null;
    default:
      return assertNever(arrivals);
  }
}

function explainFleet(plan: Plan, cores: number): PlanExplanation['fleet'] {
  const { agents, workers } = plan.fleet;
  const workersPerAgent = workers ?? Math.max(1, Math.floor((cores - 1) / agents));
  const workerSlots = agents * workersPerAgent;
  const least = Math.floor(plan.laneCount / workerSlots);
  const most = Math.ceil(plan.laneCount / workerSlots);
  return { agents, workersPerAgent, workerSlots, lanes: plan.laneCount, lanesPerSlot: [least, most] };
}

function explainRequests({ plan, blobs, reference }: ParsedPlan, redact: Redact): RequestExplanation[] {
  const total = plan.requests.reduce((sum, request) => sum + request.weight, 0);
  const bytes = plan.data === null ? undefined : blobs.get(plan.data.file.sha256);
  const table = bytes === undefined ? null : readDataTable(bytes, plan.data?.file.name ?? '');
  const columns = table?.columns ?? [];
  const row = table?.rows[0] ?? [];
  const render = (text: string): string => renderTemplate(compileTemplate(text, columns), row);
  return plan.requests.map((request) => ({
    name: redact(request.name),
    share: request.weight / total,
    method: request.method,
    url: redact(
      hideSecretsOfUrl(reference === null ? render(request.url) : withoutPlaceholder(render(request.url)), REDACTED),
    ),
    headers: request.headers.map(
      ([name, value]) => [name, isSecretName(name) ? REDACTED : redact(render(value))] as const,
    ),
    body: redact(describeBody(request, render)),
  }));
}

/** Path and query alone where the reference target has no URL yet; a port that only begins like the placeholder's is another one. */
function withoutPlaceholder(url: string): string {
  const rest = url.startsWith(REFERENCE_PLACEHOLDER) ? url.slice(REFERENCE_PLACEHOLDER.length) : null;
  return rest === null || /^[0-9]/.test(rest) ? url : rest;
}

/** The body's beginning; of a file its name and size. */
function describeBody({ body }: RequestTemplate, render: (text: string) => string): string {
  switch (body.kind) {
    case 'none':
      return '';
    case 'text':
      return render(body.text);
    case 'file':
      return `file ${body.file.name}, ${body.file.sizeBytes} bytes`;
    default:
      return assertNever(body);
  }
}

/** Arrivals of the whole fleet that may wait above `maxInFlight`; null where that is all of a batch. */
function queueOf({ limits, phases }: Plan, workerSlots: number): number | null {
  if (limits.maxQueue !== null) return limits.maxQueue * workerSlots;
  return phases.some(({ arrivals }) => arrivals.kind === 'all-at-once') ? null : 0;
}

function nameOfBlob(plan: Plan, sha256: string): string {
  const refs = [
    ...plan.requests.flatMap(({ body }) => (body.kind === 'file' ? [body.file] : [])),
    ...(plan.data === null ? [] : [plan.data.file]),
    ...plan.phases.flatMap(({ arrivals }) => (arrivals.kind === 'trace' ? [arrivals.instants] : [])),
  ];
  return refs.find((ref) => ref.sha256 === sha256)?.name ?? '';
}

function warningsOf(plan: Plan, fleet: PlanExplanation['fleet']): string[] {
  const warnings: string[] = [];
  const { workerSlots } = fleet;
  if (plan.laneCount < LANES_PER_SLOT_MIN * workerSlots) {
    const needed = 2 ** Math.ceil(Math.log2(LANES_PER_SLOT_MIN * workerSlots));
    warnings.push(
      `lanes: ${plan.laneCount} lanes over ${workerSlots} worker slots are fewer than ${LANES_PER_SLOT_MIN} each, so their shares differ; lanes: ${needed} would do`,
    );
  }
  for (const { name, arrivals } of plan.phases) {
    if (arrivals.kind !== 'closed' || Math.ceil(arrivals.concurrency / workerSlots) <= plan.limits.maxInFlight)
      continue;
    warnings.push(
      `phase "${name}": ${arrivals.concurrency} slots over ${workerSlots} worker slots are more than limits.maxInFlight ${plan.limits.maxInFlight} each: requests above it are dropped`,
    );
  }
  return warnings;
}
