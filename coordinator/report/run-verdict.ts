/** From the facts and the sums of a run to the evidence for the verdict on the harness; the gates themselves are in `coordinator/verdict`. */
import { COUNTER } from '../../shared/metrics/counters.ts';
import type { Phase, Plan } from '../../shared/plan/plan.ts';
import { addAccounting, emptyAccounting } from '../merge/accounting.ts';
import type { RunBooks } from '../merge/books.ts';
import type { RunMerge } from '../merge/run-merge.ts';
import type { RunRecord } from '../run/run-record.ts';
import { type Evidence, judge } from '../verdict/judge.ts';
import type { Verdict } from '../verdict/verdict.ts';
import { harnessEvidence, heldBackIn, sentAfterPhase } from './harness-evidence.ts';
import { tokenCountEvidence } from './llm-value.ts';
import type { ScopeData } from './scope-data.ts';

/** What was counted of a run. */
export interface RunData {
  readonly books: RunBooks;
  /** By position in `Plan.phases`. */
  readonly phases: readonly ScopeData[];
  /** The sum of those that are no warm-up. */
  readonly measured: ScopeData;
}

/** The verdict on the harness of a run. `known` is what others have worked out of the same run. */
export function verdictOn(
  record: RunRecord,
  merge: RunMerge,
  { books, phases, measured }: RunData,
  known: Pick<Evidence, 'excess' | 'planned' | 'recheck'>,
): Verdict {
  const okService = measured.histogram('service', 'ok');
  return judge({
    record,
    books,
    measured: measured.accounting,
    ...arrivalsOf(record.plan, merge, phases),
    senders: merge.senders.map((sender) => ({
      agentId: sender.agentId,
      incarnation: sender.incarnation,
      completeness: sender.completeness(),
    })),
    lostSlots: lostSlotsOf(merge),
    ...known,
    harness: harnessEvidence(record, merge, measured),
    rejections: merge.rejections(),
    tokenCounts: tokenCountEvidence(record.plan, measured),
    wakeLag: measured.pooled('wakeLag'),
    service: okService.isEmpty() ? measured.histogram('service', 'failed') : okService,
    overflow: phases.reduce((sum, phase) => sum + (phase.cell[COUNTER.overflow] as number), 0),
  });
}

/** The measured phases whose load is a schedule's. */
function arrivalsOf(
  plan: Plan,
  merge: RunMerge,
  phases: readonly ScopeData[],
): Pick<Evidence, 'arrivals' | 'heldBack' | 'sentAfter'> {
  const closed = plan.phases.filter((phase) => !phase.warmup).every(isClosed);
  const scheduled = plan.phases
    .map((phase, index) => ({ phase, data: phases[index] as ScopeData, rows: merge.rows.ofPhase(index) }))
    .filter(({ phase }) => !phase.warmup && (closed || !isClosed(phase)));
  return {
    arrivals: scheduled.reduce((sum, { data }) => addAccounting(sum, data.accounting), emptyAccounting()),
    heldBack: heldBackIn(scheduled.map(({ phase, data }) => ({ phase, cell: data.cell }))),
    sentAfter: scheduled.reduce((sum, { phase, rows }) => sum + sentAfterPhase(phase, plan.limits, rows), 0),
  };
}

function isClosed({ arrivals }: Phase): boolean {
  return arrivals.kind === 'closed';
}

/** Worker slots that died inside living agents. */
export function lostSlotsOf(merge: RunMerge): readonly number[] {
  return merge.owners.filter(({ slot }) => merge.progressOf(slot).state === 'lost').map(({ slot }) => slot);
}
