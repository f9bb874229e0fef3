import { describe, expect, it } from 'vitest';
import { OverPhases } from '../../../../agent/worker/over-phases.ts';

describe('OverPhases', () => {
  it('tells each phase once, behind its end and the grace, and never the last one', () => {
    const phases = [
      { startNs: 0, durationNs: 100 },
      { startNs: 100, durationNs: 50 },
      { startNs: 150, durationNs: 50 },
    ];
    const over = new OverPhases(phases, 10);
    expect(over.nextNs).toBe(110);
    expect(over.take(110)).toBeNull();
    expect(over.take(111)).toBe(0);
    expect(over.take(111)).toBeNull();
    expect(over.nextNs).toBe(160);
    expect(over.take(1e9)).toBe(1);
    expect(over.take(1e9)).toBeNull();
    expect(over.nextNs).toBe(Infinity);
  });

  it('leaves out what has no length: everything at once goes on as long as it takes', () => {
    const over = new OverPhases(
      [
        { startNs: 0, durationNs: 0 },
        { startNs: 0, durationNs: 100 },
      ],
      10,
    );
    expect(over.nextNs).toBe(Infinity);
  });
});
