import { describe, expect, it } from 'vitest';
import { HostSampler } from '../../../../agent/telemetry/host-sampler.ts';
import { WindowTelemetry } from '../../../../agent/telemetry/window-telemetry.ts';
import type { TelemetrySample } from '../../../../shared/metrics/agent-report.ts';
import { FakeTimekeeper } from '../../../support/fake-timekeeper.ts';
import { createPlan } from '../../../support/plan-fixture.ts';
import { textTree } from '../../../support/text-tree.ts';

function scene() {
  const timekeeper = new FakeTimekeeper(5e9);
  // The process uses one core all the time.
  const sampler = new HostSampler(textTree({}), { cpuNs: () => timekeeper.nowNs(), memoryBytes: () => 1 });
  const telemetry = new WindowTelemetry(timekeeper, sampler, () => Promise.resolve('lo'));
  const samples: TelemetrySample[] = [];
  telemetry.start(5.5e9, createPlan().target, (some) => samples.push(...some));
  return { timekeeper, telemetry, samples };
}

const ofName = (samples: readonly TelemetrySample[], name: string) =>
  samples.filter((sample) => sample.name === name).map(({ window, slot, value }) => [window, slot, value]);

describe('telemetry by window', () => {
  it('gives each window once, just after its end, and nothing from before T0', () => {
    const { timekeeper, telemetry, samples } = scene();
    timekeeper.advance(3.55e9);
    expect(ofName(samples, 'processCpuNs')).toEqual([
      [0, null, 1e9],
      [1, null, 1e9],
      [2, null, 1e9],
    ]);
    telemetry.stop();
    expect(timekeeper.pending).toBe(0);
  });

  it('the last stretch is a sample too, if it is long enough to say something', () => {
    const { timekeeper, telemetry, samples } = scene();
    timekeeper.advance(2.1e9);
    telemetry.finish();
    expect(ofName(samples, 'processCpuNs')).toEqual([
      [0, null, 1e9],
      [1, null, 0.6e9],
    ]);
    const short = scene();
    short.timekeeper.advance(1.6e9);
    short.telemetry.finish();
    expect(ofName(short.samples, 'processCpuNs')).toEqual([[0, null, 1e9]]);
  });

  it('says how late the main thread itself was', () => {
    const { timekeeper, samples } = scene();
    timekeeper.advance(2e9);
    expect(ofName(samples, 'mainThreadLateNs').map(([, , value]) => value)).toEqual([0]);
  });
});
