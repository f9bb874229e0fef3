import { describe, expect, it } from 'vitest';
import { createArrival } from '../../../../shared/schedule/arrival-stream.ts';
import { digestArrivals, digestInstants } from '../../../../shared/schedule/schedule-digest.ts';
import {
  basisOf,
  instantsOf,
  knotsOf,
  phasesOf,
  poisson,
  sha256,
  shareOf,
  unionOf,
} from '../../../support/schedule-of.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('digestInstants', () => {
  it('hashes unsigned 64-bit little-endian numbers', () => {
    expect(digestInstants([1, 2 ** 40 + 2, 2 ** 53 - 1], hex)).toBe(
      '0100000000000000' + '0200000000010000' + 'ffffffffffff1f00',
    );
  });

  // The published digests (M§1.3), S lanes each: n, first and last instant, SHA-256.
  const step = poisson([0, 50], [30, 50], [30, 500], [40, 500], [40, 50], [60, 50]);
  const flat = poisson([0, 1000], [10, 1000]);
  it.each([
    [
      'S=16, constant',
      16,
      flat,
      10,
      10_042,
      1_567_374,
      9_999_899_640,
      '77896cb5a1c1377191d509be883cf9e2591756263e5610114010862b4699d113',
    ],
    [
      'S=16, ramp',
      16,
      poisson([0, 100], [60, 700]),
      60,
      24_084,
      15_661_477,
      59_998_093_971,
      '206486783fb8e485417c6f19d302196d571b00f86f82903790941e6387937a97',
    ],
    [
      'S=64, step',
      64,
      step,
      60,
      7_520,
      8_820_397,
      59_999_563_520,
      '6b4a0f2362f24499d97ad0b835187ac6cbd059361d9c732757d9b19de83bbbdd',
    ],
    [
      'S=16384, constant',
      16_384,
      flat,
      10,
      10_182,
      1_396_042,
      9_999_559_470,
      '6ec4a820ca1e3216930a7f48083c69edabc84683706ab96cd02ec9e82db46759',
    ],
  ])('gives the published vector %s', (_, laneCount, law, seconds, n, first, last, digest) => {
    const instants = instantsOf(unionOf(basisOf(phasesOf([law, seconds]), { laneCount })));
    expect(instants.length).toBe(n);
    expect([instants[0], instants.at(-1)]).toEqual([first, last]);
    expect(digestInstants(instants, sha256)).toBe(digest);
  });

  it('gives the published vector of another seed', () => {
    const seed = { lo: 0x76543210, hi: 0xfedcba98 };
    const instants = instantsOf(unionOf(basisOf(phasesOf([flat, 10]), { seed })));
    expect([instants.length, instants[0]]).toEqual([9_916, 186_922]);
    expect(digestInstants(instants, sha256)).toBe('41e96529d165fcea3d532b638f6266168de876081a8b7d26a8fcafd586becfc6');
  });

  it('gives the published vector of trial field 1 (phase 1 of trial 0)', () => {
    // Phase 1 after an empty phase 0 of no length: the field trial * 256 + phase is 1.
    const phases = phasesOf([{ kind: 'all-at-once', count: 0 }, 0], [flat, 10]);
    const instants = instantsOf(unionOf(basisOf(phases)));
    expect([instants.length, instants[0], instants.at(-1)]).toEqual([9_988, 3_770_954, 9_999_683_714]);
    expect(digestInstants(instants, sha256)).toBe('df364c5fb0936d7215ab9ecb8dbafdee506ab8ad579c06869172b25f61690d24');
  });
});

describe('digestArrivals', () => {
  it('hashes phase, lane, block, rank, instant and index', () => {
    const arrival = { phase: 1, intendedNs: 2 ** 33 + 5, lane: 2, block: 3, rank: 4, index: 6 };
    expect(digestArrivals([arrival], hex)).toBe(
      '01000000' + '02000000' + '03000000' + '04000000' + '0500000002000000' + '0600000000000000',
    );
  });

  it('does not depend on the order or the split, and sees every field', () => {
    const basis = basisOf(
      phasesOf([poisson([0, 50], [5, 50]), 5], [{ kind: 'even', knots: knotsOf([0, 9], [5, 9]) }, 5]),
    );
    const digest = digestArrivals(unionOf(basis), sha256);
    const split = [2, 0, 1].flatMap((slot) => shareOf(basis, 3, slot));
    expect(digestArrivals(split, sha256)).toBe(digest);
    for (const field of ['phase', 'intendedNs', 'lane', 'block', 'rank', 'index'] as const) {
      const changed = unionOf(basis);
      const one = changed[7] ?? createArrival();
      one[field] += 1;
      expect(digestArrivals(changed, sha256), field).not.toBe(digest);
    }
    expect(digestArrivals([], sha256)).toBe(sha256(new Uint8Array(0)));
  });
});
