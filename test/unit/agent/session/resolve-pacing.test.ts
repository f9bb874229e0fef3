import { describe, expect, it } from 'vitest';
import { resolvePacing } from '../../../../agent/session/resolve-pacing.ts';

/** A host with so many cores, under a quota of cores. */
const hostOf = (cores: number, quotaCores: number | null = Infinity) => ({ cores, quotaCores });

describe('resolvePacing', () => {
  it('spins while a core is left for the rest of the host', () => {
    expect(resolvePacing('auto', 7, hostOf(8))).toEqual({ mode: 'hybrid', text: 'hybrid' });
  });

  it.each([
    [8, 8],
    [2, 1],
    [16, 8],
  ])('uses timers when %d threads would take all %d cores, and says so', (workers, cores) => {
    const { mode, text } = resolvePacing('auto', workers, hostOf(cores));
    expect(mode).toBe('timer');
    expect(text).toContain(`${workers} worker threads on ${cores} core`);
  });

  it('does as it is told, and says what that means', () => {
    expect(resolvePacing('spin', 1, hostOf(8))).toEqual({ mode: 'spin', text: 'spin' });
    expect(resolvePacing('timer', 8, hostOf(8))).toEqual({ mode: 'timer', text: 'timer' });
    expect(resolvePacing('hybrid', 8, hostOf(8))).toEqual({
      mode: 'hybrid',
      text: 'hybrid (as asked, with 8 worker threads on 8 cores)',
    });
  });

  it('a spinning loop under a cgroup quota is throttled: timers, and it says why', () => {
    expect(resolvePacing('auto', 2, hostOf(8, 1.5))).toEqual({
      mode: 'timer',
      text: 'timer (not hybrid: a cgroup quota of 1.5 cores would throttle 2 spinning threads)',
    });
    expect(resolvePacing('auto', 2, hostOf(8, 4)).mode).toBe('hybrid');
    expect(resolvePacing('auto', 2, hostOf(8, null)).mode).toBe('hybrid');
    expect(resolvePacing('spin', 1, hostOf(8, 0.5)).text).toBe(
      'spin (as asked, though a cgroup quota of 0.5 cores would throttle 1 spinning threads)',
    );
  });
});
