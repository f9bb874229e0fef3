import { describe, expect, it } from 'vitest';
import type { SlotFidelity } from '../../../../shared/metrics/fidelity.ts';
import { fidelityFromProto, fidelityToProto } from '../../../../shared/rpc/fidelity-codec.ts';

const EXACT_MAX = Number.MAX_SAFE_INTEGER;
const bins = { bins: 1000, planned: 1, plannedSquares: EXACT_MAX, sent: 3, sentSquares: 4, moved: 5 };
const fidelity: SlotFidelity = {
  slot: 3,
  window: 7,
  backlogBefore: EXACT_MAX,
  planned: [1, 2, 3, 4, 5, 6, 7, 8, 9, EXACT_MAX],
  sent: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  unsent: [9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
  phases: [
    { phase: 0, fine: bins, coarse: { ...bins, bins: 100, moved: 0 } },
    { phase: 255, fine: { ...bins, bins: 0 }, coarse: bins },
  ],
};

describe('planned against sent on the wire', () => {
  it('comes back as it went, to the last unit', () => {
    expect(fidelityFromProto(fidelityToProto(fidelity))).toEqual(fidelity);
  });

  it('cannot be sent unless every figure is an exact integer', () => {
    expect(() => fidelityToProto({ ...fidelity, backlogBefore: 0.5 })).toThrow('fidelity.backlog_before is 0.5');
    expect(() => fidelityToProto({ ...fidelity, sent: [2 ** 53] })).toThrow('fidelity.sent');
  });

  it.each([
    ['too few bins', (wire: ReturnType<typeof fidelityToProto>) => wire.planned.pop(), 'fidelity.planned has 9 counts'],
    ['a slot beyond all fleets', (wire: ReturnType<typeof fidelityToProto>) => (wire.slot = 2 ** 31), 'fidelity.slot'],
    [
      'a count beyond 2^53',
      (wire: ReturnType<typeof fidelityToProto>) => (wire.unsent[0] = 2n ** 60n),
      'fidelity.unsent',
    ],
    ['a phase beyond the last', (wire: ReturnType<typeof fidelityToProto>) => (wire.phases[0]!.phase = 256), 'phase'],
    ['bins left out', (wire: ReturnType<typeof fidelityToProto>) => delete wire.phases[0]!.coarse, 'coarse is missing'],
  ])('R070 %s: refused by name', (_what, spoil, message) => {
    const wire = fidelityToProto(fidelity);
    spoil(wire);
    expect(() => fidelityFromProto(wire)).toThrow(message);
  });
});
