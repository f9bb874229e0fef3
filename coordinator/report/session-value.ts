/** What became of sessions of several turns: of the measured phases, as `result.json` and the summary have it. */
import { COUNTER, type CounterName } from '../../shared/metrics/counters.ts';
import type { Plan } from '../../shared/plan/plan.ts';
import type { ScopeData } from './scope-data.ts';
import { countText } from './text-format.ts';

/** Counts of sessions: begun = completed + failed + cut + openAtEnd. */
export interface SessionValue {
  /** Arrivals whose row has later turns, released. */
  readonly begun: number;
  /** All turns were answered. */
  readonly completed: number;
  /** A turn failed or was dropped, which ended the session. */
  readonly failed: number;
  /** Not continued: too long or too many for a worker, or the text of an answer is not known. */
  readonly cut: number;
  /** Turns were open or still to come at the end of the drain, at a stop, or when their worker died. */
  readonly openAtEnd: number;
  /** Later turns of the sessions begun: followUps + all of followUpsNotIssued. */
  readonly followUpsPlanned: number;
  /** Later turns that were issued. */
  readonly followUps: number;
  /** Later turns that never were, by what had become of their session. They are no arrivals: in no other book. */
  readonly followUpsNotIssued: {
    readonly failed: number;
    readonly cut: number;
    readonly openAtEnd: number;
  };
}

/** The value; null for a plan without such sessions. */
export function sessionValue(plan: Plan, measured: ScopeData): SessionValue | null {
  if (plan.requests.every(({ llm }) => llm === null || llm.session === null)) return null;
  const count = (name: CounterName): number => measured.cell[COUNTER[name]] as number;
  const begun = count('sessions-begun');
  const completed = count('sessions-completed');
  const failed = count('sessions-failed');
  const cut = count('sessions-cut');
  const openAtEnd = Math.max(0, begun - completed - failed - cut);
  const followUpsPlanned = count('follow-ups-planned');
  const followUps = count('follow-ups');
  const behindFailed = count('follow-ups-behind-failed');
  const behindCut = count('follow-ups-behind-cut');
  const behindOpen = Math.max(0, followUpsPlanned - followUps - behindFailed - behindCut);
  return {
    begun,
    completed,
    failed,
    cut,
    openAtEnd,
    followUpsPlanned,
    followUps,
    followUpsNotIssued: { failed: behindFailed, cut: behindCut, openAtEnd: behindOpen },
  };
}

/** Lines of the summary. */
export function sessionLines(value: SessionValue | null): readonly string[] {
  if (value === null) return [];
  const parts = [
    [value.completed, 'completed'],
    [value.failed, 'ended by a turn that failed'],
    [value.cut, 'not continued'],
    [value.openAtEnd, 'open at the end'],
  ] as const;
  const notIssued = value.followUpsNotIssued;
  const never = [
    [notIssued.failed, 'behind a turn that failed'],
    [notIssued.cut, 'of sessions not continued'],
    [notIssued.openAtEnd, 'still to come at the end'],
  ] as const;
  return [
    `sessions of several turns: ${[`${countText(value.begun)} begun`, ...countedParts(parts)].join(', ')}`,
    `  ${countText(value.followUps)} later turns were issued when the answer before had ended: they wait for the target and do not show queueing as arrivals do`,
    ...(value.followUps < value.followUpsPlanned
      ? [
          `  ${countText(value.followUpsPlanned - value.followUps)} of ${countText(value.followUpsPlanned)} later turns were never issued: ${countedParts(never).join(', ')}`,
        ]
      : []),
  ];
}

/** `N what` of each that has happened. */
function countedParts(parts: readonly (readonly [number, string])[]): readonly string[] {
  return parts.filter(([count]) => count > 0).map(([count, what]) => `${countText(count)} ${what}`);
}
