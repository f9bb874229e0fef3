import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dealSlots } from '../../../../coordinator/fleet/deal-slots.ts';

const agents = fc
  .array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 12 })
  .map((workers) => workers.map((count, i) => ({ agentId: `agent-${i}`, workers: count })));

describe('dealing', () => {
  it('every lane has exactly one owner, slots are 0..W-1, and slot k has the lanes l with l mod W = k', () => {
    fc.assert(
      fc.property(
        agents,
        fc.integer({ min: 0, max: 12 }),
        fc.option(fc.integer({ min: 1, max: 5 })),
        (fleet, log2, each) => {
          const laneCount = 2 ** log2;
          const { workerSlots, grants } = dealSlots(fleet, laneCount, each);
          const all = [...grants.values()].flat();
          expect(all.map((grant) => grant.slot)).toEqual(Array.from({ length: workerSlots }, (_, slot) => slot));
          for (const { slot, lanes, epoch, fromNs } of all) {
            expect([...lanes].every((lane) => lane % workerSlots === slot)).toBe(true);
            expect([epoch, fromNs]).toEqual([0, 0]);
          }
          const dealt = all.flatMap(({ lanes }) => [...lanes]).sort((a, b) => a - b);
          expect(dealt).toEqual(Array.from({ length: laneCount }, (_, lane) => lane));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('uses as many threads of each agent as the plan says, and no more than it has', () => {
    const fleet = [
      { agentId: 'a', workers: 4 },
      { agentId: 'b', workers: 1 },
    ];
    const slotsOf = (each: number | null) =>
      [...dealSlots(fleet, 16, each).grants.values()].map((grants) => grants.map((grant) => grant.slot));
    expect(slotsOf(2)).toEqual([[0, 1], [2]]);
    expect(slotsOf(null)).toEqual([[0, 1, 2, 3], [4]]);
  });

  it('gives the probe one slot and its few lanes, wherever it stands among the agents', () => {
    const fleet = [
      { agentId: 'a', workers: 2 },
      { agentId: 'probe', workers: 3 },
      { agentId: 'b', workers: 1 },
    ];
    const { workerSlots, probe, grants } = dealSlots(fleet, 16, null, { agentId: 'probe', lanes: 2 });
    expect(workerSlots).toBe(4);
    expect(probe).toEqual({ slot: 2, lanes: 2 });
    const lanesOf = (agent: string) => grants.get(agent)?.map(({ slot, lanes }) => [slot, [...lanes]]);
    expect(lanesOf('probe')).toEqual([[2, [0, 8]]]);
    expect(lanesOf('a')).toEqual([
      [0, [1, 4, 7, 11, 14]],
      [1, [2, 5, 9, 12, 15]],
    ]);
    expect(lanesOf('b')).toEqual([[3, [3, 6, 10, 13]]]);
  });
});
