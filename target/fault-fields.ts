/**
 * The named values of one fault, read one by one with their ranges; what was never asked for is an error (R089).
 * Used by parse-fault.ts only.
 */

import { FleetError } from '../shared/fleet-error.ts';
import { knownNamesHint } from '../shared/nearest-name.ts';
import { parseDuration } from '../shared/time/duration.ts';
import { parseServiceLaw, type ServiceLaw } from './service-law.ts';

/** Reads fields of one fault. All methods throw FleetError code `plan` that names the kind, the field, the value and the limit. */
export class FaultFields {
  readonly #kind: string;
  readonly #values = new Map<string, string>();
  readonly #asked = new Set<string>();

  constructor(kind: string, entries: readonly (readonly [name: string, value: string])[]) {
    this.#kind = kind;
    for (const [name, value] of entries) {
      if (this.#values.has(name)) throw this.#error(`${name} is given twice`);
      this.#values.set(name, value);
    }
  }

  /** True when the field was given. */
  has(name: string): boolean {
    this.#asked.add(name);
    return this.#values.has(name);
  }

  /** Any text that is not empty. */
  text(name: string, fallback?: string): string {
    const value = this.#read(name) ?? fallback;
    if (value === undefined || value === '') throw this.#error(`${name} is missing`);
    return value;
  }

  /** A duration in ns. */
  duration(name: string): number {
    return this.#parsed(name, parseDuration);
  }

  /** A service law. */
  serviceLaw(name: string): ServiceLaw {
    return this.#parsed(name, parseServiceLaw);
  }

  /** An integer in low..high. */
  integer(name: string, low: number, high: number, fallback?: number): number {
    const text = this.#read(name);
    if (text === undefined && fallback !== undefined) return fallback;
    const value = /^[+-]?[0-9]{1,16}$/.test(text ?? '') ? Number(text) : NaN;
    if (!(value >= low && value <= high)) {
      throw this.#error(
        `${name} must be an integer in ${low}..${high}, got ${text === undefined ? 'nothing' : `"${text}"`}`,
      );
    }
    return value;
  }

  /** A share in (0, 1], 1 when not given. */
  share(name: string): number {
    const text = this.#read(name);
    if (text === undefined) return 1;
    const value = /^[0-9]*\.?[0-9]+$/.test(text) ? Number(text) : NaN;
    if (!(value > 0 && value <= 1)) throw this.#error(`${name} must be above 0 and at most 1, got "${text}"`);
    return value;
  }

  /** True or false, false when not given. */
  flag(name: string): boolean {
    const text = this.#read(name) ?? 'false';
    if (text !== 'true' && text !== 'false') throw this.#error(`${name} must be true or false, got "${text}"`);
    return text === 'true';
  }

  /** One of `choices`, by its text. */
  choice<Choice extends string | number>(name: string, choices: readonly Choice[], fallback?: Choice): Choice {
    const text = this.#read(name);
    const found = text === undefined ? fallback : choices.find((choice) => String(choice) === text);
    if (found !== undefined) return found;
    throw this.#error(`${name} "${text ?? ''}" is unknown${knownNamesHint(text ?? '', choices.map(String))}`);
  }

  /** Throws if a field was given that nobody asked for. */
  refuseRest(): void {
    for (const name of this.#values.keys()) {
      if (!this.#asked.has(name)) throw this.#error(`"${name}" is unknown${knownNamesHint(name, [...this.#asked])}`);
    }
  }

  #read(name: string): string | undefined {
    this.#asked.add(name);
    return this.#values.get(name);
  }

  #parsed<Value>(name: string, parse: (text: string) => Value): Value {
    const text = this.text(name);
    try {
      return parse(text);
    } catch (error) {
      if (error instanceof FleetError) throw this.#error(`${name}: ${error.message}`, error);
      throw error;
    }
  }

  #error(reason: string, cause?: unknown): FleetError {
    return new FleetError('plan', `fault ${this.#kind}: ${reason}`, { cause });
  }
}
