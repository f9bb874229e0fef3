/** `run --recheck-calibration` from end to end; what the checks find here is this machine's business. */
import { afterEach, expect, it } from 'vitest';
import { type RunningTarget, startTarget } from '../../target/reference-target.ts';
import type { ResultValue } from '../../coordinator/report/result-value.ts';
import { removeResultFolders, runCommand } from '../support/command-run.ts';

let target: RunningTarget | null = null;

afterEach(async () => {
  await target?.close();
  target = null;
  removeResultFolders();
});

it('checks the machine before and after the run, and the verdict has a gate for it', async () => {
  target = await startTarget();
  const plan = ['--url', target.url, '--rate', '50', '--duration', '1s', '--workers', '1', '--fail-on', 'never'];
  const end = await runCommand(['run', ...plan, '--quiet', '--recheck-calibration']);
  const result = JSON.parse(end.file('result.json')) as ResultValue;
  const made = { kind: 'made', ratePerSecond: 200, workers: 1 };
  expect(result.calibrationRecheck).toMatchObject({ before: made, after: made });
  expect(result.verdict.gates.map(({ name }) => name)).toContain('calibration-recheck');
  // Only the plan's own requests went to its target.
  expect(target.counts().requests).toBe(result.accounting.sent);
}, 120_000);
