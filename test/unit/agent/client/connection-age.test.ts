import { describe, expect, it } from 'vitest';
import { ConnectionAge } from '../../../../agent/client/connection-age.ts';

describe('the age of connections', () => {
  it('has no end without a bound', () => {
    const age = new ConnectionAge(null);
    expect([age.isBounded, age.retireAtNs(5e9)]).toEqual([false, Infinity]);
  });

  it('spreads the lives of connections that were made together over the second half of it', () => {
    const age = new ConnectionAge(60e9);
    const lives = Array.from({ length: 100 }, () => age.retireAtNs(1e9) - 1e9).sort((a, b) => a - b);
    expect(lives[0]).toBeGreaterThanOrEqual(30e9);
    expect(lives.at(-1)).toBeLessThanOrEqual(60e9);
    const gaps = lives.slice(1).map((life, index) => life - (lives[index] as number));
    expect(Math.max(...gaps)).toBeLessThan(1e9);
  });
});
