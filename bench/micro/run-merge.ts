/**
 * What the coordinator's merge costs as a whole: one second of 100 agents, each a report of books and 6 series, checked and added to
 * windows, request names and agents. The bound is 20 ms for the second (design §8). Run: `node bench/micro/run-merge.ts [name] [--smoke]`.
 */
import { createRunMerge, type RunMerge } from '../../coordinator/merge/run-merge.ts';
import type { SparseHistogram } from '../../shared/histogram/sparse-histogram.ts';
import type { AgentReport, CellScope, SeriesDelta } from '../../shared/metrics/agent-report.ts';
import { createCounterCell } from '../../shared/metrics/counters.ts';
import type { MetricId } from '../../shared/metrics/metric.ts';
import { createPlan } from '../../test/support/plan-fixture.ts';
import { seriesOf } from './merge.ts';
import { type MicroBench, runFromCommandLine } from './runner.ts';

const AGENTS = 100;
const METRICS: readonly MetricId[] = ['response', 'service', 'lag', 'wakeLag', 'wait', 'firstByte'];
const plan = createPlan({ durationNs: 600e9 });

/** The report of agent `agent` for window `window`. */
function reportOf(agent: number, window: number, samples: readonly SparseHistogram[]): AgentReport {
  const scope: CellScope = { kind: 'window', phase: 0, window };
  return {
    key: { runId: 'run', trial: 0, agentId: `agent-${agent}`, incarnation: 'i', seq: window + 1 },
    firstWindow: window,
    lastWindow: window,
    counters: [{ scope, cell: createCounterCell().fill(3) }],
    series: METRICS.map(
      (metric, index): SeriesDelta => ({ scope, metric, status: 'ok', samples: samples[index] as SparseHistogram }),
    ),
    workers: [{ slot: agent, decidedThroughNs: window * 1e9, state: 'running' }],
    failures: [],
    telemetry: [],
    fidelity: [],
    requests: [],
    warnings: [],
    final: null,
  };
}

function emptyMerge(): RunMerge {
  const slots = Array.from({ length: AGENTS }, (_, slot) => ({ slot, agentId: `agent-${slot}`, incarnation: 'i' }));
  return createRunMerge({ runId: 'run', trial: 0, plan, slots });
}

/** One operation is one second of the whole fleet. */
function fleetSecond(samples: number): MicroBench {
  const agents: SparseHistogram[][] = [];
  return {
    name: `run-merge/second-of-100-agents-6-series-of-${samples}`,
    unit: 'seconds',
    count: 20,
    smokeCount: 1,
    run: (count) => {
      for (let agent = agents.length; agent < AGENTS; agent += 1) agents.push(seriesOf(agent, samples));
      const merge = emptyMerge();
      for (let window = 0; window < count; window += 1) {
        for (let agent = 0; agent < AGENTS; agent += 1) {
          const outcome = merge.apply(reportOf(agent, window, agents[agent] as SparseHistogram[]));
          if (outcome.kind !== 'applied') throw new Error(`report was ${outcome.kind}`);
        }
      }
      return merge.rows
        .ofPhase(0)
        .reduce((sum, row) => sum + row.totals.histogram('response', 'ok').sum, 0n)
        .toString(16);
    },
  };
}

/** The benches of the run's merge: agents at 100 and at 1,000 requests/s each. */
export const runMergeBenches: readonly MicroBench[] = [100, 1000].map(fleetSecond);

if (import.meta.main)
  runFromCommandLine(runMergeBenches, process.argv.slice(2), (line) => process.stdout.write(`${line}\n`));
