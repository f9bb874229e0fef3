/** The later turns of a session, as they travel in a row. */
import { describe, expect, it } from 'vitest';
import {
  formatLaterTurns,
  type LaterTurn,
  laterTurnCount,
  parseLaterTurns,
} from '../../../../shared/llm-workload/later-turns.ts';
import { FleetError } from '../../../../shared/fleet-error.ts';

const turns: readonly LaterTurn[] = [
  { text: 'and "then",\n\u{1f600}?', outputTokens: 12, delayNs: 1_500_000_000 },
  { text: '', outputTokens: null, delayNs: 0 },
];

describe('later turns', () => {
  it('come back as they were, texts to the character', () => {
    expect(parseLaterTurns(formatLaterTurns(turns))).toEqual(turns);
  });

  it('are counted without being read', () => {
    const many = Array.from({ length: 12 }, () => turns[0] as LaterTurn);
    expect([[], turns, many].map((some) => laterTurnCount(formatLaterTurns(some)))).toEqual([0, 2, 12]);
  });

  it('of a session of one turn are an empty cell', () => {
    expect(formatLaterTurns([])).toBe('');
    expect(parseLaterTurns('')).toEqual([]);
  });

  it.each([
    '[',
    '{}',
    '[1]',
    '[["text",1,2]]',
    '[2,["text",1,2]]',
    '[1,["text"]]',
    '[1,["text",1,"2"]]',
    '[1,[1,null,0]]',
  ])('refuses %s', (cell) => {
    expect(() => parseLaterTurns(cell)).toThrow(FleetError);
  });
});
