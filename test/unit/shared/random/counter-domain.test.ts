import { describe, expect, it } from 'vitest';
import {
  counterDomain,
  counterWord,
  indexedDomainOffset,
  trialFieldOf,
} from '../../../../shared/random/counter-domain.ts';

describe('counter words', () => {
  it('are the domain in the low byte and the trial field above it', () => {
    expect(counterWord(counterDomain.position, 0)).toBe(1);
    expect(counterWord(counterDomain.position, 1)).toBe(0x101);
    expect(counterWord(131, trialFieldOf(65_535, 255))).toBe(0xffffff83);
  });

  it('keep trials and phases apart', () => {
    expect(trialFieldOf(0, 0)).toBe(0);
    expect(trialFieldOf(3, 7)).toBe(3 * 256 + 7);
  });

  it.each([
    [65_536, 0],
    [-1, 0],
    [0, 256],
    [0, 0.5],
    [Number.NaN, 0],
  ])('refuse trial %d, phase %d', (trial, phase) => {
    expect(() => trialFieldOf(trial, phase)).toThrow(/is not an integer in 0\.\./);
  });

  it('are those the schedule and its readers agreed on', () => {
    expect(counterDomain).toEqual({
      count: 0,
      position: 1,
      exactCount: 2,
      requestChoice: 3,
      dataRow: 4,
      content: 5,
      targetServiceTime: 6,
      renewalGap: 7,
    });
    expect(indexedDomainOffset).toBe(128);
  });
});
