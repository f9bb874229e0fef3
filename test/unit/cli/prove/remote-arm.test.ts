import { describe, expect, it } from 'vitest';
import { armRunOf } from '../../../../cli/prove/arm-run.ts';
import { remoteArmOf } from '../../../../cli/prove/remote-arm.ts';
import { createPlan } from '../../../support/plan-fixture.ts';
import { checkedResult, mergeOf } from '../../../support/result-of.ts';
import { syntheticRun } from '../../../support/synthetic-run.ts';

const plan = createPlan({ ratePerSecond: 300, durationNs: 8e9 });

describe('a run elsewhere as a side of a proof', () => {
  it.each([50, 75])('says of p%d, its blocks and its bound what the run itself says here', (percentile) => {
    const run = syntheticRun({ plan });
    const merge = mergeOf(run, run.reports);
    const result = checkedResult(run.record, merge);
    const ended = { record: run.record, merge, blobs: new Map(), parts: null };
    const here = armRunOf({ ended, result }, percentile);
    const { run: there, fleet } = remoteArmOf(result, percentile);
    const { blocks, percentiles, excessBound, ...same } = here;
    expect(there).toMatchObject(same);
    expect(fleet).toEqual({ agents: result.value.agents.length, workerSlots: run.record.workerSlots });
    expect(blocks.length).toBeGreaterThanOrEqual(6);
    expect(there.blocks).toHaveLength(blocks.length);
    // Values of an .hlog end at the edge of a bucket, which is 0.1 % wide.
    for (const [i, block] of blocks.entries()) expect((there.blocks[i] ?? 0) / block).toBeCloseTo(1, 2);
    for (const key of ['50', '90', '99', '99.9']) expect(there.percentiles[key]).toBe(percentiles[key]);
    expect((there.percentiles[String(percentile)] ?? 0) / (percentiles[String(percentile)] ?? 1)).toBeCloseTo(1, 2);
    // The result has bounds of its own percentiles only.
    expect(there.excessBound).toBe(percentile === 50 ? excessBound : null);
  });

  it('R093 has no value and no block where nothing was ok', () => {
    const run = syntheticRun({ plan, fate: () => ({ kind: 'unfinished', wakeLagNs: 0 }) });
    const { run: there } = remoteArmOf(checkedResult(run.record, mergeOf(run, run.reports)), 75);
    expect(there).toMatchObject({ ok: 0, failureShare: 1, blocks: [], excessBound: null });
    expect(there.percentiles['75']).toBeNull();
  });

  it('refuses a run that was not finished, and files that are not all there', () => {
    const run = syntheticRun({ plan });
    const end = { kind: 'failed', atNs: 1e9, reason: 'agent a1 was lost' } as const;
    const failed = checkedResult({ ...run.record, end }, mergeOf(run, run.reports));
    expect(() => remoteArmOf(failed, 99)).toThrow('agent a1 was lost');
    const files = new Map([...checkedResult(run.record, mergeOf(run, run.reports)).files]);
    files.delete('response.hlog');
    expect(() => remoteArmOf({ files }, 99)).toThrow('the coordinator sent no response.hlog');
  });
});
