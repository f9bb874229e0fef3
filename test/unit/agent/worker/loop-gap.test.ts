import { describe, expect, it } from 'vitest';
import { GAP_MERGE_NS, LoopGapMeter } from '../../../../agent/worker/loop-gap.ts';

function meterWith(idle: { ns: number }): { meter: LoopGapMeter; samples: number[] } {
  const samples: number[] = [];
  return {
    meter: new LoopGapMeter(
      () => idle.ns,
      (gapNs) => samples.push(gapNs),
    ),
    samples,
  };
}

describe('LoopGapMeter', () => {
  it('takes the time blocked in the poll off a gap', () => {
    const idle = { ns: 0 };
    const { meter, samples } = meterWith(idle);
    meter.turn(0, false);
    idle.ns = 900_000;
    meter.turn(1_000_000, true);
    expect(samples).toEqual([100_000]);
  });

  it('puts quick turns together, so that their time is kept and never looks shorter', () => {
    const { meter, samples } = meterWith({ ns: 0 });
    for (let turn = 0; turn <= 1000; turn += 1) meter.turn(turn * 3_000, false);
    expect(samples.every((gap) => gap >= GAP_MERGE_NS && gap < 2 * GAP_MERGE_NS)).toBe(true);
    const sum = samples.reduce((total, gap) => total + gap, 0);
    expect(sum).toBeLessThanOrEqual(3_000_000);
    expect(sum).toBeGreaterThan(3_000_000 - GAP_MERGE_NS);
  });

  it('does not take a pause between trials for a gap', () => {
    const { meter, samples } = meterWith({ ns: 0 });
    meter.turn(0, false);
    meter.reset();
    meter.turn(5e9, false);
    expect(samples).toEqual([]);
  });
});
