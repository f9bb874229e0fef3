import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDeadlineNode, DeadlineList } from '../../../../agent/worker/deadline-list.ts';

describe('DeadlineList', () => {
  it('gives what has expired, in order, once', () => {
    const list = new DeadlineList<string>(100);
    const [a, b] = [createDeadlineNode('a'), createDeadlineNode('b')];
    list.start(a, 0);
    list.start(b, 50);
    expect(list.earliestNs()).toBe(100);
    expect(list.takeExpired(99)).toBeNull();
    expect(list.takeExpired(120)).toBe('a');
    expect(list.takeExpired(120)).toBeNull();
    expect(list.earliestNs()).toBe(150);
  });

  it('R013 holds a limit of any length', () => {
    for (const ms of [2 ** 31 - 2, 2 ** 31 - 1, 2 ** 31, 2 ** 32 + 5000]) {
      const list = new DeadlineList<string>(ms * 1e6);
      list.start(createDeadlineNode('a'), 0);
      expect(list.takeExpired(ms * 1e6 - 1)).toBeNull();
      expect(list.takeExpired(ms * 1e6)).toBe('a');
    }
  });

  it('behaves like a sorted list under any starts, restarts and removals', () => {
    const action = fc.record({ node: fc.nat(7), step: fc.nat(50), kind: fc.constantFrom('start', 'remove', 'expire') });
    fc.assert(
      fc.property(fc.array(action, { maxLength: 80 }), (actions) => {
        const limit = 100;
        const list = new DeadlineList<number>(limit);
        const nodes = Array.from({ length: 8 }, (_unused, owner) => createDeadlineNode(owner));
        const model = new Map<number, number>();
        let nowNs = 0;
        for (const { node, step, kind } of actions) {
          nowNs += step;
          if (kind === 'start') {
            list.start(nodes[node]!, nowNs);
            model.delete(node);
            model.set(node, nowNs + limit);
          } else if (kind === 'remove') {
            list.remove(nodes[node]!);
            model.delete(node);
          } else {
            const expired = [...model].filter(([, due]) => due <= nowNs).map(([owner]) => owner);
            const taken: number[] = [];
            for (let owner = list.takeExpired(nowNs); owner !== null; owner = list.takeExpired(nowNs))
              taken.push(owner);
            for (const owner of expired) model.delete(owner);
            expect(taken).toEqual(expired);
          }
          expect(list.earliestNs()).toBe(Math.min(Infinity, ...model.values()));
        }
      }),
    );
  });
});
