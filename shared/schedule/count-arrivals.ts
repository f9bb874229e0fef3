/**
 * Exact counts of arrivals by lane and time, without drawing them: what the coordinator states as scheduled, cancelled or
 * lost. Under the lanes law a block that lies wholly inside the range costs one Philox call for its 32 arrivals; only blocks
 * at the borders are drawn. The same integers decide as in the streams: fromNs <= intendedNs < toNs.
 */

import { assertNever } from '../assert-never.ts';
import { trialFieldOf } from '../random/counter-domain.ts';
import type { Seed } from '../random/seed.ts';
import type { Knot, PhaseSchedule } from './arrival-law.ts';
import { allLanes } from './deal.ts';
import { ExactCountInstants, assertExactCount } from './exact-count.ts';
import { GammaWalk } from './gamma.ts';
import { firstIndexFrom } from './indexed-instants.ts';
import { LaneBlocks, blockMass, positionBufferLength } from './lane-blocks.ts';
import { firstLayer } from './lane-stream.ts';
import { OwnIndices } from './own-indices.ts';
import { type ScheduleBasis, indexedInstantsOf, phaseAt } from './phase-stream.ts';
import { type RateCurve, compileRateCurve } from './rate-curve.ts';

/** Which arrivals to count. */
export interface CountRange {
  /** Position of the phase in the plan. */
  readonly phase: number;
  /** Lanes, ascending. Counts of disjoint sets of lanes add up. */
  readonly lanes: Int32Array;
  /** First instant counted, ns from T0; default: all from the phase start. */
  readonly fromNs?: number;
  /** First instant not counted, ns from T0; default: all to the phase end. */
  readonly toNs?: number;
}

/**
 * The number of arrivals of a phase in some lanes with fromNs <= intendedNs < toNs. About 2 ns per arrival for whole phases
 * under the lanes law; exact-N with a partial range and gamma walk the sequence.
 * @throws FleetError 'plan' if the law is out of range.
 */
export function countArrivals(basis: ScheduleBasis, range: CountRange): number {
  const phase = phaseAt(basis, range.phase);
  const from = (range.fromNs ?? -Infinity) - phase.startNs;
  const to = (range.toNs ?? Infinity) - phase.startNs;
  if (!(from < to) || range.lanes.length === 0) return 0;
  return countInPhase(basis, phase, range, { from, to });
}

/**
 * N for a phase that must be indexed yet exactly Poisson (data rows taken once): one draw from Poisson(L(T)), as the number of
 * arrivals a lanes phase with the same curve, seed and position would have in trial 0. About 2 ns per expected arrival.
 * @throws FleetError 'plan' if the curve is out of range.
 */
export function drawPoissonCount(
  basis: Pick<ScheduleBasis, 'seed' | 'laneCount'>,
  phase: number,
  knots: readonly Knot[],
  durationNs: number,
): number {
  const curve = compileRateCurve(knots, durationNs);
  const lanes = allLanes(basis.laneCount);
  return countLaneArrivals(basis.seed, trialFieldOf(0, phase), basis.laneCount, lanes, curve, {
    from: -Infinity,
    to: Infinity,
  });
}

/** A half-open range of instants, ns from the phase start. */
interface NsRange {
  readonly from: number;
  readonly to: number;
}

function countInPhase(basis: ScheduleBasis, phase: PhaseSchedule, range: CountRange, ns: NsRange): number {
  const { seed, laneCount, trial } = basis;
  const { law, durationNs } = phase;
  const trialField = trialFieldOf(trial, range.phase);
  const own = new OwnIndices(range.lanes, laneCount);
  switch (law.kind) {
    case 'poisson': {
      const curve = compileRateCurve(law.knots, durationNs);
      return countLaneArrivals(seed, trialField, laneCount, range.lanes, curve, ns);
    }
    case 'poisson-count': {
      const curve = compileRateCurve(law.knots, durationNs);
      assertExactCount(law.count, curve);
      const ownCount = own.countBelow(law.count);
      if (ns.from <= 0 && ns.to > curve.lastNs) return ownCount;
      const instants = new ExactCountInstants(seed, trialField, curve);
      let n = 0;
      for (let ordinal = 0; ordinal < ownCount; ordinal++) {
        if (isInside(instants.nsOfShare(instants.shareOf(own.at(ordinal))), ns)) n++;
      }
      return n;
    }
    case 'even':
    case 'trace':
    case 'all-at-once': {
      const instants = indexedInstantsOf(law, durationNs, basis.blobs);
      return own.countBelow(firstIndexFrom(instants, ns.to)) - own.countBelow(firstIndexFrom(instants, ns.from));
    }
    case 'gamma': {
      const walk = new GammaWalk(seed, trialField, law, durationNs);
      let first = 0;
      let end = 0;
      for (let at = walk.nextNs(); at < ns.to; at = walk.nextNs()) {
        end = walk.nextIndex;
        if (at < ns.from) first = end;
      }
      return own.countBelow(end) - own.countBelow(first);
    }
    case 'closed':
      return 0;
    default:
      return assertNever(law);
  }
}

function isInside(instantNs: number, range: NsRange): boolean {
  return instantNs >= range.from && instantNs < range.to;
}

function countLaneArrivals(
  seed: Seed,
  trialField: number,
  laneCount: number,
  lanes: Int32Array,
  curve: RateCurve,
  ns: NsRange,
): number {
  const layerMass = blockMass * laneCount;
  const blocks = new LaneBlocks(seed, trialField);
  const positions = new Float64Array(positionBufferLength);
  const drawBlock = (lane: number, block: number): number => {
    const held = blocks.unorderedPositions(lane, block, positions);
    let n = 0;
    for (let rank = 0; rank < held; rank++) {
      const mass = (block + (positions[rank] as number)) * layerMass;
      if (mass < curve.totalMass && isInside(curve.nsOf(mass), ns)) n++;
    }
    return n;
  };
  const span = layersOf(curve, layerMass, ns);
  let total = 0;
  for (const lane of lanes) {
    for (let block = span.first; block < span.wholeFrom; block++) total += drawBlock(lane, block);
    for (let block = span.wholeFrom; block < span.wholeTo; block++) total += blocks.count(lane, block);
    for (let block = span.wholeTo; block < span.end; block++) total += drawBlock(lane, block);
  }
  return total;
}

/** The layers a range touches: those in [wholeFrom, wholeTo) lie inside it whole, the rest of [first, end) may not. */
interface LayerSpan {
  readonly first: number;
  readonly wholeFrom: number;
  readonly wholeTo: number;
  readonly end: number;
}

/** One layer of margin on each side of a border makes rounding of L(t) harmless. */
function layersOf(curve: RateCurve, layerMass: number, ns: NsRange): LayerSpan {
  const layerEnd = Math.ceil(curve.totalMass / layerMass);
  const endsInside = ns.to > curve.lastNs;
  const first = ns.from <= 0 ? 0 : firstLayer(curve, layerMass, ns.from);
  const end = endsInside ? layerEnd : Math.min(layerEnd, firstLayer(curve, layerMass, ns.to) + 3);
  const wholeFrom = Math.min(end, ns.from <= 0 ? 0 : first + 3);
  // The last layer of the curve may be cut off by its end; a layer whose end mass lies below L(T) is whole.
  const lastWhole = endsInside ? Math.ceil(curve.totalMass / layerMass) - 1 : firstLayer(curve, layerMass, ns.to);
  return { first, wholeFrom, wholeTo: Math.max(wholeFrom, Math.min(lastWhole, end)), end };
}
