import { describe, expect, it } from 'vitest';
import { counterDomain } from '../../../../shared/random/counter-domain.ts';
import { drawForIndex, drawForLane } from '../../../../shared/random/keyed-draw.ts';
import { philox4x32 } from '../../../../shared/random/philox.ts';

const seed = { lo: 0x89abcdef, hi: 0x01234567 };

function words(write: (into: Uint32Array) => void): number[] {
  const into = new Uint32Array(4);
  write(into);
  return [...into];
}

describe('payload draws', () => {
  it('of a lanes arrival use counter [rank, block, lane, domain | trialField << 8]', () => {
    const drawn = words((into) =>
      drawForLane(seed, 0x203, { lane: 7, block: 3, rank: 11 }, counterDomain.requestChoice, into),
    );
    expect(drawn).toEqual(words((into) => philox4x32(11, 3, 7, 0x20303, seed.lo, seed.hi, into)));
  });

  it('of an indexed arrival use counter [index lo, index hi, 0, (128 + domain) | trialField << 8]', () => {
    const drawn = words((into) => drawForIndex(seed, 0x203, 5 * 2 ** 32 + 9, counterDomain.dataRow, into));
    expect(drawn).toEqual(words((into) => philox4x32(9, 5, 0, 0x20384, seed.lo, seed.hi, into)));
  });

  it('differ between identities, domains, trials and phases', () => {
    const identity = { lane: 1, block: 2, rank: 3 };
    const drawn = [
      words((into) => drawForLane(seed, 0, identity, 3, into)),
      words((into) => drawForLane(seed, 0, { ...identity, rank: 4 }, 3, into)),
      words((into) => drawForLane(seed, 0, identity, 4, into)),
      words((into) => drawForLane(seed, 1, identity, 3, into)),
      words((into) => drawForLane(seed, 256, identity, 3, into)),
      words((into) => drawForIndex(seed, 0, 1, 3, into)),
    ].map(String);
    expect(new Set(drawn).size).toBe(drawn.length);
  });
});
