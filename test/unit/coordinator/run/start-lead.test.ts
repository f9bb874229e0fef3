import { describe, expect, it } from 'vitest';
import { startLeadNs } from '../../../../coordinator/run/start-lead.ts';

describe('the lead before T0', () => {
  it('is half a second on loopback, five over a network, or as asked', () => {
    expect(startLeadNs(null, true, 1e6)).toBe(0.5e9);
    expect(startLeadNs(null, false, 1e6)).toBe(5e9);
    expect(startLeadNs(2e9, false, 1e6)).toBe(2e9);
  });

  it('is never less than 20 of the longest round trips (M§8)', () => {
    expect(startLeadNs(null, true, 100e6)).toBe(2e9);
    expect(startLeadNs(0, true, 50e6)).toBe(1e9);
  });
});
