/**
 * What one agent process (agent and incarnation) has told so far: its books per phase, its series of the measured phases, and
 * whether everything it counted has arrived.
 */
import { addCounterCell, type CounterCell, COUNTERS, createCounterCell } from '../../shared/metrics/counters.ts';
import { ConnectionRate } from './connection-rate.ts';
import { ScopeTotals } from './scope-totals.ts';
import { SequenceSet } from './sequence-set.ts';

/** Buckets that may wait in a sender's series: 160 kB each, for the few series that are kept per agent. */
const SENDER_PENDING_BUCKETS = 16_384;

/** Missing report numbers that are named at most. */
const MISSING_NAMED_MAX = 20;

/** Whether all that an agent counted has arrived. */
export type Completeness =
  | { readonly kind: 'complete' }
  /** Its last report of the trial, the one with its own sums, has not come. */
  | { readonly kind: 'no-final' }
  /** Reports below its highest number are missing; the first few of their numbers. */
  | { readonly kind: 'gap'; readonly missing: readonly number[] }
  /** Its own sums differ from ours. */
  | { readonly kind: 'differs'; readonly counters: readonly CounterDifference[] };

/** One counter of which the sum of the reports is not what the sender counted. */
export interface CounterDifference {
  readonly name: string;
  readonly received: number;
  readonly sent: number;
}

/** The sums of one sender. */
export class SenderSums {
  readonly agentId: string;
  readonly incarnation: string;
  /** Global worker slots it was given. */
  readonly slots: ReadonlySet<number>;
  readonly taken = new SequenceSet();
  /** Connections that it tried to open. */
  readonly connections = new ConnectionRate();
  /** Books by phase, from the scopes of kind `window`. */
  readonly phaseCells: readonly CounterCell[];
  /** Series over the measured phases. */
  readonly measured = new ScopeTotals(SENDER_PENDING_BUCKETS);
  /** Highest window that a report of it closes; -1 before the first. */
  lastWindow = -1;
  /** Its own cumulative books, from its last report of the trial. */
  final: CounterCell | null = null;

  constructor(agentId: string, incarnation: string, slots: ReadonlySet<number>, phaseCount: number) {
    this.agentId = agentId;
    this.incarnation = incarnation;
    this.slots = slots;
    this.phaseCells = Array.from({ length: phaseCount }, () => createCounterCell());
  }

  /** Adds counts of one phase. */
  addCell(phase: number, cell: CounterCell): void {
    addCounterCell(this.phaseCells[phase] as CounterCell, cell);
  }

  /** Its books over all phases. */
  total(): CounterCell {
    const total = createCounterCell();
    for (const cell of this.phaseCells) addCounterCell(total, cell);
    return total;
  }

  /** Whether everything it counted has arrived and adds up. */
  completeness(): Completeness {
    const missing = this.taken.missing(MISSING_NAMED_MAX);
    if (missing.length > 0) return { kind: 'gap', missing };
    if (this.final === null) return { kind: 'no-final' };
    const received = this.total();
    const sent = this.final;
    const counters = COUNTERS.map((name, index) => ({
      name,
      received: received[index] as number,
      sent: sent[index] as number,
    })).filter((counter) => counter.received !== counter.sent);
    return counters.length === 0 ? { kind: 'complete' } : { kind: 'differs', counters };
  }
}
