import { describe, expect, it } from 'vitest';
import { PhaseEnds } from '../../../../agent/worker/phase-ends.ts';
import type { Phase } from '../../../../shared/plan/plan.ts';

const closed = (count: number | null): Pick<Phase, 'arrivals'> => ({
  arrivals: { kind: 'closed', concurrency: 1, thinkNs: 0, count },
});

describe('PhaseEnds', () => {
  it('tells of counted closed loops only, and only what is new', () => {
    const ends = new PhaseEnds([closed(3), closed(null), closed(2)]);
    expect(ends.take(false)).toEqual([]);
    for (const phase of [0, 1]) ends.note(phase, 5);
    // An end that is told late moves nothing back.
    ends.note(0, 4);
    expect(ends.take(false)).toEqual([{ name: 'lastEndNs.0', value: 5 }]);
    expect(ends.take(false)).toEqual([]);
    ends.note(2, 9);
    expect(ends.take(false)).toEqual([{ name: 'lastEndNs.2', value: 9 }]);
  });

  it('tells all that it knows where asked for the last word', () => {
    const ends = new PhaseEnds([closed(3), closed(3), closed(3)]);
    ends.note(0, 5);
    ends.take(false);
    ends.note(2, 9);
    expect(ends.take(true)).toEqual([
      { name: 'lastEndNs.0', value: 5 },
      { name: 'lastEndNs.2', value: 9 },
    ]);
  });
});
