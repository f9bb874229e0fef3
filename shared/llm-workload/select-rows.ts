/** What of a workload is used: rows that are too long left out or cut, a seeded sample, a number of rows; in order of time where it has times. */

import { FleetError } from '../fleet-error.ts';
import { durationText } from '../time/duration-text.ts';
import type { Seed } from '../random/seed.ts';
import { nsBetween } from '../schedule/instant-text.ts';
import { WORKLOAD_PURPOSE, WorkloadDraws } from './workload-draws.ts';
import { LeftOut, type PromptBlock, type WorkloadRow } from './workload-row.ts';

/** Which rows of a workload are used. */
export interface Selection {
  /** The first so many rows, after all else; null = all. */
  readonly limit: number | null;
  /** So many rows drawn without replacement, kept in their order; null = all. */
  readonly sample: number | null;
  readonly inputTokensMax: number | null;
  readonly outputTokensMax: number | null;
  /** What happens to a row above a maximum. Only generated prompts can be cut. */
  readonly tooLong: 'leave-out' | 'cut';
}

/** The rows that are used, and how many were not, by rule. @throws FleetError 'plan' when none is left. */
export function selectRows(
  rows: readonly WorkloadRow[],
  selection: Selection,
  seed: Seed,
  source: string,
): { readonly rows: readonly WorkloadRow[]; readonly leftOut: Readonly<Record<string, number>> } {
  const leftOut = new LeftOut();
  const fitting = rows.flatMap((row) => fitted(row, selection, leftOut, source));
  const sampled = sampleOf(fitting, selection.sample, seed, source);
  const chosen = inTimeOrder(sampled, source).slice(0, selection.limit ?? sampled.length);
  for (let dropped = chosen.length; dropped < fitting.length; dropped += 1) leftOut.add('not chosen');
  if (chosen.length === 0) throw new FleetError('plan', `${source}: no row is left after its rules`);
  return { rows: chosen, leftOut: leftOut.counts };
}

function fitted(row: WorkloadRow, selection: Selection, leftOut: LeftOut, source: string): WorkloadRow[] {
  const { inputTokensMax, outputTokensMax, tooLong } = selection;
  // Servers refuse to answer in 0 tokens: such a row would count as their failure.
  if (row.outputTokens === 0) {
    leftOut.add('no output tokens');
    return [];
  }
  const isInputLong = inputTokensMax !== null && row.inputTokens > inputTokensMax;
  const isOutputLong = outputTokensMax !== null && (row.outputTokens ?? 0) > outputTokensMax;
  if (!isInputLong && !isOutputLong) return [row];
  if (tooLong === 'leave-out') {
    leftOut.add(isInputLong ? 'input too long' : 'output too long');
    return [];
  }
  return [
    {
      ...row,
      ...(isInputLong ? cutInput(row, inputTokensMax, source) : {}),
      ...(isOutputLong ? { outputTokens: outputTokensMax } : {}),
    },
  ];
}

function cutInput(
  { prompt }: WorkloadRow,
  tokensMax: number,
  source: string,
): Pick<WorkloadRow, 'prompt' | 'inputTokens'> {
  if (prompt.kind === 'text')
    throw new FleetError('plan', `${source}: tooLong: cut is for generated prompts, not for texts`);
  const blocks: PromptBlock[] = [];
  let left = tokensMax;
  for (const { key, tokens } of prompt.blocks) {
    if (left <= 0) break;
    blocks.push({ key, tokens: Math.min(tokens, left) });
    left -= tokens;
  }
  return { prompt: { kind: 'blocks', blocks }, inputTokens: tokensMax };
}

function sampleOf(
  rows: readonly WorkloadRow[],
  size: number | null,
  seed: Seed,
  source: string,
): readonly WorkloadRow[] {
  if (size === null) return rows;
  if (size > rows.length)
    throw new FleetError('plan', `${source}: a sample of ${size} of ${rows.length} rows; there are not so many`);
  const places = new WorkloadDraws(seed, WORKLOAD_PURPOSE.sample).shuffled([...rows.keys()]).slice(0, size);
  return places.sort((a, b) => a - b).map((place) => rows[place] as WorkloadRow);
}

/** By time where every row has one, those of one instant as they were; as written where none has. */
function inTimeOrder(rows: readonly WorkloadRow[], source: string): readonly WorkloadRow[] {
  const timed = rows.filter(({ at }) => at !== null).length;
  if (timed === 0) return rows;
  if (timed < rows.length)
    throw new FleetError('plan', `${source}: ${rows.length - timed} of ${rows.length} rows have no timestamp`);
  return rows.toSorted((a, b) => (a.at === null || b.at === null ? 0 : nsBetween(a.at, b.at)));
}

/** Instants of the rows from the first one, ns, `speed` times faster; null where the rows have none. @throws FleetError 'plan' beyond 2^53 ns. */
export function instantsOf(rows: readonly WorkloadRow[], speed: number, source: string): Float64Array | null {
  const zero = rows[0]?.at ?? null;
  if (zero === null) return null;
  const instantsNs = Float64Array.from(rows, ({ at }) => (at === null ? 0 : Math.floor(nsBetween(at, zero) / speed)));
  const lastNs = instantsNs.at(-1) ?? 0;
  if (!Number.isSafeInteger(lastNs))
    throw new FleetError(
      'plan',
      `${source}: spans ${durationText(lastNs)} at speed ${speed}, the limit is 2^53 ns (104 days)`,
    );
  return instantsNs;
}
