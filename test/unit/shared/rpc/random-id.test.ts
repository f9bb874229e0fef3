import { describe, expect, it } from 'vitest';
import { randomId, randomShare } from '../../../../shared/rpc/random-id.ts';

describe('names and jitter', () => {
  it('names are unique and readable', () => {
    const names = new Set(Array.from({ length: 1000 }, () => randomId('run')));
    expect(names.size).toBe(1000);
    for (const name of names) expect(name).toMatch(/^run-[0-9a-f]{12}$/);
  });

  it('shares lie in [0, 1) and spread over it', () => {
    const shares = Array.from({ length: 1000 }, randomShare);
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...shares)).toBeLessThan(1);
    expect(shares.filter((share) => share < 0.5).length).toBeGreaterThan(350);
  });
});
