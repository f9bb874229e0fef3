import { describe, expect, it } from 'vitest';
import { BatchSlots } from '../../../../target/llm/batch-slots.ts';

describe('batch slots', () => {
  it('starts at most as many as there are slots, the others first come first served', () => {
    const slots = new BatchSlots(2);
    const started: number[] = [];
    for (const number of [0, 1, 2, 3]) slots.enter(() => started.push(number));
    expect([started, slots.running, slots.waiting]).toEqual([[0, 1], 2, 2]);
    slots.leave();
    expect([started, slots.running, slots.waiting]).toEqual([[0, 1, 2], 2, 1]);
    slots.leave();
    slots.leave();
    slots.leave();
    expect([started, slots.running, slots.waiting]).toEqual([[0, 1, 2, 3], 0, 0]);
  });

  it('forgets who gave up while waiting, and nobody else', () => {
    const slots = new BatchSlots(1);
    const started: string[] = [];
    const leaveFirst = slots.enter(() => started.push('a'));
    const giveUp = slots.enter(() => started.push('b'));
    slots.enter(() => started.push('c'));
    giveUp();
    giveUp();
    leaveFirst();
    slots.leave();
    expect([started, slots.running, slots.waiting]).toEqual([['a', 'c'], 1, 0]);
  });

  it('has no limit without a number', () => {
    const slots = new BatchSlots(null);
    for (let number = 0; number < 1000; number += 1) slots.enter(() => undefined);
    expect([slots.running, slots.waiting]).toEqual([1000, 0]);
  });
});
