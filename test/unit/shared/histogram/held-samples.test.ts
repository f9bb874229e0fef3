import fc from 'fast-check';
import { expect, it } from 'vitest';
import { HELD_MAX, HeldSamples } from '../../../../shared/histogram/held-samples.ts';
import { VALUE_MAX } from '../../../../shared/histogram/layout.ts';
import { blockSum, createRecordingBlock, record } from '../../../../shared/histogram/recording-block.ts';

it('records what it holds exactly as if each sample had been recorded when it came', () => {
  const sample = fc.tuple(fc.oneof(fc.nat(5000), fc.nat({ max: 2 * VALUE_MAX })), fc.integer({ min: 1, max: 5 }));
  fc.assert(
    fc.property(fc.array(sample, { maxLength: 600 }), fc.array(fc.nat(5000), { maxLength: 5 }), (samples, before) => {
      const [direct, held] = [createRecordingBlock(), createRecordingBlock()];
      const holder = new HeldSamples();
      for (const value of before) {
        record(direct, value);
        record(held, value);
      }
      for (const [value, weight] of samples) {
        holder.add(value, weight);
        for (let time = 0; time < weight; time += 1) record(direct, value);
      }
      holder.recordInto(held);
      expect(blockSum(held)).toBe(blockSum(direct));
      expect({ ...held, sum: 0, sumCarry: 0 }).toEqual({ ...direct, sum: 0, sumCarry: 0 });
    }),
    { numRuns: 40 },
  );
});

it('is bounded: what does not fit is counted, and reset lets memory go', () => {
  const holder = new HeldSamples();
  for (let index = 0; index < HELD_MAX + 3; index += 1) holder.add(1, 2);
  expect([holder.length, holder.count, holder.beyond]).toEqual([HELD_MAX, 2 * HELD_MAX, 6]);
  holder.reset();
  expect([holder.length, holder.count, holder.sum, holder.beyond]).toEqual([0, 0, 0, 0]);
});
