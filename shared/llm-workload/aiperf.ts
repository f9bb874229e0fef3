/**
 * AIPerf's JSON lines: single_turn rows and multi_turn sessions, with texts of their own. Media are refused, not dropped: a request without
 * its image is another request. Of a session with several turns only what can be sent without its answers is taken, and only when asked.
 */

import { parseInstantText } from '../schedule/instant-text.ts';
import { JsonLine, readJsonLines } from './json-lines.ts';
import { LeftOut, type TokenCounter, type WorkloadRow, type WorkloadRows } from './workload-row.ts';

export interface AiPerfOptions {
  /** `refuse` sessions of several turns, or take the `first` turn of each and count the others as left out. */
  readonly laterTurns: 'refuse' | 'first';
}

/** Fields that hold what this reader cannot send. */
const MEDIA = ['image', 'images', 'audio', 'audios', 'video', 'videos'];

/** Reads a file of either kind. Timestamps are ms. @throws FleetError 'plan', with the line. */
export function readAiPerf(text: string, source: string, options: AiPerfOptions, counter: TokenCounter): WorkloadRows {
  const rows: WorkloadRow[] = [];
  const leftOut = new LeftOut();
  for (const line of readJsonLines(text, source)) {
    const turns = line.get('turns');
    if (turns === undefined) rows.push(rowOf(line, line.text('session_id'), counter));
    else rows.push(rowOf(firstTurn(line, turns, options, leftOut), line.text('session_id'), counter));
  }
  return { rows, leftOut: leftOut.counts, parameters: { ...options, timestamps: 'ms', tokenCounter: counter.name } };
}

function firstTurn(line: JsonLine, turns: unknown, { laterTurns }: AiPerfOptions, leftOut: LeftOut): JsonLine {
  if (!Array.isArray(turns) || turns.length === 0) return line.fail('"turns" is not a list with a turn');
  if (turns.length > 1 && laterTurns === 'refuse')
    return line.fail(
      `has ${turns.length} turns: later turns cannot be replayed yet; laterTurns: first takes the first`,
    );
  for (let later = 1; later < turns.length; later += 1) leftOut.add('later turn');
  const [first] = turns as readonly unknown[];
  if (typeof first === 'string') return new JsonLine({ text: first }, 'turn 1');
  if (typeof first !== 'object' || first === null) return line.fail('turn 1 is neither text nor an object');
  return new JsonLine(first as Record<string, unknown>, 'turn 1');
}

function rowOf(line: JsonLine, session: string | null, counter: TokenCounter): WorkloadRow {
  const medium = MEDIA.find((name) => line.get(name) !== undefined);
  if (medium !== undefined) line.fail(`has "${medium}": only text can be sent`);
  const prompt = promptOf(line);
  const at = line.numberText('timestamp');
  const output = line.get('output_length');
  return {
    prompt: { kind: 'text', text: prompt },
    inputTokens: counter.count(prompt),
    outputTokens: output === undefined || output === null ? null : line.whole('output_length', 1),
    session,
    at: at === null ? null : (parseInstantText(at, 'ms') ?? line.fail(`"timestamp" ${at} is not a number of ms`)),
  };
}

function promptOf(line: JsonLine): string {
  const single = line.text('text') ?? line.text('prompt');
  if (single !== null) return single;
  const texts = line.get('texts');
  if (Array.isArray(texts) && texts.length > 0 && texts.every((each) => typeof each === 'string'))
    return texts.join('\n');
  return line.fail('has no "text"');
}
