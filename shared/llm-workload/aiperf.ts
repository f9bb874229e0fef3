/**
 * AIPerf's JSON lines: single_turn rows and multi_turn sessions, with texts of their own. Media are refused, not dropped: a request without
 * its image is another request. A session is one row; its later turns follow `delay` ms after the answer before.
 */

import { parseInstantText } from '../schedule/instant-text.ts';
import { JsonLine, readJsonLines } from './json-lines.ts';
import type { LaterTurn } from './later-turns.ts';
import { LeftOut, type TokenCounter, type WorkloadRow, type WorkloadRows } from './workload-row.ts';

export interface AiPerfOptions {
  /** `send` all turns of a session, `refuse` sessions of several, or take the `first` turn of each and count the others as left out. */
  readonly laterTurns: 'send' | 'refuse' | 'first';
}

/** Fields that hold what this reader cannot send. */
const MEDIA = ['image', 'images', 'audio', 'audios', 'video', 'videos'];

/** Reads a file of either kind. Timestamps are ms. @throws FleetError 'plan', with the line. */
export function readAiPerf(text: string, source: string, options: AiPerfOptions, counter: TokenCounter): WorkloadRows {
  const rows: WorkloadRow[] = [];
  const leftOut = new LeftOut();
  for (const line of readJsonLines(text, source)) {
    const turns = line.get('turns');
    const session = line.text('session_id');
    if (turns === undefined) {
      rows.push(rowOf(line, session, counter));
      continue;
    }
    const [first, ...later] = turnsOf(line, turns, options, leftOut);
    if (first === undefined) continue;
    const row = rowOf(first, session, counter);
    rows.push(later.length === 0 ? row : { ...row, laterTurns: later.map(laterTurnOf) });
  }
  return { rows, leftOut: leftOut.counts, parameters: { ...options, timestamps: 'ms', tokenCounter: counter.name } };
}

/** The turns that are sent, the first one first. */
function turnsOf(line: JsonLine, turns: unknown, { laterTurns }: AiPerfOptions, leftOut: LeftOut): readonly JsonLine[] {
  if (!Array.isArray(turns) || turns.length === 0) return line.fail('"turns" is not a list with a turn');
  if (turns.length > 1 && laterTurns === 'refuse')
    return line.fail(`has ${turns.length} turns; laterTurns: send sends them all, first only the first`);
  const sent = laterTurns === 'first' ? turns.slice(0, 1) : turns;
  for (let later = sent.length; later < turns.length; later += 1) leftOut.add('later turn');
  return (sent as readonly unknown[]).map((turn, index) => {
    if (typeof turn === 'string') return new JsonLine({ text: turn }, `turn ${index + 1}`);
    if (typeof turn !== 'object' || turn === null) return line.fail(`turn ${index + 1} is neither text nor an object`);
    return new JsonLine(turn as Record<string, unknown>, `turn ${index + 1}`);
  });
}

/** Only its delay says when a later turn is due: it follows an answer, whose end nobody knows beforehand. */
function laterTurnOf(line: JsonLine): LaterTurn {
  refuseMedia(line);
  const delay = line.numberText('delay');
  const delayNs = delay === null ? 0 : Math.round(Number(delay) * 1e6);
  if (!Number.isSafeInteger(delayNs) || delayNs < 0) return line.fail(`"delay" ${String(delay)} is not a number of ms`);
  const output = line.get('output_length');
  return {
    text: promptOf(line),
    outputTokens: output === undefined || output === null ? null : line.whole('output_length', 1),
    delayNs,
  };
}

function refuseMedia(line: JsonLine): void {
  const medium = MEDIA.find((name) => line.get(name) !== undefined);
  if (medium !== undefined) line.fail(`has "${medium}": only text can be sent`);
}

function rowOf(line: JsonLine, session: string | null, counter: TokenCounter): WorkloadRow {
  refuseMedia(line);
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
