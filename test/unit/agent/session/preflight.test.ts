import { describe, expect, it } from 'vitest';
import { preflight } from '../../../../agent/session/preflight.ts';
import type { HostLimits } from '../../../../agent/telemetry/host-limits.ts';
import { createPlan, DEFAULT_LIMITS } from '../../../support/plan-fixture.ts';

const roomy: HostLimits = {
  cores: 8,
  fileHandles: 20_000,
  fileHandlesOpen: 40,
  localPorts: 28_232,
  quotaCores: Infinity,
};

function planWith(connections: number, maxInFlight = 10_000) {
  return createPlan({ overrides: { limits: { ...DEFAULT_LIMITS, connections, maxInFlight } } });
}

describe('the plan against the host, before the run', () => {
  it('says nothing where all fits', () => {
    expect(preflight(planWith(100), 4, 4, roomy)).toEqual([]);
  });

  it('R032 names the handles that are free and how to have more', () => {
    const [warning, ...others] = preflight(planWith(1000), 1, 1, { ...roomy, fileHandles: 256, fileHandlesOpen: 56 });
    expect(others).toEqual([]);
    expect(warning).toContain('1000 connections');
    expect(warning).toContain('200 of 256 file handles');
    expect(warning).toContain('ulimit -n');
  });

  it('R032 counts the connections of all workers on the host against its ports', () => {
    const [warning] = preflight(planWith(5000), 2, 8, roomy);
    expect(warning).toContain('40000 connections from this host');
    expect(warning).toContain('28232 local ports');
  });

  it('never expects more connections than requests in flight', () => {
    expect(preflight(planWith(10_000, 50), 4, 4, { ...roomy, fileHandles: 1000 })).toEqual([]);
  });

  it('names workers beyond the cores and beyond a quota', () => {
    expect(preflight(planWith(10), 4, 12, roomy)).toEqual([expect.stringContaining('12 worker threads on 8 cores')]);
    expect(preflight(planWith(10), 2, 2, { ...roomy, quotaCores: 0.5 })).toEqual([
      expect.stringContaining('quota leaves 0.5 cores to 2 worker threads'),
    ]);
  });

  it('says nothing about what could not be read', () => {
    const unknown = { cores: 8, fileHandles: null, fileHandlesOpen: null, localPorts: null, quotaCores: null };
    expect(preflight(planWith(10_000), 4, 4, unknown)).toEqual([]);
    expect(preflight(planWith(5_000), 1, 1, { ...unknown, fileHandles: Infinity })).toEqual([]);
  });
});
