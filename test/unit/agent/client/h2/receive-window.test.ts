/** Exactly what came is given back, from half of the window on. */
import { expect, it } from 'vitest';
import { ReceiveWindow, WINDOW_BYTES } from '../../../../../agent/client/h2/receive-window.ts';

it('gives back what came once half of the window is used, and then counts anew', () => {
  const window = new ReceiveWindow();
  for (const beyond of [0, 5]) {
    window.take(WINDOW_BYTES / 2 - 1);
    expect(window.refill()).toBe(0);
    window.take(1 + beyond);
    expect(window.refill()).toBe(WINDOW_BYTES / 2 + beyond);
    expect(window.refill()).toBe(0);
  }
});
