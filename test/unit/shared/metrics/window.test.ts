import { expect, it } from 'vitest';
import { WINDOW_NS, windowOf } from '../../../../shared/metrics/window.ts';

it.each([
  [0, 0],
  [WINDOW_NS - 1, 0],
  [WINDOW_NS, 1],
  // 100 days, beyond what 32-bit milliseconds hold.
  [100 * 86_400 * WINDOW_NS, 8_640_000],
])('run time %d ns lies in window %d', (ns, window) => {
  expect(windowOf(ns)).toBe(window);
});
