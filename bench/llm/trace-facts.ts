/** What the recorded traces hold, read by other code than that which replays them: the books of a replay are checked against it. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export interface Trace {
  readonly name: string;
  readonly kind: 'azure' | 'mooncake';
  readonly file: string;
}

export const TRACES: readonly Trace[] = [
  { name: 'azure-code', kind: 'azure', file: 'azure-llm-2023-code.csv' },
  { name: 'azure-conv', kind: 'azure', file: 'azure-llm-2023-conv.csv' },
  { name: 'mooncake', kind: 'mooncake', file: 'mooncake-conversation.jsonl' },
];

/** What of a trace is replayed: its first rows, their answers cut to a length. */
export interface TraceCut {
  readonly limit?: number;
  readonly maxOutputTokens?: number;
}

export interface TraceFacts {
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly lengthSeconds: number;
}

/** Path of the trace's file in `folder`; null, and said, where it is not there. */
export function traceFile({ name, file }: Trace, folder: string): string | null {
  const path = resolve(join(folder, file));
  if (existsSync(path)) return path;
  console.log(`${name}: ${file} is not in ${folder}`);
  return null;
}

/** Facts of the trace's file at `path`. */
export function traceFacts(kind: Trace['kind'], path: string, cut: TraceCut = {}): TraceFacts {
  return factsOfText(kind, readFileSync(path, 'utf8'), cut);
}

/** The same of the file's text. */
export function factsOfText(kind: Trace['kind'], text: string, cut: TraceCut = {}): TraceFacts {
  const lines = text.split(/\r?\n/).filter((line) => line !== '');
  const rows = (
    kind === 'azure'
      ? lines.slice(1).map((line) => {
          const [at = '', input, output] = line.split(',');
          return {
            at: Date.parse(`${at.slice(0, 23).replace(' ', 'T')}Z`) / 1000,
            input: Number(input),
            output: Number(output),
          };
        })
      : lines.map((line) => {
          const row = JSON.parse(line) as { timestamp: number; input_length: number; output_length: number };
          return { at: row.timestamp / 1000, input: row.input_length, output: row.output_length };
        })
  ).slice(0, cut.limit);
  const times = rows.map(({ at }) => at);
  const maxOutput = cut.maxOutputTokens ?? Number.POSITIVE_INFINITY;
  return {
    requests: rows.length,
    inputTokens: rows.reduce((sum, { input }) => sum + input, 0),
    // A request for no token is none: it asks for one.
    outputTokens: rows.reduce((sum, { output }) => sum + Math.min(maxOutput, Math.max(1, output)), 0),
    lengthSeconds:
      times.reduce((max, at) => Math.max(max, at), -Infinity) - times.reduce((min, at) => Math.min(min, at), Infinity),
  };
}
