/**
 * A phase in a few numbers, for a plan that is looked at and not run: how many arrivals it has and when the first ones are. Under the
 * lanes law in one pass over the lanes that sorts nothing, so that a plan of hundreds of phases is told in a moment.
 */

import { trialFieldOf } from '../random/counter-domain.ts';
import { createArrival } from './arrival-stream.ts';
import { countArrivals } from './count-arrivals.ts';
import { allLanes } from './deal.ts';
import { LaneBlocks, blockMass, positionBufferLength } from './lane-blocks.ts';
import { openPhaseStream, phaseAt, type ScheduleBasis } from './phase-stream.ts';
import { compileRateCurve, type RateCurve } from './rate-curve.ts';

/** What a phase comes to. */
export interface PhaseOutline {
  /** Arrivals of its schedule. */
  readonly count: number;
  /** The first instants, ns from T0, ascending. */
  readonly firstNs: readonly number[];
}

/** The outline of the phase at place `phase`, with at most `firstMost` instants. @throws FleetError 'plan' if its law is out of range. */
export function outlineOf(basis: ScheduleBasis, phase: number, firstMost: number): PhaseOutline {
  const { law, durationNs, startNs } = phaseAt(basis, phase);
  const lanes = allLanes(basis.laneCount);
  if (law.kind === 'poisson') {
    const curve = compileRateCurve(law.knots, durationNs);
    const { count, firstMasses } = outlineOfLanes(basis, phase, curve, firstMost);
    return { count, firstNs: firstMasses.map((mass) => startNs + curve.nsOf(mass)) };
  }
  const stream = openPhaseStream(basis, phase, { lanes, fromNs: 0 });
  const arrival = createArrival();
  const firstNs: number[] = [];
  while (firstNs.length < firstMost && stream.next(arrival)) firstNs.push(arrival.intendedNs);
  return { count: countArrivals(basis, { phase, lanes }), firstNs };
}

/** The order of masses is the order of instants, so the least masses are the first arrivals. */
function outlineOfLanes(
  { seed, trial, laneCount }: ScheduleBasis,
  phase: number,
  curve: RateCurve,
  firstMost: number,
): { readonly count: number; readonly firstMasses: readonly number[] } {
  const blocks = new LaneBlocks(seed, trialFieldOf(trial, phase));
  const positions = new Float64Array(positionBufferLength);
  const layerMass = blockMass * laneCount;
  const layers = Math.ceil(curve.totalMass / layerMass);
  const first: number[] = [];
  let count = 0;
  for (let block = 0; block < layers; block++) {
    // A layer in the middle is inside the phase as a whole; with enough first arrivals its positions are nobody's business.
    const isCountedOnly = block < layers - 1 && first.length >= firstMost;
    for (let lane = 0; lane < laneCount; lane++) {
      if (isCountedOnly) {
        count += blocks.count(lane, block);
        continue;
      }
      const held = blocks.unorderedPositions(lane, block, positions);
      for (let place = 0; place < held; place++) {
        const mass = (block + (positions[place] as number)) * layerMass;
        if (mass >= curve.totalMass) continue;
        count++;
        keepLeast(first, mass, firstMost);
      }
    }
  }
  return { count, firstMasses: first };
}

/** Keeps the `most` least values in ascending order. */
function keepLeast(values: number[], value: number, most: number): void {
  if (values.length >= most && value >= (values[most - 1] ?? -Infinity)) return;
  const place = values.findIndex((one) => one > value);
  values.splice(place < 0 ? values.length : place, 0, value);
  if (values.length > most) values.pop();
}
