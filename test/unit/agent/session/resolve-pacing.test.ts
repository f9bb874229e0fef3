import { describe, expect, it } from 'vitest';
import { resolvePacing } from '../../../../agent/session/resolve-pacing.ts';

/** A host with so many cores, under a quota of cores. */
const hostOf = (cores: number, quotaCores: number | null = Infinity) => ({ cores, quotaCores });
/** So many workers that have much to wait for. */
const busy = (workers: number) => ({ workers, waitsPerSecond: 100_000 });

describe('resolvePacing', () => {
  it('spins while a core is left for the rest of the host', () => {
    expect(resolvePacing('auto', busy(7), hostOf(8))).toEqual({ mode: 'hybrid', text: 'hybrid' });
  });

  it.each([
    [8, 8],
    [2, 1],
    [16, 8],
  ])('uses timers when %d threads would take all %d cores, and says so', (workers, cores) => {
    const { mode, text } = resolvePacing('auto', busy(workers), hostOf(cores));
    expect(mode).toBe('timer');
    expect(text).toContain(`${workers} worker threads on ${cores} core`);
  });

  it('does as it is told, and says what that means', () => {
    expect(resolvePacing('spin', busy(1), hostOf(8))).toEqual({ mode: 'spin', text: 'spin' });
    expect(resolvePacing('timer', busy(8), hostOf(8))).toEqual({ mode: 'timer', text: 'timer' });
    expect(resolvePacing('hybrid', busy(8), hostOf(8))).toEqual({
      mode: 'hybrid',
      text: 'hybrid (as asked, with 8 worker threads on 8 cores)',
    });
  });

  it('a spinning loop under a cgroup quota is throttled: timers, and it says why', () => {
    expect(resolvePacing('auto', busy(2), hostOf(8, 1.5))).toEqual({
      mode: 'timer',
      text: 'timer (not hybrid: a cgroup quota of 1.5 cores would throttle 2 spinning threads)',
    });
    expect(resolvePacing('auto', busy(2), hostOf(8, 4)).mode).toBe('hybrid');
    expect(resolvePacing('auto', busy(2), hostOf(8, null)).mode).toBe('hybrid');
    expect(resolvePacing('spin', busy(1), hostOf(8, 0.5)).text).toBe(
      'spin (as asked, though a cgroup quota of 0.5 cores would throttle 1 spinning threads)',
    );
  });

  it.each([
    // 2 ms of spinning for each arrival: 125/s are a quarter of one core.
    { cores: 1, quota: Infinity, waits: 125, mode: 'hybrid' },
    { cores: 1, quota: Infinity, waits: 126, mode: 'timer' },
    { cores: 2, quota: Infinity, waits: 250, mode: 'hybrid' },
    { cores: 2, quota: Infinity, waits: 251, mode: 'timer' },
    { cores: 64, quota: 0.5, waits: 62, mode: 'hybrid' },
    { cores: 64, quota: 0.5, waits: 63, mode: 'timer' },
    // A closed loop waits for no instant; nobody knows of sessions.
    { cores: 1, quota: Infinity, waits: 0, mode: 'hybrid' },
    { cores: 1, quota: Infinity, waits: Infinity, mode: 'timer' },
  ])(
    'spins before each of $waits/s on $cores cores under a quota of $quota: $mode',
    ({ cores, quota, waits, mode }) => {
      const load = { workers: cores, waitsPerSecond: waits };
      expect(resolvePacing('auto', load, hostOf(cores, quota)).mode).toBe(mode);
      const asked = mode === 'hybrid' ? 'hybrid' : expect.stringContaining('hybrid (as asked, ');
      expect(resolvePacing('hybrid', load, hostOf(cores, quota)).text).toEqual(asked);
      // What always spins takes its core at any rate.
      expect(resolvePacing('spin', load, hostOf(cores, quota)).text).toContain('spin (as asked, ');
    },
  );
});
