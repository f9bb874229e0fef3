import { describe, expect, it } from 'vitest';
import { resolvePacing } from '../../../../agent/session/resolve-pacing.ts';

describe('resolvePacing', () => {
  it('spins while a core is left for the rest of the host', () => {
    expect(resolvePacing('auto', 7, 8)).toEqual({ mode: 'hybrid', text: 'hybrid' });
  });

  it.each([
    [8, 8],
    [2, 1],
    [16, 8],
  ])('uses timers when %d threads would take all %d cores, and says so', (workers, cores) => {
    const { mode, text } = resolvePacing('auto', workers, cores);
    expect(mode).toBe('timer');
    expect(text).toContain(`${workers} worker threads on ${cores} core`);
  });

  it('does as it is told, and says what that means', () => {
    expect(resolvePacing('spin', 1, 8)).toEqual({ mode: 'spin', text: 'spin' });
    expect(resolvePacing('timer', 8, 8)).toEqual({ mode: 'timer', text: 'timer' });
    expect(resolvePacing('hybrid', 8, 8)).toEqual({
      mode: 'hybrid',
      text: 'hybrid (as asked, with 8 worker threads on 8 cores)',
    });
  });
});
