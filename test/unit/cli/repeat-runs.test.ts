import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { repeatRuns, type RunOnce } from '../../../cli/repeat-runs.ts';
import type { VerbContext } from '../../../cli/verb-context.ts';
import { FleetError } from '../../../shared/fleet-error.ts';
import { createPlan } from '../../support/plan-fixture.ts';
import { checkedResult, mergeOf } from '../../support/result-of.ts';
import { syntheticRun } from '../../support/synthetic-run.ts';

const folder = mkdtempSync(join(tmpdir(), 'loadfleet-repeat-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Text of a `result.json`, of ok requests or of none; `stopAtNs`: it was stopped then. */
function resultJson(isOk: boolean, stopAtNs?: number): string {
  const run = syntheticRun({
    plan: createPlan({ ratePerSecond: 100, durationNs: 2e9 }),
    ...(stopAtNs === undefined
      ? {}
      : { stopAtNs, end: { kind: 'interrupted', atNs: stopAtNs, signal: 'SIGINT', abrupt: false } as const }),
    ...(isOk ? {} : { fate: () => ({ kind: 'unfinished', wakeLagNs: 0 }) as const }),
  });
  return checkedResult(run.record, mergeOf(run, run.reports)).files.get('result.json') ?? '';
}

interface Repeated {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
  readonly file: {
    readonly exitCode: number;
    readonly runs: readonly { id: string | null; seed: number; verdict: string | null; exitCode: number }[];
    readonly statistics: readonly { statistic: string; values: number[]; interval: object | null }[];
  };
}

async function repeated(count: number, runOnce: RunOnce): Promise<Repeated> {
  let [out, err] = ['', ''];
  const console_ = {
    out: (text: string) => {
      out += text;
      return Promise.resolve();
    },
    err: (text: string) => void (err += text),
    errIsTerminal: false,
    columns: 80,
  };
  const context: VerbContext = { args: [], console: console_, end: () => undefined };
  const flags = new Map(
    Object.entries({ url: 'http://127.0.0.1:9', rate: '100', duration: '2s', seed: '7', out: folder }).map(
      ([name, value]) => [name, [value]] as const,
    ),
  );
  const given = { file: null, flags, environment: {}, workingFolder: folder };
  const exitCode = await repeatRuns(given, count, runOnce, context);
  const file = JSON.parse(readFileSync(join(folder, 'repeat.json'), 'utf8')) as Repeated['file'];
  return { exitCode, out, err, file };
}

describe('run --repeat', () => {
  it('R100 keeps what was measured when a later run cannot be made, and says which run and why', async () => {
    let round = 0;
    const found = await repeated(5, () => {
      round += 1;
      if (round === 3) throw new FleetError('io', 'the reference target did not start in time');
      return Promise.resolve({ exitCode: 0, resultJson: resultJson(true) });
    });
    expect(found.exitCode).toBe(4);
    expect(found.err).toContain('run 3 of 5: the reference target did not start in time');
    expect(found.file.runs.map(({ seed, exitCode }) => [seed, exitCode])).toEqual([
      [7, 0],
      [8, 0],
      [9, 4],
    ]);
    expect(found.file.statistics.find((one) => one.statistic === 'p50(response)')?.values).toHaveLength(2);
    expect(found.out).toMatch(/^between 2 of 5 runs; harness: (valid|degraded|invalid) 2, no result 1\n/);
  });

  it('R100 a run that was stopped is in the list, and in no statistic of whole runs', async () => {
    let round = 0;
    const found = await repeated(5, () => {
      round += 1;
      const stopped = { exitCode: 130, resultJson: resultJson(true, 0.2e9) };
      return Promise.resolve(round === 3 ? stopped : { exitCode: 0, resultJson: resultJson(true) });
    });
    expect(found.exitCode).toBe(130);
    expect(found.file.runs.map((run) => run.exitCode)).toEqual([0, 0, 130]);
    const rates = found.file.statistics.find((one) => one.statistic === 'rate(ok)')?.values ?? [];
    // About 100/s each; the stopped run answered 20 requests of its 2 s.
    expect(rates).toHaveLength(2);
    expect(Math.min(...rates)).toBeGreaterThan(60);
    expect(found.out).toMatch(/^between 2 of 5 runs; harness: /);
  });

  it('R099 a run in which nothing was ok is in the list, in the exit code and in no mean of times', async () => {
    let round = 0;
    const found = await repeated(3, () => {
      round += 1;
      return Promise.resolve({ exitCode: round === 2 ? 1 : 0, resultJson: resultJson(round !== 2) });
    });
    expect(found.exitCode).toBe(1);
    expect(found.file.runs.map((run) => run.exitCode)).toEqual([0, 1, 0]);
    const statistic = (name: string) => found.file.statistics.find((one) => one.statistic === name);
    expect(statistic('p99(response)')?.values).toHaveLength(2);
    expect(statistic('failureShare')?.values).toEqual([0, 1, 0]);
    expect(found.out).toContain('p99(response): mean of 2 runs');
    expect(found.out).not.toMatch(/NaN|Infinity|undefined/);
  });

  it('a first run that cannot be made is an error like that of a single run', async () => {
    const refused = repeated(2, () => Promise.reject(new FleetError('plan', 'rate: is missing')));
    await expect(refused).rejects.toThrow('rate: is missing');
  });
});
