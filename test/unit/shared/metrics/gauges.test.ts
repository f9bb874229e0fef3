import { expect, it } from 'vitest';
import { HOST_GAUGES, lastEndGauge, WORKER_GAUGES } from '../../../../shared/metrics/gauges.ts';

it('no two gauges have one name, those of phases included', () => {
  const ofPhases = Array.from({ length: 256 }, (_, phase) => lastEndGauge(phase));
  const names: readonly string[] = [...HOST_GAUGES, ...WORKER_GAUGES, ...ofPhases];
  expect(new Set(names).size).toBe(names.length);
  expect(lastEndGauge(3)).toBe('lastEndNs.3');
});
