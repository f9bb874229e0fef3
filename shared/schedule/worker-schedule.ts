/**
 * A worker slot's whole schedule: its arrivals of all phases, in time order. This is what a worker pulls from. While a phase
 * runs, spare time prepares the next one, so that no phase starts with a pause (M§1.3, design §6).
 */

import { FleetError } from '../fleet-error.ts';
import type { Arrival, ArrivalStream } from './arrival-stream.ts';
import { type GrantPiece, assertLaneCount } from './deal.ts';
import { mergeStreams } from './merged-stream.ts';
import { type ScheduleBasis, openPhaseStream } from './phase-stream.ts';

/** What a worker's schedule is made of. */
export interface WorkerScheduleOptions extends ScheduleBasis {
  /** The slot's grant: which lanes, each from which instant on. The pieces share no lane. */
  readonly ownedLanes: readonly GrantPiece[];
}

/**
 * Opens a worker's schedule. Cheap: the arrivals are drawn by `workAhead`, or on the spot by `peekNs` and `next`.
 * @throws FleetError 'plan' if the lane count, the order of phases, a law or a lane is out of range.
 */
export function createWorkerSchedule(options: WorkerScheduleOptions): ArrivalStream {
  assertBasis(options);
  assertGrant(options.ownedLanes, options.laneCount);
  return new WorkerSchedule(options);
}

/** Checks the lane count and that phases follow each other. @throws FleetError 'plan'. */
function assertBasis(basis: ScheduleBasis): void {
  assertLaneCount(basis.laneCount);
  let endNs = 0;
  for (const [i, { startNs, durationNs }] of basis.phases.entries()) {
    if (!Number.isSafeInteger(startNs) || startNs < endNs) {
      throw new FleetError('plan', `phase ${i}: start ${startNs} ns is not an integer at or after ${endNs} ns`);
    }
    endNs = startNs + durationNs;
    if (!Number.isSafeInteger(durationNs) || durationNs < 0 || !Number.isSafeInteger(endNs)) {
      throw new FleetError(
        'plan',
        `phase ${i}: duration ${durationNs} ns is not an integer >= 0 that ends before 2^53 ns (104 days)`,
      );
    }
  }
}

function assertGrant(pieces: readonly GrantPiece[], laneCount: number): void {
  const seen = new Uint8Array(laneCount);
  for (const { lanes } of pieces) {
    let before = -1;
    for (const lane of lanes) {
      if (lane <= before || lane >= laneCount) {
        throw new FleetError(
          'plan',
          `grant: lane ${lane} after lane ${before}; lanes ascend and lie in 0..${laneCount - 1}`,
        );
      }
      if (seen[lane] === 1) throw new FleetError('plan', `grant: lane ${lane} is in two pieces`);
      seen[lane] = 1;
      before = lane;
    }
  }
}

class WorkerSchedule implements ArrivalStream {
  readonly #options: WorkerScheduleOptions;
  /** The phase arrivals are taken from; null behind the last. */
  #current: ArrivalStream | null;
  /** The phase after it, once it is opened. */
  #upcoming: ArrivalStream | null = null;
  #nextPhase = 0;

  constructor(options: WorkerScheduleOptions) {
    this.#options = options;
    this.#current = this.#openNextPhase();
  }

  peekNs(): number {
    while (this.#current !== null) {
      const ns = this.#current.peekNs();
      if (ns !== Infinity) return ns;
      this.#enterNextPhase();
    }
    return Infinity;
  }

  next(into: Arrival): boolean {
    while (this.#current !== null) {
      if (this.#current.next(into)) return true;
      this.#enterNextPhase();
    }
    return false;
  }

  workAhead(): boolean {
    if (this.#current === null) return false;
    if (this.#current.workAhead()) return true;
    if (this.#upcoming !== null) return this.#upcoming.workAhead();
    this.#upcoming = this.#openNextPhase();
    return this.#upcoming !== null;
  }

  #enterNextPhase(): void {
    this.#current = this.#upcoming ?? this.#openNextPhase();
    this.#upcoming = null;
  }

  #openNextPhase(): ArrivalStream | null {
    const options = this.#options;
    if (this.#nextPhase === options.phases.length) return null;
    const phase = this.#nextPhase++;
    return mergeStreams(options.ownedLanes.map((piece) => openPhaseStream(options, phase, piece)));
  }
}
