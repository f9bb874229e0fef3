/**
 * AIPerf's JSON lines: single_turn rows and multi_turn sessions, with texts of their own. What cannot be sent as it is said (media, another
 * role, members of the body) is refused, not dropped: a request without its image is another request. A session is one row; its later
 * turns follow `delay` ms after the answer before.
 */

import { parseInstantText } from '../schedule/instant-text.ts';
import { type JsonLine, readJsonLines } from './json-lines.ts';
import type { LaterTurn } from './later-turns.ts';
import { LeftOut, type TokenCounter, type WorkloadRow, type WorkloadRows } from './workload-row.ts';

/** What a plan may say of such a file. */
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
      refuseDelay(line);
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
    const place = `turn ${index + 1}`;
    if (typeof turn === 'string') return line.part({ text: turn }, place);
    if (typeof turn !== 'object' || turn === null) return line.fail(`${place} is neither text nor an object`);
    return line.part(turn as Record<string, unknown>, place);
  });
}

/** Only its delay says when a later turn is due: it follows an answer, whose end nobody knows beforehand. */
function laterTurnOf(line: JsonLine): LaterTurn {
  refuseUnsendable(line);
  const delay = line.numberText('delay');
  if (delay === null && isGiven(line.get('timestamp')))
    return line.fail('has a "timestamp" and no "delay": a later turn follows the answer before, so it needs a delay');
  const delayNs = delay === null ? 0 : delayNsOf(line, delay);
  const output = line.get('output_length');
  return {
    text: promptOf(line),
    outputTokens: output === undefined || output === null ? null : line.whole('output_length', 1),
    delayNs,
  };
}

/** A row of its own that is to follow something, as the turns of a session one by one: sent without its delay, it would be another load. */
function refuseDelay(line: JsonLine): void {
  const delay = line.numberText('delay');
  if (delay !== null && delayNsOf(line, delay) > 0)
    line.fail(
      'has a "delay" and follows no answer: put the turns of a session into "turns", or give a "timestamp" in its place',
    );
}

function delayNsOf(line: JsonLine, text: string): number {
  const delayNs = /^[0-9]/.test(text) && !/[^0-9.e+-]/i.test(text) ? Math.round(Number(text) * 1e6) : Number.NaN;
  return Number.isSafeInteger(delayNs) ? delayNs : line.fail(`"delay" ${JSON.stringify(text)} is not a number of ms`);
}

function refuseUnsendable(line: JsonLine): void {
  const medium = MEDIA.find((name) => isGiven(line.get(name)));
  if (medium !== undefined) line.fail(`has "${medium}": only text can be sent`);
  const role = line.text('role') ?? 'user';
  if (role !== 'user') line.fail(`has role "${role.slice(0, 60)}": only a user's texts can be sent`);
  if (isGiven(line.get('extra')))
    line.fail('has "extra": members of the body are the same for all rows, give them as extraBody');
}

/** False for what says nothing: null, an empty list, an empty object. */
function isGiven(value: unknown): boolean {
  if (value === undefined || value === null) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

function rowOf(line: JsonLine, session: string | null, counter: TokenCounter): WorkloadRow {
  refuseUnsendable(line);
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
  if (single !== null) return single.trim() === '' ? line.fail('its text is empty') : single;
  const texts = line.get('texts');
  if (Array.isArray(texts) && texts.length > 0 && texts.every((each) => typeof each === 'string'))
    return texts.join('\n');
  return line.fail('has no "text"');
}
