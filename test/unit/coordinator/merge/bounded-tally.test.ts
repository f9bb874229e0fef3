import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BoundedTally } from '../../../../coordinator/merge/bounded-tally.ts';

describe('BoundedTally', () => {
  it('counts texts, most frequent first', () => {
    const tally = new BoundedTally(10);
    tally.add('b', 1);
    tally.add('a', 2);
    tally.add('c', 2);
    tally.add('b', 5);
    expect(tally.entries()).toEqual([
      { text: 'b', count: 6 },
      { text: 'a', count: 2 },
      { text: 'c', count: 2 },
    ]);
    expect(tally.other).toBe(0);
  });

  it('R095 keeps a bounded number of texts and counts the rest', () => {
    const tally = new BoundedTally(3);
    for (let id = 0; id < 100_000; id += 1) tally.add(`no route to ${String(id)}`, 1);
    expect(tally.entries()).toHaveLength(3);
    expect(tally.other).toBe(99_997);
  });

  it('gives the same tally for every order', () => {
    const adds = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), fc.nat(9)), { maxLength: 40 });
    fc.assert(
      fc.property(adds, fc.infiniteStream(fc.nat()), (list, keys) => {
        const tallyOf = (ordered: readonly (readonly [string, number])[]): unknown => {
          const tally = new BoundedTally(3);
          for (const [text, count] of ordered) tally.add(text, count);
          return [tally.entries(), tally.other];
        };
        const shuffled = list
          .map((add) => ({ add, key: keys.next().value as number }))
          .sort((a, b) => a.key - b.key)
          .map(({ add }) => add);
        expect(tallyOf(shuffled)).toEqual(tallyOf(list));
      }),
    );
  });
});
