/**
 * The published forms of the plan's grammar: the JSON Schema that gives editors completion (`docs/plan.schema.json`) and the tables of
 * the reference page (`docs/plan.md`). Tests hold both files to what is made here.
 */

import type { JsonSchema } from '../json-schema.ts';
import { DATASET_KEYS } from './dataset-grammar.ts';
import { closedKeys, datasetArrivalKeys, phaseKeys, RATE_SHAPE_KEYS, traceKeys } from './load-grammar.ts';
import { planField, planKeys, SECTIONS } from './plan-grammar.ts';
import type { Keys } from './record-field.ts';

/** The JSON Schema of a plan. It is looser than the parser: what values mean together only the parser knows. */
export function planSchema(): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'loadfleet plan',
    description: 'What is sent where, when and within which limits. Any value may be a variable, ${NAME}.',
    ...planField.schema,
  };
}

/** The tables of the reference page as Markdown, one per section, by section name. */
export function planTables(): ReadonlyMap<string, string> {
  const sections: [string, Keys][] = [
    ['plan', planKeys],
    ...Object.entries(SECTIONS),
    ['load[]', phaseKeys],
    ['load[].arrivals.trace', traceKeys],
    ['load[].arrivals.dataset', datasetArrivalKeys],
    ['load[].arrivals.closed', closedKeys],
    ...Object.entries(DATASET_KEYS).map(([name, keys]): [string, Keys] => [`data.dataset.${name}`, keys]),
    ...Object.entries(RATE_SHAPE_KEYS).map(([name, keys]): [string, Keys] => [`load[].rate.${name}`, keys]),
  ];
  return new Map(sections.map(([name, keys]) => [name, tableOf(keys)]));
}

function tableOf(keys: Keys): string {
  const rows = Object.entries(keys).map(([name, { field, meaning, presence }]) => {
    const fallback = presence.kind === 'required' ? '**required**' : presence.words;
    return `| \`${name}\` | ${cell(field.words)} | ${cell(fallback)} | ${cell(meaning)} |`;
  });
  return ['| key | value | default | meaning |', '|---|---|---|---|', ...rows].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
