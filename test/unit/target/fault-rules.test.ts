import { describe, expect, it } from 'vitest';
import { seedFromBigInt } from '../../../shared/random/seed.ts';
import { FaultRules, MAX_RULES, type RequestFaults } from '../../../target/fault-rules.ts';
import { parseFaultText } from '../../../target/parse-fault.ts';
import { drawRequestWords } from '../../../target/request-draw.ts';
import { identityByNumber } from '../../../target/request-identity.ts';

const seed = seedFromBigInt(11n);

function rulesOf(...texts: string[]): FaultRules {
  const rules = new FaultRules(seed);
  for (const text of texts) rules.add(parseFaultText(text));
  return rules;
}

/** What befalls requests 1..count of one path. */
function befall(rules: FaultRules, count: number, path = '/'): RequestFaults[] {
  const words = new Uint32Array(4);
  return Array.from({ length: count }, (_, number) => {
    drawRequestWords(seed, identityByNumber(number), words);
    return rules.choose(path, words);
  });
}

const breaksOf = (faults: readonly RequestFaults[]): (string | null)[] =>
  faults.map(({ broken }) => broken?.kind ?? null);

describe('FaultRules', () => {
  it('befalls the share asked for, and breaks never overlap', () => {
    const count = 20_000;
    const breaks = breaksOf(befall(rulesOf('status:503,share=0.1', 'reset,share=0.1', 'never,share=0.1'), count));
    for (const kind of ['status', 'reset', 'never']) {
      const seen = breaks.filter((broken) => broken === kind).length;
      expect(Math.abs(seen / count - 0.1)).toBeLessThan(4 * Math.sqrt(0.09 / count));
    }
  });

  it('chooses the same requests again, whatever order they come in', () => {
    const words = new Uint32Array(4);
    const forwards = breaksOf(befall(rulesOf('reset,share=0.3'), 200));
    const rules = rulesOf('reset,share=0.3');
    const backwards: (string | null)[] = [];
    for (let number = 199; number >= 0; number--) {
      drawRequestWords(seed, identityByNumber(number), words);
      backwards.unshift(rules.choose('/', words).broken?.kind ?? null);
    }
    expect(backwards).toEqual(forwards);
  });

  it('draws twists apart from breaks and from each other', () => {
    const count = 10_000;
    const faults = befall(rulesOf('close,share=0.5', 'gzip,share=0.5', 'reset,share=0.5'), count);
    const all = faults.filter(({ twists, broken }) => twists.length === 2 && broken !== null).length;
    expect(Math.abs(all / count - 0.125)).toBeLessThan(4 * Math.sqrt((0.125 * 0.875) / count));
  });

  it('counts from and count over the requests since it was set', () => {
    const rules = rulesOf();
    befall(rules, 5);
    rules.add(parseFaultText('status:500,from=3,count=2'));
    expect(breaksOf(befall(rules, 6))).toEqual([null, null, 'status', 'status', null, null]);
  });

  it('keeps to its path and counts only that', () => {
    const rules = rulesOf('garbage,path=/b,from=2');
    expect(breaksOf(befall(rules, 3, '/a'))).toEqual([null, null, null]);
    expect(breaksOf(befall(rules, 3, '/b'))).toEqual([null, 'garbage', 'garbage']);
  });

  it('begins a moment with its request, once', () => {
    const begun = befall(rulesOf('stall:1s,from=3'), 5).map(({ moments }) => moments.length);
    expect(begun).toEqual([0, 0, 1, 0, 0]);
  });

  it('lets a request ask for its own faults', () => {
    const rules = rulesOf('reset');
    const words = new Uint32Array(4);
    drawRequestWords(seed, identityByNumber(0), words);
    const faults = rules.choose('/', words);
    rules.chooseOwn([parseFaultText('never'), parseFaultText('close')], words, faults);
    expect([faults.broken?.kind, faults.twists.map(({ kind }) => kind)]).toEqual(['never', ['close']]);
  });

  it('is bounded', () => {
    const rules = rulesOf(...new Array<string>(MAX_RULES).fill('close'));
    expect(rules.add(parseFaultText('close'))).toBe(false);
    rules.clear();
    expect(rules.isEmpty).toBe(true);
  });
});
