/** Traces in CSV: those of Azure's LLM inference service (2023, 2024) and BurstGPT. They record lengths, not texts: prompts are generated. */

import { FleetError } from '../fleet-error.ts';
import { knownNamesHint } from '../nearest-name.ts';
import { visitCsv } from '../plan/csv.ts';
import { type ExactInstant, type InstantUnit, parseInstantText } from '../schedule/instant-text.ts';
import { rowKey } from './prompt-recipe.ts';
import { LeftOut, type WorkloadRow, type WorkloadRows } from './workload-row.ts';

/** Reads an Azure trace: TIMESTAMP (date and time, 7 decimals, all kept), ContextTokens, GeneratedTokens. @throws FleetError 'plan'. */
export function readAzureTrace(text: string, source: string): WorkloadRows {
  const rows: WorkloadRow[] = [];
  visitColumns(text, source, ['TIMESTAMP', 'ContextTokens', 'GeneratedTokens'], ([at, input, output], line) => {
    rows.push(
      rowOf(
        rows.length,
        instantOf(at, 'date-time', source, line),
        wholeOf(input, source, line),
        wholeOf(output, source, line),
      ),
    );
  });
  return { rows, leftOut: {}, parameters: { timestamps: 'date-time' } };
}

/** What of a BurstGPT file is taken. */
export interface BurstGptOptions {
  /** Rows of this model alone; null = all. vLLM's reader takes `GPT-4`. */
  readonly model: string | null;
}

/** Reads BurstGPT: Timestamp (s), Model, Request tokens, Response tokens. A row without response tokens failed and is left out. @throws FleetError 'plan'. */
export function readBurstGpt(text: string, source: string, { model }: BurstGptOptions): WorkloadRows {
  const rows: WorkloadRow[] = [];
  const leftOut = new LeftOut();
  const columns = ['Timestamp', 'Model', 'Request tokens', 'Response tokens'];
  visitColumns(text, source, columns, ([at, rowModel, request, response], line) => {
    const outputTokens = wholeOf(response, source, line);
    if (model !== null && rowModel !== model) leftOut.add('other model');
    else if (outputTokens === 0) leftOut.add('no response tokens');
    else rows.push(rowOf(rows.length, instantOf(at, 's', source, line), wholeOf(request, source, line), outputTokens));
  });
  return { rows, leftOut: leftOut.counts, parameters: { timestamps: 's', model } };
}

function rowOf(index: number, at: ExactInstant, inputTokens: number, outputTokens: number): WorkloadRow {
  // A prompt is never empty, whatever the trace says.
  const blocks = [{ key: rowKey(index), tokens: Math.max(1, inputTokens) }];
  return { prompt: { kind: 'blocks', blocks }, inputTokens: Math.max(1, inputTokens), outputTokens, session: null, at };
}

function visitColumns(
  text: string,
  source: string,
  names: readonly string[],
  visit: (cells: readonly string[], line: () => number) => void,
): void {
  let places: number[] = [];
  visitCsv(text, source, {
    header: (header) => {
      places = names.map((name) => {
        const place = header.indexOf(name);
        if (place < 0)
          throw new FleetError('plan', `${source}: has no column "${name}"${knownNamesHint(name, header)}`);
        return place;
      });
    },
    row: (cells, line) =>
      visit(
        places.map((place) => cells[place] as string),
        line,
      ),
  });
}

function instantOf(text: string | undefined, unit: InstantUnit, source: string, line: () => number): ExactInstant {
  const instant = parseInstantText(text ?? '', unit);
  if (instant === null) {
    const expected = unit === 'date-time' ? 'a date and time' : `a number of ${unit}`;
    throw new FleetError('plan', `${source}: line ${line()}: "${(text ?? '').slice(0, 60)}" is not ${expected}`);
  }
  return instant;
}

function wholeOf(text: string | undefined, source: string, line: () => number): number {
  // Spreadsheets write whole numbers as 12.0.
  if (/^\s*[0-9]{1,9}(?:\.0+)?\s*$/.test(text ?? '')) return Number(text);
  throw new FleetError(
    'plan',
    `${source}: line ${line()}: "${(text ?? '').slice(0, 60)}" is not a whole number of tokens`,
  );
}
