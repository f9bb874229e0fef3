import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { BinaryHeap } from '../../../shared/binary-heap.ts';

interface Item {
  readonly key: number;
  readonly order: number;
}

const isBefore = (a: Item, b: Item): boolean => a.key < b.key || (a.key === b.key && a.order < b.order);

describe('BinaryHeap', () => {
  it('gives what a sorted list gives, whatever is put in and taken out in between', () => {
    const steps = fc.array(fc.oneof(fc.integer({ min: 0, max: 9 }), fc.constant('take' as const)), { maxLength: 200 });
    fc.assert(
      fc.property(steps, (list) => {
        const heap = new BinaryHeap<Item>(isBefore);
        const model: Item[] = [];
        for (const [order, step] of list.entries()) {
          if (step === 'take') {
            expect(heap.take()).toBe(model.shift() ?? null);
          } else {
            const item = { key: step, order };
            heap.push(item);
            model.push(item);
            model.sort((a, b) => a.key - b.key || a.order - b.order);
          }
          expect(heap.length).toBe(model.length);
          expect(heap.peek()).toBe(model[0] ?? null);
        }
      }),
      { seed: 7, numRuns: 300 },
    );
  });

  it('is empty after clear', () => {
    const heap = new BinaryHeap<Item>(isBefore);
    heap.push({ key: 1, order: 0 });
    heap.clear();
    expect([heap.length, heap.peek(), heap.take()]).toEqual([0, null, null]);
  });
});
