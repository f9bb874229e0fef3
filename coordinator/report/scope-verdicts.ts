/** Gathers what the verdicts on phases and on agents are made from. It judges nothing. */
import { COUNTER, type CounterCell } from '../../shared/metrics/counters.ts';
import type { Phase, Plan } from '../../shared/plan/plan.ts';
import { type Accounting, addAccounting, emptyAccounting } from '../merge/accounting.ts';
import type { AgentBooks } from '../merge/books.ts';
import type { RunMerge } from '../merge/run-merge.ts';
import { ScopeTotals } from '../merge/scope-totals.ts';
import type { SenderSums } from '../merge/sender-sums.ts';
import type { AgentRecord, RunRecord } from '../run/run-record.ts';
import { clockBoundGate } from '../verdict/clock-bound-gate.ts';
import { isOwnLag } from '../verdict/lag-share-gate.ts';
import { agentVerdict, phaseVerdict, type ScopeEvidence, type ScopeVerdict } from '../verdict/scope-verdict.ts';
import { judgedExcess, observedWorkerNs, receiveDelayOf } from './excess-part.ts';
import { connectionsOf, heldBackIn, loopGaps, partEvidence, sentAfterPhase } from './harness-evidence.ts';
import { ScopeData } from './scope-data.ts';

/** Buckets that may wait while an agent's series are added up. */
const PENDING_BUCKETS = 65_536;

/** The verdict on phase `index`, of which `data` are the numbers. */
export function verdictOnPhase(
  record: RunRecord,
  merge: RunMerge,
  { index, data, lostSlots }: { readonly index: number; readonly data: ScopeData; readonly lostSlots: number },
): ScopeVerdict {
  const phase = record.plan.phases[index] as Phase;
  const isOfPhase = (pace: { readonly phase: number }): boolean => pace.phase === index;
  return phaseVerdict(
    scopeEvidence(
      record,
      data,
      {
        phases: [phase],
        observedNs: observedWorkerNs(record, [phase], lostSlots),
        heldBack: heldBackIn([{ phase, cell: data.cell }]),
        sentAfter: sentAfterPhase(phase, record.plan.limits, merge.rows.ofPhase(index)),
      },
      {
        slots: merge.fidelity.slots().filter(isOfPhase),
        fleet: merge.fidelity.fleet().filter(isOfPhase),
        phaseName: () => phase.name,
      },
    ),
  );
}

/** The verdict on one agent over the measured phases; its books are null when it never had a worker slot. */
export function verdictOnAgent(
  record: RunRecord,
  merge: RunMerge,
  agent: AgentRecord,
  { sender, books }: { readonly sender: SenderSums; readonly books: AgentBooks },
): ScopeVerdict {
  const { phases } = record.plan;
  const measured = phases.filter((phase) => !phase.warmup);
  const data = dataOfAgent(record, sender, books);
  const observedNs = observedWorkerNs({ ...record, agents: [agent], workerSlots: sender.slots.size }, measured, 0);
  const heldBack = heldBackIn(
    phases
      .map((phase, index) => ({ phase, cell: sender.phaseCells[index] as CounterCell }))
      .filter(({ phase }) => !phase.warmup),
  );
  const evidence = scopeEvidence(
    record,
    data,
    { phases: measured, observedNs, heldBack, sentAfter: 0 },
    {
      slots: merge.fidelity
        .slots()
        .filter(({ slot, phase }) => sender.slots.has(slot) && phases[phase]?.warmup === false),
      // What the fleet did together is no agent's own.
      fleet: [],
      phaseName: (phase) => phases[phase]?.name ?? String(phase),
    },
  );
  const harness = {
    ...evidence.harness,
    loopGaps: loopGaps(record, [sender]),
    gauges: merge.telemetry.summaries().filter(({ agentId }) => agentId === sender.agentId),
    connections: connectionsOf([sender]),
  };
  return agentVerdict({ ...evidence, harness }, [clockBoundGate([agent])]);
}

function dataOfAgent({ plan }: RunRecord, sender: SenderSums, books: AgentBooks): ScopeData {
  const isMeasured = (_: unknown, index: number): boolean => plan.phases[index]?.warmup === false;
  const totals = new ScopeTotals(PENDING_BUCKETS);
  totals.addTotals(sender.measured);
  for (const cell of sender.phaseCells.filter(isMeasured)) totals.addCell(cell);
  const accounting: Accounting = books.phases.filter(isMeasured).reduce(addAccounting, emptyAccounting());
  return new ScopeData(accounting, totals, 0);
}

function scopeEvidence(
  record: RunRecord,
  data: ScopeData,
  {
    phases,
    observedNs,
    heldBack,
    sentAfter,
  }: Pick<ScopeEvidence, 'heldBack' | 'sentAfter'> & {
    readonly phases: Plan['phases'];
    readonly observedNs: number;
  },
  paces: Omit<ScopeEvidence['harness']['fidelity'], 'isOwnLag'>,
): ScopeEvidence {
  const part = partEvidence(data, phases, []);
  const okService = data.histogram('service', 'ok');
  return {
    accounting: data.accounting,
    heldBack,
    sentAfter,
    excess: judgedExcess(record.plan, data, receiveDelayOf(data, observedNs)),
    wakeLag: data.pooled('wakeLag'),
    service: okService.isEmpty() ? data.histogram('service', 'failed') : okService,
    overflow: data.cell[COUNTER.overflow] as number,
    harness: { ...part, fidelity: { ...paces, isOwnLag: isOwnLag(part.times) } },
  };
}
