/** JSON lines with messages that name file, line and field. Blank lines are skipped, a byte-order mark is dropped. */

import { type ExactJson, parseExactJson } from '../exact-json.ts';
import { FleetError } from '../fleet-error.ts';
import { knownNamesHint } from '../nearest-name.ts';

/** One object of the file. */
export class JsonLine {
  readonly #json: ExactJson;
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #place: string;

  /** `fields`: an object in `json`. */
  constructor(json: ExactJson, fields: Readonly<Record<string, unknown>>, place: string) {
    this.#json = json;
    this.#fields = fields;
    this.#place = place;
  }

  /** An object in this line, named `place` in messages. */
  part(fields: Readonly<Record<string, unknown>>, place: string): JsonLine {
    return new JsonLine(this.#json, fields, `${this.#place}: ${place}`);
  }

  /** The field's value as it is; undefined = not there. */
  get(name: string): unknown {
    return Object.hasOwn(this.#fields, name) ? this.#fields[name] : undefined;
  }

  /** A whole number >= `min`. @throws FleetError 'plan'. */
  whole(name: string, min = 0): number {
    const value = this.get(name);
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min) return value;
    return this.fail(
      value === undefined
        ? `has no field "${name}"${knownNamesHint(name, Object.keys(this.#fields))}`
        : `"${name}" is ${JSON.stringify(value).slice(0, 60)}, expected a whole number of at least ${min}`,
    );
  }

  /** The text of a number, as it is written, or string, for an instant; null = not there. */
  numberText(name: string): string | null {
    const value = this.get(name);
    if (value === undefined || value === null) return null;
    if (typeof value === 'string') return value;
    return this.#json.numberText(this.#fields, name) ?? this.fail(`"${name}" is neither a number nor text`);
  }

  /** Text; null = not there. */
  text(name: string): string | null {
    const value = this.get(name);
    if (value === undefined || value === null) return null;
    return typeof value === 'string' ? value : this.fail(`"${name}" is not text`);
  }

  /** @throws FleetError 'plan' with file and line in front. */
  fail(message: string): never {
    throw new FleetError('plan', `${this.#place}: ${message}`);
  }
}

/** The objects of a file. @throws FleetError 'plan', with the line, for one that is no JSON object. */
export function readJsonLines(text: string, source: string): JsonLine[] {
  const lines: JsonLine[] = [];
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    if (line.trim() === '') continue;
    const place = `${source}: line ${index + 1}`;
    let json: ExactJson;
    try {
      json = parseExactJson(line);
    } catch (cause) {
      throw new FleetError('plan', `${place}: is not JSON`, { cause });
    }
    const { value } = json;
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new FleetError('plan', `${place}: is not a JSON object`);
    lines.push(new JsonLine(json, value as Record<string, unknown>, place));
  }
  if (lines.length === 0) throw new FleetError('plan', `${source}: holds no rows`);
  return lines;
}
