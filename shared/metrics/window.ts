/** The window: the unit of run time in which counts and samples are reported, aligned to T0 (design §7). */

/** Length of a window, ns. */
export const WINDOW_NS = 1_000_000_000;

/** Index of the window that holds the run time `ns` (integer ns from T0, >= 0). */
export function windowOf(ns: number): number {
  return Math.floor(ns / WINDOW_NS);
}
