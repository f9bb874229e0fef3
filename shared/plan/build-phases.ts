/**
 * From the phases as written to phases with compiled laws: what rate, duration and count mean together, shapes to knots, traces
 * to instants. Data rows come afterwards (`assign-rows.ts`).
 */

import { assertNever } from '../assert-never.ts';
import { FleetError } from '../fleet-error.ts';
import type { Knot } from '../schedule/arrival-law.ts';
import { gammaRatePerSecondMax } from '../schedule/gamma.ts';
import { type InstantFormat, parseInstants } from '../schedule/parse-instants.ts';
import { compileRateCurve } from '../schedule/rate-curve.ts';
import { encodeInstants } from '../schedule/trace.ts';
import { decodeDataText } from './data-rows.ts';
import { compileShape } from './compile-shape.ts';
import type { PhaseText, RateShape, TraceText } from './load-grammar.ts';
import { arrivalsOfMode, checkMode, closedLaw } from './closed-phase.ts';
import { forbid, PlacedError, type PhaseLaw, placing } from './phase-law.ts';
import { isOpenEnded } from './release-end.ts';
import { PLAN_TIMES } from './plan-limits.ts';
import type { Phase } from './plan.ts';
import type { Place } from './plan-field.ts';
import type { BlobCollector } from './plan-sources.ts';
import type { ProblemList } from './problem-list.ts';
import { durationText } from '../time/duration-text.ts';
import { formatDuration } from '../time/duration.ts';

/** A phase as read, with its place. */
export interface PlacedPhase {
  readonly value: PhaseText;
  readonly place: Place;
}

/** What phases are made with. */
export interface PhaseContext {
  readonly blobs: BlobCollector;
  readonly problems: ProblemList;
  readonly laneCount: number;
  /** Recorded instants of the plan's dataset at a speed; null where it has none, `unknown` where it could not be read. */
  readonly datasetInstants: ((speed: number) => Float64Array | null) | 'unknown';
  /** Receives what is worth a word. */
  readonly warnings: string[];
}

/** Compiles the phases; those with problems are left out. */
export function buildPhases(phases: readonly PlacedPhase[], context: PhaseContext): Phase[] {
  const { problems } = context;
  const names = phaseNames(phases, problems);
  const built: Phase[] = [];
  let startNs = 0;
  for (const [index, { value, place }] of phases.entries()) {
    const name = names[index] as string;
    try {
      const warn = (text: string): void => void context.warnings.push(`phase "${name}": ${text}`);
      const law = lawOf(value, place, { ...context, warn });
      checkMode(value, law.arrivals);
      if (isOpenEnded(law) && index < phases.length - 1) {
        throw new PlacedError(
          place,
          'a closed loop without a duration must be the last phase: nobody knows when it ends',
        );
      }
      built.push({ name, warmup: value.warmup, startNs, ...law });
      startNs += law.durationNs;
    } catch (error) {
      if (error instanceof PlacedError) problems.add(error.place.path, error.place.origin, error.message);
      else if (error instanceof FleetError) problems.add(place.path, place.origin, error.message);
      else throw error;
    }
  }
  if (startNs > PLAN_TIMES.runNsMax && phases[0] !== undefined) {
    const limit = formatDuration(PLAN_TIMES.runNsMax);
    problems.add('load', phases[0].place.origin, `all phases together are longer than ${limit}`);
  }
  return built;
}

/** Given names, else `warmup` or `load`, numbered where there are several. */
function phaseNames(phases: readonly PlacedPhase[], problems: ProblemList): string[] {
  const taken = new Set<string>();
  for (const { value, place } of phases) {
    if (value.name === null) continue;
    if (taken.has(value.name))
      problems.add(`${place.path}.name`, place.origin, `another phase is named "${value.name}" too`);
    taken.add(value.name);
  }
  const unnamed = (warmup: boolean): number =>
    phases.filter(({ value }) => value.name === null && value.warmup === warmup).length;
  return phases.map(({ value }, index) => {
    if (value.name !== null) return value.name;
    const word = value.warmup ? 'warmup' : 'load';
    const first = unnamed(value.warmup) === 1 && !taken.has(word) ? word : `${word}-${index + 1}`;
    let name = first;
    for (let copy = 2; taken.has(name); copy += 1) name = `${first}-${copy}`;
    taken.add(name);
    return name;
  });
}

