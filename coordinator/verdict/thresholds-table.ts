/**
 * Every gate of the verdict in one table: what is measured, from where on a run is degraded or invalid, and why there. The gates
 * that are listed but not evaluated yet are shown in each report as "not measured", so that nobody takes silence for a pass.
 */
import type { GateUnit } from './verdict.ts';

/** One row of the table. */
export interface GateRow {
  readonly unit: GateUnit;
  /** What is compared, in one line. */
  readonly measures: string;
  /** Degraded beyond this; null = it never only degrades. */
  readonly warnBeyond: number | null;
  /** Invalid beyond this; null = it never invalidates by itself. */
  readonly failBeyond: number | null;
  readonly why: string;
}

/** Gates that are evaluated. */
export const GATES = {
  'run-completed': {
    unit: 'count',
    measures: 'reasons why the run could not be run to its end',
    warnBeyond: null,
    failBeyond: 0,
    why: 'a run that failed half-way measured another load than the plan',
  },
  'books-balance': {
    unit: 'count',
    measures: 'rules of the books (P4) that do not hold, over phases, agents and the run',
    warnBeyond: null,
    failBeyond: 0,
    why: 'one missing arrival proves a defect, and then no number can be believed',
  },
  'reports-complete': {
    unit: 'count',
    measures: 'living agents whose reports are missing, rejected or differ from their own sums',
    warnBeyond: null,
    failBeyond: 0,
    why: 'samples that never arrived may be the slow ones',
  },
  'excess-bound': {
    unit: 'share',
    measures: 'largest share of a judged percentile that can be the fleet itself',
    warnBeyond: 0.02,
    failBeyond: 0.05,
    why:
      'the limits of M§9.1: up to 2 % a percentile is the target’s for all purposes; beyond 5 % it cannot be told whose time it is, ' +
      'so the run is invalid and not slow',
  },
  'sent-share': {
    unit: 'share',
    measures: 'sent / (scheduled - cancelled) of the measured phases; lower is worse',
    warnBeyond: 0.99,
    failBeyond: 0.99,
    why:
      'below 99 % the target saw another load than the plan (R005). Where the attempts were made on time and the target ' +
      'refused them before a byte could leave, the run is degraded, not invalid: the generator did its part',
  },
  'members-lost': {
    unit: 'count',
    measures: 'agents and worker slots that died',
    warnBeyond: 0,
    failBeyond: null,
    why: 'their share of the load ended early (R074); whether too much is missing is for sent-share to say',
  },
  'wake-lag': {
    unit: 'ns',
    measures: 'p99 of wakeLag against p50 of service',
    warnBeyond: 0.1,
    failBeyond: 1,
    why: 'up to 10 % keeps the shift of the median small (M§9.2); at 100 % a typical request waited longer for us than for the target',
  },
  overflow: {
    unit: 'count',
    measures: 'samples outside the histogram, clamped to one hour',
    warnBeyond: 0,
    failBeyond: null,
    why: 'clamped samples are counted and are the largest, so percentiles below them stand; maximum and mean do not (R062)',
  },
  'clock-bound': {
    unit: 'ns',
    measures: 'largest proven bound of an agent clock',
    warnBeyond: 5_000_000,
    failBeyond: null,
    why: 'agents further apart than 5 ms blur steps and windows (M§8); response times use one clock each and do not suffer',
  },
} as const satisfies Record<string, GateRow>;

/** Name of an evaluated gate. */
export type GateName = keyof typeof GATES;

/** wakeLag up to this never invalidates, ns: timers of a shared host are right to about 1 ms, and quick targets answer sooner. */
export const WAKE_LAG_SLACK_NS = 1_000_000;

/** An excess up to this passes whatever its share, ns: a clock, a timer and two system calls cannot do better (M§9.1). */
export const EXCESS_SLACK_NS = 100_000;

/** Gates of M§9.1 and M§9.2 that this version lists and does not evaluate. */
export const GATES_NOT_MEASURED: readonly {
  readonly name: string;
  readonly unit: GateUnit;
  readonly measures: string;
}[] = [
  { name: 'lag-share', unit: 'share', measures: 'sum of lag / sum of response' },
  { name: 'send-fidelity', unit: 'share', measures: 'planned against sent counts, Fano ratios at 1 ms to 1 s' },
  { name: 'loop-gap', unit: 'ns', measures: 'p99.9 of the time between loop turns against p99 of response' },
  { name: 'loop-busy', unit: 'share', measures: 'busy share of the worker loops' },
  { name: 'cpu-steal', unit: 'share', measures: 'CPU time taken by the hypervisor' },
  { name: 'cpu-throttled', unit: 'count', measures: 'periods throttled by a cgroup quota' },
  { name: 'gc-pause', unit: 'ns', measures: 'longest garbage collection' },
  {
    name: 'new-connections',
    unit: 'count',
    measures: 'new connections per second and address, against the port range',
  },
  { name: 'retransmits', unit: 'share', measures: 'retransmitted TCP segments' },
  { name: 'network-card', unit: 'share', measures: 'packet and bit rate against the known capacity' },
  { name: 'own-waits', unit: 'count', measures: 'waits for the in-flight cap, a connection or a stream' },
];
