import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FleetError } from '../../../../shared/fleet-error.ts';
import { MAX_TIMER_MS, startLongTimer, type TimerFunctions } from '../../../../shared/time/long-timer.ts';

/** The platform's timer as it behaves: a delay above 2^31 - 1 ms is taken as 1 ms. */
class PlatformTimers implements TimerFunctions<number> {
  nowMs = 0;
  readonly delaysMs: number[] = [];
  readonly #pending = new Map<number, { dueMs: number; callback: () => void }>();
  #lastHandle = 0;

  setTimeout(callback: () => void, delayMs: number): number {
    this.delaysMs.push(delayMs);
    const effectiveMs = delayMs > MAX_TIMER_MS || delayMs < 1 ? 1 : delayMs;
    this.#pending.set(++this.#lastHandle, { dueMs: this.nowMs + effectiveMs, callback });
    return this.#lastHandle;
  }

  clearTimeout(handle: number): void {
    this.#pending.delete(handle);
  }

  /** Runs the next timer, if any. */
  step(): boolean {
    const next = [...this.#pending].sort((a, b) => a[1].dueMs - b[1].dueMs)[0];
    if (next === undefined) return false;
    this.#pending.delete(next[0]);
    this.nowMs = next[1].dueMs;
    next[1].callback();
    return true;
  }
}

function fireInstantMs(delayMs: number): { firedAtMs: number; timers: PlatformTimers } {
  const timers = new PlatformTimers();
  let firedAtMs = NaN;
  startLongTimer(() => (firedAtMs = timers.nowMs), delayMs, timers);
  for (let steps = 0; steps < 1_000 && timers.step(); steps++);
  return { firedAtMs, timers };
}

describe('R013 durations past 24.8 days never fire at once', () => {
  it.each([
    1,
    1_000,
    2 ** 31 - 2,
    2 ** 31 - 1,
    2 ** 31,
    2 ** 31 + 1,
    2 ** 32 + 5_000,
    30 * 86_400_000,
    104 * 86_400_000,
  ])('a delay of %d ms is waited in full', (delayMs) => {
    expect(fireInstantMs(delayMs).firedAtMs).toBe(delayMs);
  });

  it('holds for any delay, without ever asking for more than the platform can hold', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 36 }), (delayMs) => {
        const { firedAtMs, timers } = fireInstantMs(delayMs);
        expect(firedAtMs).toBe(delayMs);
        expect(Math.max(...timers.delaysMs)).toBeLessThanOrEqual(MAX_TIMER_MS);
      }),
    );
  });

  it('rounds a fraction up, never down', () => {
    expect(fireInstantMs(1.2).firedAtMs).toBe(2);
  });

  it.each([0, 1, 2])('never fires once it was cancelled after %d links of its chain', (links) => {
    const timers = new PlatformTimers();
    let fired = false;
    const timer = startLongTimer(() => (fired = true), 3 * MAX_TIMER_MS, timers);
    for (let i = 0; i < links; i++) timers.step();
    timer.cancel();
    expect(timers.step()).toBe(false);
    expect(fired).toBe(false);
  });

  it.each([-1, NaN, Infinity])('refuses a delay of %d', (delayMs) => {
    expect(() => startLongTimer(() => undefined, delayMs, new PlatformTimers())).toThrow(FleetError);
  });

  it('runs on the real platform timers by default', async () => {
    await new Promise<void>((resolve) => {
      startLongTimer(resolve, 1);
    });
  });
});