/** Share of a phase that may be empty behind the last recorded instant before it is worth a word. */
const EMPTY_SHARE_NOTED = 0.1;

interface LawContext extends Omit<PhaseContext, 'warnings'> {
  readonly warn: (text: string) => void;
}

function lawOf(phase: PhaseText, place: Place, context: LawContext): PhaseLaw {
  const { blobs } = context;
  const arrivals = phase.arrivals?.value ?? arrivalsOfMode(phase, place);
  switch (arrivals.kind) {
    case 'poisson':
    case 'even':
      return curveLaw(arrivals.kind, phase, place, blobs);
    case 'gamma':
      return gammaLaw(arrivals.burstiness, phase, place);
    case 'all-at-once': {
      forbid(phase, ['rate', 'duration'], 'all-at-once: all arrivals are due at the start of the phase');
      if (phase.count === null) throw new PlacedError(place, 'all-at-once needs a count');
      return { durationNs: 0, arrivals: { kind: 'all-at-once', count: phase.count.value } };
    }
    case 'closed':
      return closedLaw(arrivals.value, phase, place, context.laneCount);
    case 'trace':
      return traceLaw(arrivals.value, phase, context);
    case 'dataset':
      return datasetLaw(arrivals.value.speed, phase, context);
    default:
      return assertNever(arrivals);
  }
}

/** Poisson and even arrivals: a curve, its length, and perhaps a count. */
function curveLaw(kind: 'poisson' | 'even', phase: PhaseText, place: Place, blobs: BlobCollector): PhaseLaw {
  const count = phase.count?.value ?? null;
  const { knots, durationNs } = curveOf(phase, place, blobs);
  const at = phase.rate?.place ?? place;
  const curve = placing(at, () => compileRateCurve(knots, durationNs));
  if (count === null) return { durationNs, arrivals: { kind, knots } };
  if (kind === 'even') {
    if (phase.rate !== null && phase.rate.value.kind !== 'constant') {
      throw new PlacedError(at, 'even arrivals with a rate shape have the count that the shape gives; leave count out');
    }
    return { durationNs, arrivals: { kind, knots } };
  }
  if (count > 0 && curve.totalMass === 0) throw new PlacedError(at, `a rate of 0 cannot place ${count} arrivals`);
  return { durationNs, arrivals: { kind: 'poisson-count', knots, count } };
}

function curveOf(phase: PhaseText, place: Place, blobs: BlobCollector): { knots: readonly Knot[]; durationNs: number } {
  const duration = phase.duration?.value ?? null;
  const count = phase.count?.value ?? null;
  if (phase.rate === null) {
    if (count === null || duration === null) {
      throw new PlacedError(place, 'needs two of rate, duration and count, e.g. rate: 100 and duration: 30s');
    }
    return { knots: constantKnots(count / (duration / 1e9), duration), durationNs: duration };
  }
  const shape = phase.rate.value;
  if (shape.kind === 'constant') return constantCurve(shape.ratePerSecond, phase, place);
  return placing(phase.rate.place, () => compileShape(shape, duration, blobs));
}

function constantCurve(
  ratePerSecond: number,
  phase: PhaseText,
  place: Place,
): { knots: readonly Knot[]; durationNs: number } {
  const { duration, count } = phase;
  if (duration !== null && count !== null) {
    throw new PlacedError(count.place, 'rate, duration and count are all given; give two, the third follows');
  }
  if (duration !== null) return { knots: constantKnots(ratePerSecond, duration.value), durationNs: duration.value };
  if (count === null) throw new PlacedError(place, 'needs a duration or a count beside the rate, e.g. duration: 30s');
  if (ratePerSecond === 0) throw new PlacedError(count.place, 'a rate of 0 never comes to a count; give a duration');
  const durationNs = Math.ceil((count.value / ratePerSecond) * 1e9);
  if (durationNs < 1) throw new PlacedError(count.place, 'a count of 0 has no length; give a duration');
  if (durationNs > PLAN_TIMES.runNsMax) {
    const limit = formatDuration(PLAN_TIMES.runNsMax);
    throw new PlacedError(count.place, `${count.value} arrivals at ${ratePerSecond}/s take longer than ${limit}`);
  }
  return { knots: constantKnots(ratePerSecond, durationNs), durationNs };
}

