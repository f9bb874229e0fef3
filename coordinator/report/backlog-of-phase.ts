/**
 * Did the target fall behind in a phase? The number in flight at the ends of windows, as block means, against what a stable queue
 * would show (M§6.2). It says something about the target, not about the fleet, so it is no gate of the verdict.
 */
import { FAILURE_CLASSES } from '../../shared/metrics/outcome.ts';
import { COUNTER, type CounterCell } from '../../shared/metrics/counters.ts';
import type { Phase } from '../../shared/plan/plan.ts';
import { judgeBacklog } from '../../shared/stats/backlog-slope.ts';
import { mm1BacklogDeviation } from '../../shared/stats/queue-theory.ts';
import type { WindowRow } from '../merge/window-rows.ts';

/** The highest utilisation that counts as stable: its queue swings by 19.5 requests (M§6.2). */
const STABLE_UTILISATION = 0.95;

/** Windows are put together to at most this many blocks. */
const BLOCKS_MOST = 20;

/** With more than this share dropped at a cap or timed out, a number in flight that does not grow shows nothing. */
const LIMITED_MOST = 0.01;

/** What the number in flight did. */
export type BacklogValue =
  | {
      readonly kind: 'stable' | 'unstable';
      /** Requests gained per second. */
      readonly slopePerSecond: number;
      /** Requests gained from the first block to the last. */
      readonly growth: number;
      /** Slope over its standard error; null on an exact line. */
      readonly t: number | null;
      /** Number of blocks. */
      readonly blocks: number;
    }
  | { readonly kind: 'not-judged'; readonly reason: string };

/**
 * Judges a phase of constant rate from its rows of `lengthNs` each. Only windows that lie inside the phase count: of a run that was
 * stopped, give it the length that the phase was on.
 */
export function backlogOfPhase(phase: Phase, rows: readonly WindowRow[], lengthNs: number): BacklogValue {
  if (phase.arrivals.kind === 'closed')
    return { kind: 'not-judged', reason: 'a closed loop never has more requests open than slots' };
  if (!isConstantRate(phase)) return { kind: 'not-judged', reason: 'the rate of the phase is not constant' };
  const inFlight = inFlightAtWindowEnds(phase, rows, lengthNs);
  const size = Math.max(1, Math.ceil(inFlight.length / BLOCKS_MOST));
  const means = Array.from({ length: Math.floor(inFlight.length / size) }, (_, block) => {
    const members = inFlight.slice(block * size, (block + 1) * size);
    return members.reduce((sum, value) => sum + value, 0) / size;
  });
  const judged = judgeBacklog(means, mm1BacklogDeviation(STABLE_UTILISATION));
  if (judged.kind === 'too-few-blocks') {
    return { kind: 'not-judged', reason: `${judged.count} whole windows, the least is 6` };
  }
  const { kind, slopePerBlock, growth, t } = judged;
  const limited = limitedShare(rows);
  if (kind === 'stable' && limited > LIMITED_MOST) {
    const reason = `${(limited * 100).toFixed(2)} % of the arrivals were dropped at a cap or timed out, which keeps the number in flight down; the limit is 1 %`;
    return { kind: 'not-judged', reason };
  }
  return { kind, slopePerSecond: slopePerBlock / ((size * lengthNs) / 1e9), growth, t, blocks: means.length };
}

/** Share of the arrivals that a limit of the plan kept out of the number in flight or took out of it. */
function limitedShare(rows: readonly WindowRow[]): number {
  const sum = (names: readonly (keyof typeof COUNTER)[]): number =>
    rows.reduce(
      (total, { totals }) => names.reduce((whole, name) => whole + (totals.cell[COUNTER[name]] as number), total),
      0,
    );
  const atCap = sum(['dropped:max-in-flight', 'dropped:queue-full']);
  const due = sum(['attempted']) + atCap;
  return due === 0 ? 0 : (atCap + sum(['failed:timeout'])) / due;
}

/** Attempted and not ended, of this phase, at the end of each whole window of it. */
export function inFlightAtWindowEnds(phase: Phase, rows: readonly WindowRow[], lengthNs: number): number[] {
  const firstWhole = Math.ceil(phase.startNs / lengthNs);
  const end = Math.floor((phase.startNs + phase.durationNs) / lengthNs);
  const gained = new Map(rows.map((row) => [Math.round(row.startNs / lengthNs), gainOf(row.totals.cell)]));
  let open = 0;
  const inFlight: number[] = [];
  for (let index = Math.floor(phase.startNs / lengthNs); index < end; index += 1) {
    open += gained.get(index) ?? 0;
    if (index >= firstWhole) inFlight.push(open);
  }
  return inFlight;
}

function gainOf(cell: CounterCell): number {
  const failed = FAILURE_CLASSES.reduce((sum, failure) => sum + (cell[COUNTER[`failed:${failure}`]] as number), 0);
  const ended = (cell[COUNTER.ok] as number) + failed + (cell[COUNTER.unfinished] as number);
  return (cell[COUNTER.attempted] as number) - ended;
}

function isConstantRate({ arrivals }: Phase): boolean {
  switch (arrivals.kind) {
    case 'poisson':
    case 'poisson-count':
    case 'even':
      return arrivals.knots.every((knot) => knot.ratePerSecond === arrivals.knots[0]?.ratePerSecond);
    case 'gamma':
      return true;
    case 'trace':
    case 'all-at-once':
    case 'closed':
      return false;
  }
}
