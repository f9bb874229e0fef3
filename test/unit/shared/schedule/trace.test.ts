import { describe, expect, it } from 'vitest';
import { decodeInstants, encodeInstants, traceInstants } from '../../../../shared/schedule/trace.ts';
import { basisOf, instantsOf, traceOf, unionOf } from '../../../support/schedule-of.ts';

describe('trace blobs', () => {
  it('are float64 little-endian', () => {
    expect([...encodeInstants([1])]).toEqual([0, 0, 0, 0, 0, 0, 0xf0, 0x3f]);
  });

  it('come back exactly, aligned or not', () => {
    const instants = [0, 0, 1, 2 ** 31, 2 ** 53 - 1];
    const bytes = encodeInstants(instants);
    expect([...decodeInstants(bytes, 5)]).toEqual(instants);
    const shifted = new Uint8Array(bytes.length + 3);
    shifted.set(bytes, 3);
    expect([...decodeInstants(shifted.subarray(3), 5)]).toEqual(instants);
    expect([...decodeInstants(encodeInstants([]), 0)]).toEqual([]);
  });

  it('are read without a copy where that is possible', () => {
    const bytes = encodeInstants([1, 2, 3]);
    expect(decodeInstants(bytes, 3).buffer).toBe(bytes.buffer);
  });

  it.each([
    [[3, 2], 'trace: instant 1 is 2 ns, it must be an integer and not before 3 ns'],
    [[-1], 'trace: instant 0 is -1 ns'],
    [[0.5], 'trace: instant 0 is 0.5 ns'],
    [[0, Number.NaN], 'trace: instant 1 is NaN ns'],
    [[2 ** 53], 'trace: instant 0 is 9007199254740992 ns'],
  ])('are refused with %j', (instants, message) => {
    expect(() => decodeInstants(encodeInstants(instants), instants.length)).toThrow(message);
  });

  it('are refused when the count does not fit', () => {
    expect(() => decodeInstants(encodeInstants([1, 2]), 3)).toThrow(
      'trace: 16 bytes do not hold 3 instants of 8 bytes',
    );
  });
});

describe('trace phases', () => {
  it('replay the recorded instants, split by index over any workers', () => {
    const recorded = Array.from({ length: 500 }, (_, i) => i * i);
    const { law, blobs } = traceOf(recorded);
    const basis = basisOf([{ startNs: 1e9, durationNs: 1e9, law }], { blobs });
    for (const workers of [1, 3, 20]) {
      expect(instantsOf(unionOf(basis, workers))).toEqual(recorded.map((ns) => 1e9 + ns));
    }
  });

  it('end with the phase: later instants are not part of it', () => {
    expect(traceInstants(Float64Array.of(0, 5, 10, 10, 15), 10).count).toBe(2);
    expect(traceInstants(Float64Array.of(0, 5, 10), 11).count).toBe(3);
  });

  it('say which file is missing', () => {
    const { law } = traceOf([1]);
    const basis = basisOf([{ startNs: 0, durationNs: 10, law }]);
    expect(() => unionOf(basis)).toThrow(/trace: the content of "trace.csv" \([0-9a-f]{64}\) is not at hand/);
  });
});
