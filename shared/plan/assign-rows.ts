/**
 * What a data file changes in the phases (design §5). With `cycle` and `once` every phase must be one global sequence, so a
 * Poisson phase gets its number of arrivals by one draw from the seed and places them as exact-N, which is exactly Poisson.
 * With `once` the plan ends with the rows: the phase that uses the last one is cut where its rate has brought that many
 * arrivals, and no phase may follow.
 */

import { assertNever } from '../assert-never.ts';
import { type Seed, seedFromBigInt } from '../random/seed.ts';
import type { ArrivalLaw, Knot, PhaseSchedule } from '../schedule/arrival-law.ts';
import { countArrivals, drawPoissonCount } from '../schedule/count-arrivals.ts';
import { allLanes } from '../schedule/deal.ts';
import { GammaWalk } from '../schedule/gamma.ts';
import { compileRateCurve } from '../schedule/rate-curve.ts';
import { decodeInstants, encodeInstants } from '../schedule/trace.ts';
import { trialFieldOf } from '../random/counter-domain.ts';
import type { BlobStore } from './blob-ref.ts';
import type { DataRows, Phase } from './plan.ts';
import type { BlobCollector } from './plan-sources.ts';

/** What phases are counted with. */
export interface RowContext {
  readonly seed: bigint;
  readonly laneCount: number;
  readonly blobs: BlobCollector;
  /** Receives what the user should know. */
  readonly warnings: string[];
}

/** The phases as they run with these data rows. */
export function assignRows(phases: readonly Phase[], data: DataRows, context: RowContext): Phase[] {
  if (data.rows === 'random') return [...phases];
  const assigned: Phase[] = [];
  let used = 0;
  let startNs = 0;
  for (const [index, phase] of phases.entries()) {
    const left = data.rows === 'once' ? data.rowCount - used : Infinity;
    if (left === 0) {
      context.warnings.push(
        `phase "${phase.name}" and those after it are left out: all ${data.rowCount} rows are used before`,
      );
      break;
    }
    const indexed = { ...phase, startNs, arrivals: indexedLaw(phase, index, context) };
    const count = countOf(indexed, index, context);
    const fitting = count > left ? cutToRows(indexed, index, { count, left }, context) : indexed;
    assigned.push(fitting);
    used += Math.min(count, left);
    startNs += fitting.durationNs;
  }
  return assigned;
}

function indexedLaw(phase: Phase, index: number, { seed, laneCount }: RowContext): ArrivalLaw {
  if (phase.arrivals.kind !== 'poisson') return phase.arrivals;
  const { knots } = phase.arrivals;
  const count = drawPoissonCount({ seed: seedFromBigInt(seed), laneCount }, index, knots, phase.durationNs);
  return { kind: 'poisson-count', knots, count };
}

function countOf(phase: Phase, index: number, context: RowContext): number {
  // A closed loop without a count may use them all.
  if (phase.arrivals.kind === 'closed') return phase.arrivals.count ?? Infinity;
  const before: Phase = { ...phase, durationNs: 0, startNs: 0, arrivals: { kind: 'all-at-once', count: 0 } };
  // The phase's position is part of its random numbers.
  const phases = [...Array.from({ length: index }, () => before), { ...phase, startNs: 0 }];
  const basis = basisOf(phases, context.seed, context.laneCount, context.blobs.blobs);
  return countArrivals(basis, { phase: index, lanes: allLanes(context.laneCount) });
}

function basisOf(phases: readonly Phase[], seed: bigint, laneCount: number, blobs: BlobStore) {
  const schedules: PhaseSchedule[] = phases.map(({ startNs, durationNs, arrivals }) => ({
    startNs,
    durationNs,
    law: arrivals,
  }));
  return { seed: seedFromBigInt(seed), trial: 0, laneCount, phases: schedules, blobs };
}

/** The phase with `left` arrivals instead of `count`. */
function cutToRows(
  phase: Phase,
  index: number,
  rows: { readonly count: number; readonly left: number },
  context: RowContext,
): Phase {
  context.warnings.push(
    rows.count === Infinity
      ? `phase "${phase.name}" ends with the rows: it sends ${rows.left} requests at most`
      : `phase "${phase.name}" ends with the rows: it takes ${rows.left} of the ${rows.count} arrivals of its law`,
  );
  const { arrivals, durationNs } = phase;
  switch (arrivals.kind) {
    case 'poisson-count': {
      const curve = compileRateCurve(arrivals.knots, durationNs);
      const endNs = curve.nsOf((curve.totalMass * rows.left) / rows.count) + 1;
      return {
        ...phase,
        durationNs: endNs,
        arrivals: { ...arrivals, knots: cutKnots(arrivals.knots, endNs / 1e9), count: rows.left },
      };
    }
    case 'even': {
      const curve = compileRateCurve(arrivals.knots, durationNs);
      const endNs = curve.nsOf(rows.left);
      return { ...phase, durationNs: endNs, arrivals: { ...arrivals, knots: cutKnots(arrivals.knots, endNs / 1e9) } };
    }
    case 'all-at-once':
    case 'closed':
      return { ...phase, arrivals: { ...arrivals, count: rows.left } };
    case 'trace': {
      const bytes = context.blobs.blobs.get(arrivals.instants.sha256) ?? new Uint8Array();
      const instantsNs = decodeInstants(bytes, arrivals.count).slice(0, rows.left);
      const instants = context.blobs.add(arrivals.instants.name, encodeInstants(instantsNs));
      return {
        ...phase,
        durationNs: (instantsNs.at(-1) ?? 0) + 1,
        arrivals: { ...arrivals, instants, count: rows.left },
      };
    }
    case 'gamma':
      // Arrivals behind the last one may share its instant: the length alone would not leave them out.
      return {
        ...phase,
        durationNs: gammaInstant(seedFromBigInt(context.seed), index, phase, rows.left) + 1,
        arrivals: { ...arrivals, count: rows.left },
      };
    case 'poisson':
      return phase;
    default:
      return assertNever(arrivals);
  }
}

/** Instant of the `count`-th arrival of a gamma phase, ns from its start. */
function gammaInstant(seed: Seed, index: number, phase: Phase, count: number): number {
  if (phase.arrivals.kind !== 'gamma') return phase.durationNs;
  const walk = new GammaWalk(seed, trialFieldOf(0, index), phase.arrivals, phase.durationNs);
  let atNs = 0;
  for (let taken = 0; taken < count; taken += 1) atNs = walk.nextNs();
  return atNs;
}

/** The curve up to `endSeconds`. */
function cutKnots(knots: readonly Knot[], endSeconds: number): Knot[] {
  const kept = knots.filter((knot) => knot.tSeconds < endSeconds);
  const next = knots[kept.length];
  const last = kept.at(-1);
  if (next === undefined || last === undefined) return [...knots];
  const share = (endSeconds - last.tSeconds) / (next.tSeconds - last.tSeconds);
  const ratePerSecond = last.ratePerSecond + share * (next.ratePerSecond - last.ratePerSecond);
  return [...kept, { tSeconds: endSeconds, ratePerSecond }];
}
