/** Phases that are named by what they ask: the arrivals that stand for a mode, and closed loops. */

import { assertNever } from '../assert-never.ts';
import type { ArrivalLaw } from '../schedule/arrival-law.ts';
import type { ArrivalsWord, ClosedText, PhaseText } from './load-grammar.ts';
import { type LoadMode, modeOf } from './load-mode.ts';
import type { Place } from './plan-field.ts';
import { forbid, PlacedError, type PhaseLaw } from './phase-law.ts';

/** The arrivals of a phase that gives none. */
export function arrivalsOfMode(phase: PhaseText, place: Place): ArrivalsWord {
  const mode: LoadMode = phase.mode?.value ?? 'server';
  switch (mode) {
    case 'server':
      return { kind: 'poisson' };
    case 'offline':
      return { kind: 'all-at-once' };
    case 'single-stream':
      return { kind: 'closed', value: { concurrency: 1, think: 0 } };
    case 'closed-loop':
      throw new PlacedError(phase.mode?.place ?? place, 'a closed loop needs its slots, e.g. arrivals: closed:8');
    default:
      return assertNever(mode);
  }
}

/** Refuses a mode that is not that of the arrivals. */
export function checkMode({ mode }: PhaseText, arrivals: ArrivalLaw): void {
  const made = modeOf(arrivals);
  if (mode === null || mode.value === made) return;
  throw new PlacedError(mode.place, `mode ${mode.value} does not go with these arrivals, which are ${made}`);
}

/** A closed loop: its length, its count, or both. */
export function closedLaw(closed: ClosedText, phase: PhaseText, place: Place, laneCount: number): PhaseLaw {
  forbid(phase, ['rate'], 'a closed loop: the target sets the pace');
  const { duration, count } = phase;
  if (duration === null && count === null)
    throw new PlacedError(place, 'a closed loop needs a duration, a count or both');
  const { concurrency, think } = closed;
  if (concurrency > laneCount) {
    const enough = 2 ** Math.ceil(Math.log2(concurrency));
    throw new PlacedError(
      phase.arrivals?.place ?? place,
      `a slot belongs to a lane: ${concurrency} slots are more than ${laneCount} lanes; lanes: ${enough} would do`,
    );
  }
  return {
    durationNs: duration?.value ?? 0,
    arrivals: { kind: 'closed', concurrency, thinkNs: think, count: count?.value ?? null },
  };
}
