/** SLO and goodput through the whole fleet: each request is judged by its own time, and whoever fails has missed (R058, R098). */
import { afterEach, describe, expect, it } from 'vitest';
import { type RunningTarget, startTarget } from '../../target/reference-target.ts';
import { removeResultFolders, runCommand } from '../support/command-run.ts';

let target: RunningTarget | null = null;

afterEach(async () => {
  await target?.close();
  target = null;
  removeResultFolders();
});

interface Goodput {
  readonly bounds: readonly { readonly metric: string; readonly maxNs: number }[];
  readonly good: number;
  readonly goodShare: number;
  readonly goodputPerSecond: number;
}

/** Runs 2 s at 100/s against a target with `faults`, whose every request takes 30 ms. */
async function runWith(faults: readonly string[], args: readonly string[]) {
  target = await startTarget({ service: 'constant:30ms', faults });
  const common = ['--rate', '100', '--duration', '2s', '--seed', '11', '--fail-on', 'never', '--quiet'];
  const end = await runCommand(['run', '--url', target.url, ...common, ...args]);
  const result = JSON.parse(end.file('result.json')) as {
    slo: Goodput | null;
    thresholds: readonly { text: string; result: string; reason: string | null }[];
    phases: readonly { slo: Goodput | null }[];
    accounting: { scheduled: number; ok: number; attempted: number };
  };
  return { ...end, result, verdicts: result.thresholds.map((one) => one.result) };
}

describe('SLO and goodput', () => {
  it('R058 failures count as misses: share and rate are of all requests, and a threshold on them fails the run', async () => {
    const { result, exitCode, verdicts, stdout } = await runWith(
      ['status:503,share=0.3,service=instant'],
      ['--slo', 'response:60s', '--threshold', 'share(goodput)>95%', '--threshold', 'rate(goodput)>1'],
    );
    const { slo, accounting } = result;
    expect(accounting.ok).toBeLessThan(accounting.scheduled);
    expect(slo?.good).toBe(accounting.ok);
    expect(slo?.goodShare).toBeCloseTo(accounting.ok / accounting.attempted, 12);
    expect(slo?.goodputPerSecond).toBeCloseTo(accounting.ok / 2, 9);
    expect(result.phases[0]?.slo).toEqual(slo);
    expect(verdicts).toEqual(['fail', 'pass']);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/goodput +[0-9,]+ .* met response <= 60.0 s/);
  });

  it('every bound must be met, by each request: none of 30 ms meets 20 ms', async () => {
    const { result, exitCode } = await runWith([], ['--slo', 'response:60s', '--slo', 'service:20ms']);
    expect(result.accounting.ok).toBe(result.accounting.scheduled);
    expect(result.slo).toMatchObject({ good: 0, goodShare: 0, goodputPerSecond: 0 });
    expect(exitCode).toBe(0);
  });

  it('R098 has three verdicts: without an answer a time has no data, a goodput is 0, and without an SLO the plan is refused', async () => {
    const thresholds = ['--threshold', 'p99(response)<200ms', '--threshold', 'share(goodput)>0'];
    const failing = await runWith(['status:503'], ['--slo', 'response:60s', ...thresholds]);
    expect(failing.verdicts).toEqual(['no-data', 'fail']);
    expect(failing.exitCode).toBe(1);
    await target?.close();
    const without = await runCommand([
      'run',
      '--url',
      'http://127.0.0.1:9',
      '--rate',
      '1',
      '--duration',
      '1s',
      ...thresholds,
    ]);
    expect(without.exitCode).toBe(2);
    expect(without.stderr).toMatch(/goodput/);
  });
});
