import { describe, expect, it } from 'vitest';
import { secretWithoutOccasion, withoutOccasion } from '../../../../shared/metrics/failure-text.ts';

describe('withoutOccasion', () => {
  it('R095 makes one text of those that differ by number, address, identity and URL', () => {
    const text = (port: number, id: string): string =>
      `connect ECONNREFUSED 127.0.0.1:${port}\nrequest ${id} to https://host:${port}/a?b=1`;
    const first = withoutOccasion(text(8080, 'deadbeef-01'));
    expect(withoutOccasion(text(9, 'cafe0123-4567-89ab'))).toBe(first);
    expect(first).toBe('connect ECONNREFUSED #.#.#.#:# request <id> to <url>');
  });
});

describe('secretWithoutOccasion', () => {
  it('says how a secret stands in such a text', () => {
    const secret = 'sk-proj-Alpha12345Omega';
    const shown = secretWithoutOccasion(secret);
    expect(withoutOccasion(`the key ${secret} is wrong`)).toContain(shown);
    expect(shown).not.toContain('12345');
  });

  it('knows none where too little is left of it', () => {
    expect(secretWithoutOccasion('1234567890')).toBeNull();
    expect(secretWithoutOccasion('key-4711-0815')).toBeNull();
  });
});
