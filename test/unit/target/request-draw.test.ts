import { describe, expect, it } from 'vitest';
import { philox4x32 } from '../../../shared/random/philox.ts';
import { seedFromBigInt } from '../../../shared/random/seed.ts';
import { drawRequestWords, furtherUnit, serviceTimeNs } from '../../../target/request-draw.ts';
import { parseRequestIdentity, type RequestIdentity } from '../../../target/request-identity.ts';
import { bodyBytesOf, parseBodyLaw, parseServiceLaw } from '../../../target/service-law.ts';

const seed = 0x0123456789abcdefn;
const indexed = (index: number): RequestIdentity => ({ kind: 'indexed', trial: 0, phase: 0, index });

describe('the service time of a request', () => {
  // Counter layout of design §5: domain 6, for indexed identities 128 + 6; trial field = trial x 256 + phase.
  it.each<[RequestIdentity, readonly [number, number, number, number]]>([
    [{ kind: 'lanes', trial: 0, phase: 0, lane: 7, block: 3, rank: 12 }, [12, 3, 7, 6]],
    [{ kind: 'lanes', trial: 2, phase: 5, lane: 4_095, block: 9, rank: 0 }, [0, 9, 4_095, 6 + (2 * 256 + 5) * 256]],
    [indexed(2 ** 32 + 9), [9, 1, 0, 134]],
    [{ kind: 'indexed', trial: 1, phase: 2, index: 41 }, [41, 0, 0, 134 + (256 + 2) * 256]],
  ])('comes from the counter its identity names: %j', (identity, [c0, c1, c2, c3]) => {
    const words = new Uint32Array(4);
    philox4x32(c0, c1, c2, c3, 0x89abcdef, 0x01234567, words);
    const unit = ((words[0]! >>> 5) * 2 ** 26 + (words[1]! >>> 6)) / 2 ** 53;
    const expectedNs = Math.floor(-Math.log(1 - unit) * 20e6);
    expect(serviceTimeNs(seed, identity, { kind: 'exponential', meanNs: 20e6 })).toBe(expectedNs);
  });

  it('is exponential: mean and tail of 20,000 draws lie within 4 standard errors', () => {
    const meanNs = 1e9;
    const times = Array.from({ length: 20_000 }, (_, i) =>
      serviceTimeNs(1n, indexed(i), { kind: 'exponential', meanNs }),
    );
    const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
    expect(Math.abs(mean / meanNs - 1)).toBeLessThan(4 / Math.sqrt(times.length));
    for (const multiple of [0.1, 1, 3]) {
      const share = Math.exp(-multiple);
      const seen = times.filter((time) => time > multiple * meanNs).length / times.length;
      expect(Math.abs(seen - share)).toBeLessThan(4 * Math.sqrt((share * (1 - share)) / times.length));
    }
  });

  it('does not move with the other draws of the same request', () => {
    const words = new Uint32Array(4);
    const drawSeed = seedFromBigInt(seed);
    let product = 0;
    const count = 4_000;
    for (let index = 0; index < count; index++) {
      drawRequestWords(drawSeed, indexed(index), words);
      product += (furtherUnit(drawSeed, words, 1) - 0.5) * (furtherUnit(drawSeed, words, 2) - 0.5);
    }
    // Product of two centred uniforms: mean 0, standard deviation 1/12.
    expect(Math.abs(product / count)).toBeLessThan(4 / 12 / Math.sqrt(count));
  });
});

describe('parseRequestIdentity', () => {
  it('reads both forms', () => {
    expect(parseRequestIdentity('3.1.4095.17.31')).toEqual({
      kind: 'lanes',
      trial: 3,
      phase: 1,
      lane: 4_095,
      block: 17,
      rank: 31,
    });
    expect(parseRequestIdentity('0.255.9007199254740991')).toEqual({
      kind: 'indexed',
      trial: 0,
      phase: 255,
      index: 2 ** 53 - 1,
    });
  });

  it.each([
    '',
    '1',
    '1.2',
    '1.2.3.4',
    '1.2.3.4.5.6',
    '-1.0.0',
    '01.0.0',
    '1.0.x',
    '1.0.0 ',
    '0.256.0',
    '65536.0.0',
    '0.0.9007199254740992',
    '0.0.4294967296.0.0',
  ])('takes %j for no identity', (text) => expect(parseRequestIdentity(text)).toBeNull());
});

describe('laws as text', () => {
  it.each([
    ['instant', { kind: 'instant' }],
    ['constant:20ms', { kind: 'constant', serviceNs: 20e6 }],
    ['exponential:1m30s', { kind: 'exponential', meanNs: 90e9 }],
  ])('reads %s', (text, law) => {
    expect(parseServiceLaw(text)).toEqual(law);
  });

  it.each(['', 'instant:1s', 'constant', 'exponental:20ms', 'uniform:1ms'])('refuses the service law %j', (text) => {
    expect(() => parseServiceLaw(text)).toThrow(/write instant, constant:20ms or exponential:20ms/);
  });

  it.each(['constant:20', 'constant:-1ms', 'exponential:'])('refuses the duration in %j', (text) => {
    expect(() => parseServiceLaw(text)).toThrow(/duration/);
  });

  it('draws body lengths within their law', () => {
    const uniform = parseBodyLaw('uniform:10-12');
    expect([0, 0.34, 0.67, 1 - 2 ** -53].map((unit) => bodyBytesOf(uniform, unit))).toEqual([10, 11, 12, 12]);
    expect(bodyBytesOf(parseBodyLaw('1000'), 0.5)).toBe(1_000);
    expect(bodyBytesOf(parseBodyLaw('exponential:1000'), 0.5)).toBe(Math.floor(1_000 * Math.LN2));
  });

  it.each(['', '-1', '1.5', '1k', 'uniform:5', 'uniform:9-5', '67108865', 'gamma:4'])(
    'refuses the body law %j',
    (text) => {
      expect(() => parseBodyLaw(text)).toThrow(/body bytes/);
    },
  );
});
