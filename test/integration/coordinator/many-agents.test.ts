import { describe, expect, it } from 'vitest';
import { createRunMerge } from '../../../coordinator/merge/run-merge.ts';
import { clearBlock, createRecordingBlock, record } from '../../../shared/histogram/recording-block.ts';
import { encodeSparse } from '../../../shared/histogram/sparse-histogram.ts';
import { COUNTER, createCounterCell } from '../../../shared/metrics/counters.ts';
import type { MetricId } from '../../../shared/metrics/metric.ts';
import { decodeReport, encodeReport } from '../../../shared/rpc/report-codec.ts';
import type { ReportMessage } from '../../../shared/rpc/report-message.ts';
import { createPlan } from '../../support/plan-fixture.ts';

const SAMPLES = 40;
const SERIES: readonly MetricId[] = ['response', 'service', 'lag', 'wakeLag', 'wait', 'firstByte'];

const block = createRecordingBlock();

/** One second of one agent as it comes over the wire. */
function reportOf(agent: number, seq: number): ReportMessage {
  const scope = { kind: 'window', phase: 0, window: seq - 1 } as const;
  const cell = createCounterCell();
  for (const name of ['decided', 'attempted', 'sent', 'ok'] as const) cell[COUNTER[name]] = SAMPLES;
  const series = SERIES.map((metric, index) => {
    clearBlock(block);
    for (let i = 0; i < SAMPLES; i += 1) record(block, 1e6 * (index + 1) + 7919 * ((agent * 31 + i * 17) % 997));
    return { scope, metric, status: 'ok' as const, samples: encodeSparse(block) };
  });
  return encodeReport({
    key: { runId: 'run-1', trial: 0, agentId: `agent-${agent}`, incarnation: 'i', seq },
    firstWindow: seq - 1,
    lastWindow: seq - 1,
    counters: [{ scope, cell }],
    series,
    workers: [{ slot: agent, decidedThroughNs: seq * 1e9, state: 'running' }],
    failures: [],
    telemetry: [],
    fidelity: [],
    requests: [],
    warnings: [],
    final: null,
  });
}

/** Takes `seconds` of `agents` reports from bytes to sums; CPU ms per report, the best of the seconds. */
function costPerReport(agents: number, seconds: number): { readonly ok: number; readonly msPerReport: number } {
  const slots = Array.from({ length: agents }, (_, slot) => ({ slot, agentId: `agent-${slot}`, incarnation: 'i' }));
  const merge = createRunMerge({ runId: 'run-1', trial: 0, plan: createPlan({ durationNs: 60e9 }), slots });
  let best = Infinity;
  for (let seq = 1; seq <= seconds; seq += 1) {
    const messages = slots.map(({ slot }) => reportOf(slot, seq));
    const before = process.cpuUsage();
    for (const message of messages) merge.apply(decodeReport(message));
    merge.latest();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1000 / agents);
  }
  const ok = merge.senders.reduce((sum, sender) => sum + (sender.total()[COUNTER.ok] as number), 0);
  return { ok, msPerReport: best };
}

describe('R080 a coordinator with 1500 agents that report every second', () => {
  it('counts all of them, at a cost for each that does not grow with their number, well within the second', () => {
    const few = costPerReport(100, 5);
    const many = costPerReport(1500, 3);
    expect(few.ok).toBe(100 * 5 * SAMPLES);
    expect(many.ok).toBe(1500 * 3 * SAMPLES);
    // Linear; the bound leaves room for caches and a noisy machine. Quadratic would be 15.
    expect(many.msPerReport / few.msPerReport).toBeLessThan(6);
    expect(many.msPerReport * 1500).toBeLessThan(1000);
  });
});
