/**
 * `{{column}}` in URLs, header values and bodies: filled from a row of the data file (design §5). Compiled once, before the
 * run, so that an unknown column or filter is an error then and rendering is a join. Nothing but the marked places changes:
 * a URL stays byte for byte as written (R028), and only a filter encodes a value.
 *   {{id}}        the value as it is
 *   {{id|url}}    percent-encoded for a path segment or query value
 *   {{id|json}}   escaped for the inside of a JSON string
 *   {{'{{'}}      two opening braces
 */

import { FleetError } from '../fleet-error.ts';
import { knownNamesHint } from '../nearest-name.ts';

/** How a value is written into its place. */
export type TemplateFilter = 'none' | 'url' | 'json';

/** One place to fill. */
export interface TemplatePlace {
  /** Position of the column in the data file. */
  readonly column: number;
  readonly filter: TemplateFilter;
}

/** A compiled template: text 0, place 0, text 1, place 1 … always one text more than places. */
export interface CompiledTemplate {
  readonly texts: readonly string[];
  readonly places: readonly TemplatePlace[];
}

const FILTERS = ['url', 'json'] as const;
const OPENING_BRACES = "'{{'";

/**
 * Compiles `text` for a data file with `columns`.
 * @throws FleetError 'plan' naming the unknown column or filter, or the `{{` that is not closed.
 */
export function compileTemplate(text: string, columns: readonly string[]): CompiledTemplate {
  const texts: string[] = [''];
  const places: TemplatePlace[] = [];
  const append = (piece: string): void => {
    texts[texts.length - 1] = `${texts.at(-1) ?? ''}${piece}`;
  };
  let from = 0;
  for (let open = text.indexOf('{{'); open >= 0; open = text.indexOf('{{', from)) {
    append(text.slice(from, open));
    const escape = `{{${OPENING_BRACES}}}`;
    if (text.startsWith(escape, open)) {
      append('{{');
      from = open + escape.length;
      continue;
    }
    const close = text.indexOf('}}', open);
    if (close < 0) throw new FleetError('plan', `"{{" at character ${open + 1} is never closed by "}}"`);
    places.push(placeOf(text.slice(open + 2, close), columns));
    texts.push('');
    from = close + 2;
  }
  append(text.slice(from));
  return { texts, places };
}

/** The text with its places filled from `row` (one value per column). */
export function renderTemplate(template: CompiledTemplate, row: readonly string[]): string {
  let text = template.texts[0] as string;
  for (const [index, place] of template.places.entries()) {
    text += valueAtPlace(place, row) + (template.texts[index + 1] as string);
  }
  return text;
}

/** What stands at a place for `row`. */
export function valueAtPlace({ column, filter }: TemplatePlace, row: readonly string[]): string {
  return filtered(row[column] ?? '', filter);
}

/** True when the text is the same for every row. */
export function isConstant(template: CompiledTemplate): boolean {
  return template.places.length === 0;
}

function placeOf(inside: string, columns: readonly string[]): TemplatePlace {
  // A column may hold a bar in its name: the filter is what follows the last one.
  const bar = inside.lastIndexOf('|');
  const name = (bar < 0 ? inside : inside.slice(0, bar)).trim();
  const filterName = bar < 0 ? 'none' : inside.slice(bar + 1).trim();
  const column = columns.indexOf(name);
  if (column < 0) {
    const hint = columns.length === 0 ? '; the plan has no data file' : knownNamesHint(name, columns);
    throw new FleetError('plan', `"{{${inside}}}" names no column of the data file${hint}`);
  }
  const filter = bar < 0 ? 'none' : FILTERS.find((known) => known === filterName);
  if (filter === undefined) {
    throw new FleetError('plan', `"{{${inside}}}" has an unknown filter${knownNamesHint(filterName, FILTERS)}`);
  }
  return { column, filter };
}

function filtered(value: string, filter: TemplateFilter): string {
  switch (filter) {
    case 'none':
      return value;
    case 'url':
      return encodeURIComponent(value.toWellFormed()).replace(/[!'()*]/g, percentEncoded);
    case 'json':
      return JSON.stringify(value).slice(1, -1);
  }
}

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
