/**
 * Opens the stream of one phase for one worker, whatever its law, and names what fixes a trial's schedule. It holds nothing
 * about the fleet but the worker's own lanes: the schedule does not depend on how many workers share it (P3).
 */

import { assertNever } from '../assert-never.ts';
import { FleetError } from '../fleet-error.ts';
import type { BlobRef, BlobStore } from '../plan/blob-ref.ts';
import { trialFieldOf } from '../random/counter-domain.ts';
import type { Seed } from '../random/seed.ts';
import { allAtOnceInstants } from './all-at-once.ts';
import type { ArrivalLaw, PhaseSchedule } from './arrival-law.ts';
import type { ArrivalStream } from './arrival-stream.ts';
import type { GrantPiece } from './deal.ts';
import { evenInstants } from './even.ts';
import { ExactCountStream } from './exact-count-stream.ts';
import { GammaStream, GammaWalk } from './gamma.ts';
import { type IndexedInstants, IndexedStream } from './indexed-instants.ts';
import { LaneStream } from './lane-stream.ts';
import { compileRateCurve } from './rate-curve.ts';
import { decodeInstants, traceInstants } from './trace.ts';

/** What fixes the schedule of a trial: with it anyone can compute any part, a worker its share, the coordinator the counts. */
export interface ScheduleBasis {
  readonly seed: Seed;
  /** Pass over the plan, 0..65535. */
  readonly trial: number;
  /** S, a power of two. */
  readonly laneCount: number;
  /** The plan's phases in order, each starting at or after the end of the one before. */
  readonly phases: readonly PhaseSchedule[];
  /** Content of the plan's files; must hold the blobs of all trace phases. */
  readonly blobs: BlobStore;
}

/** The laws whose i-th instant is known directly. */
export type IndexedInstantsLaw = Extract<ArrivalLaw, { kind: 'even' | 'trace' | 'all-at-once' }>;

/** The instants of such a law. @throws FleetError 'plan' if the law is out of range or its blob is missing or broken. */
export function indexedInstantsOf(law: IndexedInstantsLaw, durationNs: number, blobs: BlobStore): IndexedInstants {
  switch (law.kind) {
    case 'even':
      return evenInstants(compileRateCurve(law.knots, durationNs));
    case 'trace':
      return traceInstants(decodeInstants(blobOf(law.instants, blobs), law.count), durationNs);
    case 'all-at-once':
      return allAtOnceInstants(law.count);
    default:
      return assertNever(law);
  }
}

/** The phase at this position of the plan. @throws FleetError 'internal' if there is none. */
export function phaseAt(basis: ScheduleBasis, phase: number): PhaseSchedule {
  const found = basis.phases[phase];
  if (found === undefined)
    throw new FleetError('internal', `phase ${phase} of a plan with ${basis.phases.length} phases`);
  return found;
}

/**
 * The arrivals of one phase in the lanes of `piece`, from the piece's instant on.
 * @throws FleetError 'plan' if the law is out of range.
 */
export function openPhaseStream(basis: ScheduleBasis, phase: number, piece: GrantPiece): ArrivalStream {
  const { startNs, durationNs, law } = phaseAt(basis, phase);
  const { seed, laneCount } = basis;
  const trialField = trialFieldOf(basis.trial, phase);
  const share = { laneCount, lanes: piece.lanes, phase, startNs, fromNs: piece.fromNs };
  switch (law.kind) {
    case 'poisson':
      return new LaneStream({ ...share, seed, trialField, curve: compileRateCurve(law.knots, durationNs) });
    case 'poisson-count': {
      const curve = compileRateCurve(law.knots, durationNs);
      return new ExactCountStream({ ...share, seed, trialField, curve, count: law.count });
    }
    case 'even':
    case 'trace':
    case 'all-at-once':
      return new IndexedStream({ ...share, instants: indexedInstantsOf(law, durationNs, basis.blobs) });
    case 'gamma':
      return new GammaStream({ ...share, walk: new GammaWalk(seed, trialField, law, durationNs) });
    case 'closed':
      // Nothing of it is known beforehand.
      return new IndexedStream({ ...share, instants: allAtOnceInstants(0) });
    default:
      return assertNever(law);
  }
}

function blobOf(ref: BlobRef, blobs: BlobStore): Uint8Array {
  const bytes = blobs.get(ref.sha256);
  if (bytes === undefined)
    throw new FleetError('plan', `trace: the content of "${ref.name}" (${ref.sha256}) is not at hand`);
  return bytes;
}
