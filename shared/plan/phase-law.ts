/** What the builders of a phase's law have in common: the law with its length, and faults that name their place in the plan. */

import { FleetError } from '../fleet-error.ts';
import type { ArrivalLaw } from '../schedule/arrival-law.ts';
import type { PhaseText } from './load-grammar.ts';
import type { Place } from './plan-field.ts';

/** Length and law of one phase. */
export interface PhaseLaw {
  readonly durationNs: number;
  readonly arrivals: ArrivalLaw;
}

/** A fault that belongs to one place of the plan. */
export class PlacedError extends Error {
  readonly place: Place;

  constructor(place: Place, message: string) {
    super(message);
    this.place = place;
  }
}

/** Refuses keys that say nothing under a law. */
export function forbid(phase: PhaseText, keys: readonly ('rate' | 'duration' | 'count')[], why: string): void {
  for (const key of keys) {
    const value = phase[key];
    if (value !== null) throw new PlacedError(value.place, `${key} is not used with ${why}; leave it out`);
  }
}

/** Runs `work`; what it refuses is said of `place`. */
export function placing<T>(place: Place, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof FleetError) throw new PlacedError(place, error.message);
    throw error;
  }
}
