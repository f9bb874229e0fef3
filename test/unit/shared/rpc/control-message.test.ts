import { describe, expect, it } from 'vitest';
import { isSameRun, runText } from '../../../../shared/rpc/control-message.ts';

const run = { runId: 'run-1', trial: 3 };

describe('run keys', () => {
  it('name a trial of a run', () => {
    expect(isSameRun(run, { ...run })).toBe(true);
    expect(isSameRun(run, { ...run, trial: 4 })).toBe(false);
    expect(isSameRun(run, { ...run, runId: 'run-2' })).toBe(false);
    expect(runText(run)).toBe('run run-1 trial 3');
    expect(runText({ runId: 'run-1', trial: 0 })).toBe('run run-1');
  });
});
