/**
 * The books of P4 as a value: every scheduled arrival in exactly one place, and every attempt in exactly one.
 *   scheduled = attempted + dropped + cancelled + lost      attempted = ok + failed + unfinished      sent <= attempted
 * What no schedule holds (closed loops, later turns of sessions) is scheduled when it is issued, and told apart by `issued`.
 */
import { assertInvariant } from '../../shared/fleet-error.ts';
import { COUNTER, type CounterCell } from '../../shared/metrics/counters.ts';
import { DROP_REASONS, type DropReason, FAILURE_CLASSES, type FailureClass } from '../../shared/metrics/outcome.ts';

/** Counts of arrivals; all are exact integers. */
export interface Accounting {
  /** Arrivals of the plan, counted from the plan itself, and what workers issued without a schedule. */
  readonly scheduled: number;
  /** Of `scheduled`: requests that workers issued after the end of others, closed loops and later turns of sessions. */
  readonly issued: number;
  /** Of `issued`: later turns of sessions. */
  readonly followUps: number;
  /** Released and accepted. */
  readonly attempted: number;
  /** A first byte left: what the target can count. */
  readonly sent: number;
  readonly dropped: Readonly<Record<DropReason, number>>;
  /** Not released because the run was stopped. */
  readonly cancelled: number;
  /** Owned by an agent or worker that died before deciding them, or decided in a report that never came. */
  readonly lost: number;
  readonly ok: number;
  readonly failed: Readonly<Record<FailureClass, number>>;
  /** Still open at the end of the drain, or when their sender died. */
  readonly unfinished: number;
}

/** Books in which nothing happened. */
export function emptyAccounting(): Accounting {
  return {
    scheduled: 0,
    issued: 0,
    followUps: 0,
    attempted: 0,
    sent: 0,
    dropped: byName(DROP_REASONS, () => 0),
    cancelled: 0,
    lost: 0,
    ok: 0,
    failed: byName(FAILURE_CLASSES, () => 0),
    unfinished: 0,
  };
}

/** The books of a cell together with what no cell can know; `cell` brings the counts that workers made. */
export function accountingOf(
  cell: CounterCell,
  planned: {
    readonly scheduled: number;
    readonly cancelled: number;
    readonly lost: number;
    readonly unfinished: number;
  },
): Accounting {
  return {
    scheduled: planned.scheduled,
    issued: cell[COUNTER.issued] as number,
    followUps: cell[COUNTER['follow-ups']] as number,
    attempted: cell[COUNTER.attempted] as number,
    sent: cell[COUNTER.sent] as number,
    dropped: byName(DROP_REASONS, (reason) => cell[COUNTER[`dropped:${reason}`]] as number),
    cancelled: (cell[COUNTER.cancelled] as number) + planned.cancelled,
    lost: planned.lost,
    ok: cell[COUNTER.ok] as number,
    failed: byName(FAILURE_CLASSES, (failure) => cell[COUNTER[`failed:${failure}`]] as number),
    unfinished: (cell[COUNTER.unfinished] as number) + planned.unfinished,
  };
}

/** The sum of two books. */
export function addAccounting(a: Accounting, b: Accounting): Accounting {
  return {
    scheduled: a.scheduled + b.scheduled,
    issued: a.issued + b.issued,
    followUps: a.followUps + b.followUps,
    attempted: a.attempted + b.attempted,
    sent: a.sent + b.sent,
    dropped: byName(DROP_REASONS, (reason) => a.dropped[reason] + b.dropped[reason]),
    cancelled: a.cancelled + b.cancelled,
    lost: a.lost + b.lost,
    ok: a.ok + b.ok,
    failed: byName(FAILURE_CLASSES, (failure) => a.failed[failure] + b.failed[failure]),
    unfinished: a.unfinished + b.unfinished,
  };
}

/** Dropped arrivals of all reasons. */
export function droppedTotal(books: Accounting): number {
  return DROP_REASONS.reduce((sum, reason) => sum + books.dropped[reason], 0);
}

/** Failed requests of all classes. */
export function failedTotal(books: Accounting): number {
  return FAILURE_CLASSES.reduce((sum, failure) => sum + books.failed[failure], 0);
}

/** (failed + dropped + unfinished) / (attempted + dropped), in 0..1; null when nothing was attempted or dropped (P4). */
export function failureShareOf(books: Accounting): number | null {
  const dropped = droppedTotal(books);
  const whole = books.attempted + dropped;
  return whole === 0 ? null : (failedTotal(books) + dropped + books.unfinished) / whole;
}

/**
 * Asserts P4.
 * @throws InvariantError that names `scope`, the broken rule and the differing numbers.
 */
export function assertBalanced(scope: string, books: Accounting): void {
  const dropped = droppedTotal(books);
  const failed = failedTotal(books);
  const decided = books.attempted + dropped + books.cancelled + books.lost;
  assertInvariant(
    books.scheduled === decided,
    `${scope}: scheduled ${books.scheduled}, but attempted ${books.attempted} + dropped ${dropped} + cancelled ` +
      `${books.cancelled} + lost ${books.lost} = ${decided}`,
  );
  const ended = books.ok + failed + books.unfinished;
  assertInvariant(
    books.attempted === ended,
    `${scope}: attempted ${books.attempted}, but ok ${books.ok} + failed ${failed} + unfinished ${books.unfinished} = ${ended}`,
  );
  assertInvariant(
    books.followUps <= books.issued && books.issued <= books.scheduled,
    `${scope}: follow-ups ${books.followUps} of issued ${books.issued} of scheduled ${books.scheduled}`,
  );
  assertInvariant(books.sent <= books.attempted, `${scope}: sent ${books.sent} is above attempted ${books.attempted}`);
}

function byName<Name extends string>(names: readonly Name[], valueOf: (name: Name) => number): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Record<Name, number>;
}
