/**
 * Every gate of the verdict in one table: what is measured, from where on a run is degraded or invalid, and why there. A gate that
 * cannot be evaluated is shown in each report as "not measured", so that nobody takes silence for a pass.
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

/** All gates. */
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
  'certified-rate': {
    unit: 'share',
    measures: 'planned peak rate per worker / certified rate of this machine',
    warnBeyond: 1,
    failBeyond: null,
    why: 'beyond it workers of this machine were not clean when it was calibrated; plans should stay at 60 % of it (M§9.3)',
  },
  'calibration-recheck': {
    unit: 'count',
    measures: 'checks before and after the run that were not clean, and floors that moved',
    warnBeyond: 0,
    failBeyond: null,
    why: 'a machine that changed since its calibration, or during a long run, is certified for nothing (M§9.3). Only where it was asked for',
  },
  'clock-bound': {
    unit: 'ns',
    measures: 'largest proven bound of an agent clock',
    warnBeyond: 5_000_000,
    failBeyond: null,
    why: 'agents further apart than 5 ms blur steps and windows (M§8); response times use one clock each and do not suffer',
  },
  'lag-share': {
    unit: 'share',
    measures: 'wakeLag and our own waits / response of ok requests, as sums',
    warnBeyond: 0.01,
    failBeyond: 0.25,
    why: '1 % keeps the mean honest (M§9.2); at a quarter the mean is about us. Only wakeLag invalidates; 0.1 ms a request always passes',
  },
  'send-fidelity': {
    unit: 'share',
    measures: 'distance from 1 of the Fano ratio sent / planned, beyond chance',
    warnBeyond: 0.05,
    failBeyond: 1,
    why: 'within 5 % bursts are those of the plan (M§3.3); beyond a factor of 2 the target saw another arrival law',
  },
  backlog: {
    unit: 'share',
    measures: 'share of the time in which a worker was more than 1 % of a window behind its plan',
    warnBeyond: 0.01,
    failBeyond: 0.1,
    why: '1 % of a window is 10 ms of lag for everyone then due; a tenth of the time is no accident (M§3.1)',
  },
  'loop-gap': {
    unit: 'ns',
    measures: 'time-weighted p99.9 of the gap between loop turns against p99 of response',
    warnBeyond: 0.01,
    failBeyond: null,
    why: 'the part of our delay that no lag shows: answers that waited to be seen (M§9.2). How much of a percentile it can be is for excess-bound to say',
  },
  'loop-busy': {
    unit: 'share',
    measures: 'busy share of the busiest worker loop',
    warnBeyond: 0.6,
    failBeyond: 0.95,
    why: 'at 60 % the p99 of waiting for the loop is 4.5 tasks, at 90 % 22 (M§9.2); a loop that is never idle is the bottleneck',
  },
  'own-waits': {
    unit: 'count',
    measures: 'requests held back by the in-flight cap, a busy connection or a stream',
    warnBeyond: 0,
    failBeyond: null,
    why: 'a cap turns an open loop into a closed one (M§9.2); it may be a slow target that fills it, so it does not invalidate',
  },
  'generator-failures': {
    unit: 'share',
    measures: 'requests that failed by our own fault / attempted',
    warnBeyond: 0,
    failBeyond: 0.01,
    why: 'out of ports or handles is our failure and not the target’s (R032); beyond 1 % the target saw another load',
  },
  'new-connections': {
    unit: 'count',
    measures: 'new connections per second of an agent in its busiest minute',
    warnBeyond: 235,
    failBeyond: null,
    why: 'a closed connection keeps its port for 60 s: 28,232 ports last for 470 a second, half of it is safe (M§9.2); from the host’s own range where it is read',
  },
  'file-handles': {
    unit: 'share',
    measures: 'open file handles of an agent / its limit',
    warnBeyond: 0.9,
    failBeyond: null,
    why: 'the next burst of connections fails on our side (R032); what has failed is for generator-failures to say',
  },
  'local-ports': {
    unit: 'share',
    measures: 'local ports taken on the host of an agent / its range',
    warnBeyond: 0.5,
    failBeyond: null,
    why: 'beyond half, ports are searched for and soon run out (R032, M§9.2)',
  },
  'cpu-steal': {
    unit: 'share',
    measures: 'CPU time stolen from the host of an agent',
    warnBeyond: 0.005,
    failBeyond: null,
    why: 'a stolen slice is lag for every request in it (M§9.2); 5 % in any 100 ms count as much. It explains, it does not judge alone',
  },
  'cpu-throttled': {
    unit: 'count',
    measures: 'periods in which a cgroup quota stopped an agent',
    warnBeyond: 0,
    failBeyond: null,
    why: 'one throttle can be tens of ms (M§9.2). It explains, it does not judge alone',
  },
  'gc-pause': {
    unit: 'ns',
    measures: 'longest garbage collection on a worker against p99 of response',
    warnBeyond: 0.1,
    failBeyond: null,
    why: 'a tenth of the tail is still the target’s tail (M§9.2). It explains, it does not judge alone',
  },
  retransmits: {
    unit: 'share',
    measures: 'TCP segments sent again by the host of an agent',
    warnBeyond: 0.0001,
    failBeyond: null,
    why: 'a timeout of 200 ms on 0.1 % is the p99.9 (M§9.2). Of all processes of the host, so it explains and does not judge alone',
  },
  'token-counts': {
    unit: 'share',
    measures:
      'distance between sources of output token counts: share of answers they contradict each other in, or by how much',
    warnBeyond: 0.02,
    failBeyond: null,
    why: 'times per token and token rates rest on one count; 2 % is beyond rounding and special tokens (R047). Only where a plan has LLM requests',
  },
  'network-card': {
    unit: 'share',
    measures: 'bit rate of the card to the target against its speed, and frames damaged or dropped for want of room',
    warnBeyond: 0.6,
    failBeyond: null,
    why: 'a dropped frame is a timeout of 200 ms that looks like the target’s; beyond 60 % queues build up in the card (M§9.2)',
  },
} as const satisfies Record<string, GateRow>;

/** Name of a gate. */
export type GateName = keyof typeof GATES;

/** wakeLag up to this never invalidates, ns: timers of a shared host are right to about 1 ms, and quick targets answer sooner. */
export const WAKE_LAG_SLACK_NS = 1_000_000;

/** An excess up to this passes whatever its share, ns: a clock, a timer and two system calls cannot do better (M§9.1). */
export const EXCESS_SLACK_NS = 100_000;

/** Gates that explain what others find: by themselves they leave a run valid, and are shown all the same (design §9). */
export const EXPLAINING_GATES: ReadonlySet<string> = new Set<GateName>([
  'cpu-steal',
  'cpu-throttled',
  'gc-pause',
  'retransmits',
]);

/** Our own lag up to this per request passes whatever its share, ns: a clock, a timer and two system calls cannot do better. */
export const OWN_LAG_SLACK_NS = 100_000;

/** A gap of a loop up to this passes however quick the target, ns: turns of a busy loop of a shared host take that. */
export const LOOP_GAP_SLACK_NS = 1_000_000;

/** Share of steal in any 100 ms that is worth a word (M§9.2). */
export const STEAL_PEAK_SHARE = 0.05;

/** Seconds for which a closed connection keeps its local port (TIME_WAIT). */
export const TIME_WAIT_SECONDS = 60;
