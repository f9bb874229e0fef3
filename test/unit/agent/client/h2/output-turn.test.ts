/** What is written while a read is worked off goes out behind it, everything else at once. */
import { expect, it } from 'vitest';
import { OutputTurn } from '../../../../../agent/client/h2/output-turn.ts';

it('flushes at once outside a read, and in order behind one, also when that ends badly', () => {
  const turn = new OutputTurn();
  const order: string[] = [];
  const one = (name: string) => ({ flush: () => void order.push(name) });
  turn.note(one('a'));
  expect(order).toEqual(['a']);
  turn.during(() => {
    turn.note(one('b'));
    turn.note(one('c'));
    expect(order).toEqual(['a']);
  });
  expect(order).toEqual(['a', 'b', 'c']);
  expect(() =>
    turn.during(() => {
      turn.note(one('d'));
      throw new Error('broken');
    }),
  ).toThrow('broken');
  turn.note(one('e'));
  expect(order).toEqual(['a', 'b', 'c', 'd', 'e']);
});