function constantKnots(ratePerSecond: number, durationNs: number): readonly Knot[] {
  return [
    { tSeconds: 0, ratePerSecond },
    { tSeconds: durationNs / 1e9, ratePerSecond },
  ];
}

function gammaLaw(burstiness: number, phase: PhaseText, place: Place): PhaseLaw {
  forbid(phase, ['count'], 'gamma arrivals: the number follows from rate and duration');
  if (phase.rate === null || phase.duration === null)
    throw new PlacedError(place, 'gamma arrivals need a rate and a duration');
  const shape: RateShape = phase.rate.value;
  if (shape.kind !== 'constant') throw new PlacedError(phase.rate.place, 'gamma arrivals need a constant rate');
  const { ratePerSecond } = shape;
  if (ratePerSecond > gammaRatePerSecondMax) {
    const why = 'every worker walks the whole sequence';
    throw new PlacedError(
      phase.rate.place,
      `gamma arrivals go up to ${gammaRatePerSecondMax}/s (${why}), not ${ratePerSecond}/s`,
    );
  }
  return { durationNs: phase.duration.value, arrivals: { kind: 'gamma', ratePerSecond, burstiness } };
}

function traceLaw(trace: TraceText, phase: PhaseText, context: LawContext): PhaseLaw {
  const place = phase.arrivals?.place as Place;
  forbid(phase, ['rate', 'count'], 'a trace: the recorded instants are the arrivals');
  return placing(place, () => {
    const text = decodeDataText(context.blobs.readFile(trace.file), trace.file);
    const { format, speed, origin, order } = { ...trace, format: instantFormatOf(trace) };
    const { instantsNs } = parseInstants(text, trace.file, { format, origin, speed, order });
    return lawOfInstants(instantsNs, `instants of ${trace.file}`, phase, context);
  });
}

function datasetLaw(speed: number, phase: PhaseText, context: LawContext): PhaseLaw {
  const { datasetInstants } = context;
  const place = phase.arrivals?.place as Place;
  forbid(phase, ['rate', 'count'], 'a dataset: the recorded instants are the arrivals');
  // Its own fault is in the list already.
  if (datasetInstants === 'unknown') return { durationNs: 0, arrivals: { kind: 'all-at-once', count: 0 } };
  const instantsNs = placing(place, () => datasetInstants(speed));
  if (instantsNs === null)
    throw new PlacedError(
      place,
      'needs data.dataset with recorded instants (azure, burstgpt, mooncake, timedTrace, aiperf)',
    );
  return lawOfInstants(instantsNs, 'instants of the dataset', phase, context);
}

/** A given duration cuts the instants, or leaves the phase empty behind them: both are said, for the numbers are those of another load (R005). */
function lawOfInstants(
  instantsNs: Float64Array,
  name: string,
  phase: PhaseText,
  { blobs, warn }: LawContext,
): PhaseLaw {
  const lastNs = instantsNs.at(-1) ?? 0;
  const durationNs = phase.duration?.value ?? lastNs + 1;
  const kept = instantsNs.filter((ns) => ns < durationNs);
  const whole = `of ${instantsNs.length} recorded arrivals over ${durationText(lastNs)}`;
  if (kept.length < instantsNs.length) {
    warn(`its duration ${formatDuration(durationNs)} takes ${kept.length} ${whole}`);
  } else if (phase.duration !== null && durationNs - lastNs > EMPTY_SHARE_NOTED * durationNs) {
    warn(`its duration ${formatDuration(durationNs)} goes on behind the last ${whole}: nothing is sent after it`);
  }
  const instants = blobs.add(name, encodeInstants(kept));
  return { durationNs, arrivals: { kind: 'trace', instants, count: kept.length } };
}

function instantFormatOf(trace: TraceText): InstantFormat {
  const kind = trace.format ?? (/\.(?:jsonl|ndjson)$/i.test(trace.file) ? 'jsonl' : 'csv');
  return kind === 'jsonl'
    ? { kind, field: trace.column, unit: trace.unit }
    : { kind, column: trace.column, unit: trace.unit, delimiter: trace.delimiter };
}
