import { describe, expect, it } from 'vitest';
import { ConnectionRate } from '../../../../coordinator/merge/connection-rate.ts';

describe('the rate of new connections', () => {
  it('is that of the busiest minute, in any order', () => {
    const rate = new ConnectionRate();
    for (const window of [125, 61, 62, 3, 119]) rate.add(window, 600);
    // Windows 61..119 fall into one minute: 3 x 600.
    expect(rate.perSecondMax()).toBe(30);
  });

  it('is 0 without connections, and a short burst is spread over the minute that its ports need', () => {
    const rate = new ConnectionRate();
    expect(rate.perSecondMax()).toBe(0);
    rate.add(0, 300);
    expect(rate.perSecondMax()).toBe(5);
  });
});
