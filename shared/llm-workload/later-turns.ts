/**
 * The turns of a session after its first: they travel in a column of the session's one row, as JSON. A turn is what the user says next, how long
 * the answer is to be, and how long after the answer before it is said.
 */

import { FleetError } from '../fleet-error.ts';

/** The column that holds them; only workloads with a session of several turns have it. */
export const LATER_TURNS_COLUMN = 'later_turns';

/** One later turn. */
export interface LaterTurn {
  readonly text: string;
  /** Null = as the request says. */
  readonly outputTokens: number | null;
  /** From the end of the answer before to this turn, ns. */
  readonly delayNs: number;
}

/** The cell of a row: how many there are, then each of them. Empty for a session of one turn. */
export function formatLaterTurns(turns: readonly LaterTurn[]): string {
  return turns.length === 0
    ? ''
    : JSON.stringify([
        turns.length,
        ...turns.map(({ text, outputTokens, delayNs }) => [text, outputTokens, delayNs] as const),
      ]);
}

/** How many turns a cell holds, without reading them: it may be asked while requests are due. */
export function laterTurnCount(cell: string): number {
  return cell === '' ? 0 : Number.parseInt(cell.slice(1), 10);
}

/** Reads a cell. @throws FleetError 'plan' for text that `formatLaterTurns` does not write. */
export function parseLaterTurns(cell: string): readonly LaterTurn[] {
  if (cell === '') return [];
  const value = jsonOf(cell);
  if (!Array.isArray(value)) throw malformed();
  const [count, ...turns] = value as readonly unknown[];
  if (count !== turns.length) throw malformed();
  return turns.map((turn: unknown) => {
    const [text, outputTokens, delayNs] = Array.isArray(turn) ? (turn as readonly unknown[]) : [];
    if (typeof text !== 'string' || typeof delayNs !== 'number') throw malformed();
    return { text, outputTokens: typeof outputTokens === 'number' ? outputTokens : null, delayNs };
  });
}

function jsonOf(cell: string): unknown {
  try {
    return JSON.parse(cell);
  } catch (cause) {
    throw new FleetError('plan', `column ${LATER_TURNS_COLUMN}: a cell is not JSON`, { cause });
  }
}

function malformed(): FleetError {
  return new FleetError('plan', `column ${LATER_TURNS_COLUMN}: a cell is no list of turns`);
}
