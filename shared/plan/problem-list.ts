/**
 * Collects everything that is wrong with a plan, so that the user sees it all at once and not one fault per try.
 * Each problem has a place, a path and a sentence with the value and the limit. Bounded: a broken file of a megabyte must not
 * print a megabyte.
 */

import { FleetError } from '../fleet-error.ts';
import { knownNamesHint, nearestName } from '../nearest-name.ts';
import type { Origin } from './plan-node.ts';

/** One fault of a plan. */
export interface Problem {
  /** e.g. `load[0].rate`; empty for the plan as a whole. */
  readonly path: string;
  readonly origin: Origin;
  /** A sentence with value, limit and, for names, the nearest valid one. */
  readonly message: string;
}

/** Most problems that are printed. */
const PROBLEMS_SHOWN = 50;

/** The faults found so far. */
export class ProblemList {
  readonly #shown: Problem[] = [];
  readonly #pathByKey: ReadonlyMap<string, string>;
  #count = 0;

  /** `pathByKey`: where each key of the grammar belongs, for keys written at a wrong level. */
  constructor(pathByKey: ReadonlyMap<string, string> = new Map()) {
    this.#pathByKey = pathByKey;
  }

  /** Problems found, those beyond the printed ones included. */
  get count(): number {
    return this.#count;
  }

  /** The first `PROBLEMS_SHOWN` problems. */
  get shown(): readonly Problem[] {
    return this.#shown;
  }

  add(path: string, origin: Origin, message: string): void {
    this.#count += 1;
    if (this.#shown.length < PROBLEMS_SHOWN) this.#shown.push({ path, origin, message });
  }

  /** Adds the problem of a key that is not among `known`: with the nearest known one, or the level where it belongs (R089). */
  addUnknownKey(path: string, origin: Origin, key: string, known: readonly string[]): void {
    const name = key.slice(0, QUOTED_MAX);
    const elsewhere = this.#pathByKey.get(key);
    const hint = elsewhere !== undefined && nearestName(name, known) === null ? `; did you mean ${elsewhere}?` : '';
    this.add(path, origin, `unknown key ${quoted(key)}${hint === '' ? knownNamesHint(name, known) : hint}`);
  }

  /** @throws FleetError 'plan' that lists the problems, if there is one. */
  throwIfAny(planName: string): void {
    if (this.#count === 0) return;
    throw new FleetError('plan', this.#describe(planName));
  }

  #describe(planName: string): string {
    const inOrder = this.#shown.toSorted((a, b) => positionOf(a.origin) - positionOf(b.origin));
    const lines = inOrder.map(
      ({ path, origin, message }) => `  ${placeOf(origin)}: ${path === '' ? '' : `${path}: `}${message}`,
    );
    const rest = this.#count - this.#shown.length;
    if (rest > 0) lines.push(`  ... and ${rest} more`);
    const noun = this.#count === 1 ? 'a problem' : `${this.#count} problems`;
    return [`${planName} has ${noun}:`, ...lines].join('\n');
  }
}

/** For sorting: by line and column; what has no line comes first. */
function positionOf(origin: Origin): number {
  return (origin.line ?? 0) * 1e7 + (origin.column ?? 0);
}

/** `plan.yaml:3:5`, `--rate` or `LOADFLEET_RATE`. */
function placeOf(origin: Origin): string {
  return origin.line === null ? origin.source : `${origin.source}:${origin.line}:${origin.column ?? 1}`;
}

/** Longest text of a value in a message. */
const QUOTED_MAX = 60;

/** A value for a message: in quotes, control characters escaped, long text cut. */
export function quoted(text: string): string {
  const cut = text.length > QUOTED_MAX ? `${text.slice(0, QUOTED_MAX)}...` : text;
  return JSON.stringify(cut).replace(/[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
