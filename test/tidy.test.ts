/**
 * The tidy rules, applied to this project. What each rule wants, and why, is in test/gates/tidy; that each can fail is
 * shown in test/gates/tidy.test.ts.
 */
import { describe, expect, it } from 'vitest';
import { tidy } from './gates/tidy/tidy.ts';

describe('tidy', () => {
  it.each(Object.entries(tidy(process.cwd())))('%s', (_rule, faults) => {
    expect(faults.join('\n')).toBe('');
  });
});
