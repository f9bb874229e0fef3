/**
 * F4 of M§3.1: were the sends as bursty as the plan? Worst worker at 1 and 10 ms, the fleet at 100 ms and 1 s, over the measured
 * phases together and each by itself. What lag calls small can still be bursts: ticks, pauses, batches.
 */
import { addBinSums, type BinSums, createBinSums } from '../../shared/metrics/fidelity.ts';
import { fanoDeviation } from '../merge/fano-deviation.ts';
import type { FleetPace, SlotPace } from '../merge/fidelity-sums.ts';
import { type Level, levelOf, notMeasured } from './gate-making.ts';
import { GATES } from './thresholds-table.ts';
import type { Gate } from './verdict.ts';

/** Planned against sent in the measured phases. */
export interface FidelityEvidence {
  readonly slots: readonly SlotPace[];
  readonly fleet: readonly FleetPace[];
  /** Name of the phase at a place in the plan. */
  readonly phaseName: (phase: number) => string;
  /** Whether most of the lag is the fleet's own, and not the time in which a target let connections wait. */
  readonly isOwnLag: boolean;
}

/** One set of bins that says something. */
export interface FanoFinding {
  /** `worker 3` or `the fleet`. */
  readonly who: string;
  /** Name of the phase; null for all measured phases together. */
  readonly phase: string | null;
  readonly binNs: number;
  readonly ratio: number;
  readonly deviation: number;
}

const WIDTHS = { fine: 1_000_000, coarse: 10_000_000, tenths: 100_000_000, seconds: 1_000_000_000 } as const;

/** Everything that can be said, the worst first. */
export function fanoFindings({ slots, fleet, phaseName }: FidelityEvidence): readonly FanoFinding[] {
  const findings: FanoFinding[] = [];
  const look = (who: string, phase: string | null, binNs: number, sums: BinSums): void => {
    const found = fanoDeviation(sums);
    if (found !== null) findings.push({ who, phase, binNs, ...found });
  };
  const bySlot = groups(slots, (pace) => `worker ${pace.slot}`);
  for (const [who, paces] of bySlot) {
    for (const width of ['fine', 'coarse'] as const) {
      look(who, null, WIDTHS[width], sumOf(paces.map((pace) => pace[width])));
      if (paces.length > 1) for (const pace of paces) look(who, phaseName(pace.phase), WIDTHS[width], pace[width]);
    }
  }
  for (const width of ['tenths', 'seconds'] as const) {
    look('the fleet', null, WIDTHS[width], sumOf(fleet.map((pace) => pace[width])));
    if (fleet.length > 1)
      for (const pace of fleet) look('the fleet', phaseName(pace.phase), WIDTHS[width], pace[width]);
  }
  return findings.sort((a, b) => b.deviation - a.deviation || Math.abs(b.ratio - 1) - Math.abs(a.ratio - 1));
}

/** Judges the worst finding. */
export function sendFidelityGate(evidence: FidelityEvidence): Gate {
  const row = GATES['send-fidelity'];
  const worst = fanoFindings(evidence)[0];
  if (worst === undefined) {
    return notMeasured(
      'send-fidelity',
      row.unit,
      row.warnBeyond,
      'no Fano ratio: too few sends, evenly spaced arrivals (lag and backlog judge those), or a load without a schedule',
    );
  }
  const found = levelOf(worst.deviation, row);
  const kind: Level = found === 'fail' && !evidence.isOwnLag ? 'warn' : found;
  const where = worst.phase === null ? '' : ` in phase ${worst.phase}`;
  const text = `Fano ratio sent / planned of ${worst.who} at ${worst.binNs / 1e6} ms${where} is ${worst.ratio.toFixed(3)}`;
  const reason =
    kind === 'pass' ? text : `${text}: sends came in other bursts than planned, the limit is ${row.warnBeyond} from 1`;
  return { kind, name: 'send-fidelity', measured: worst.deviation, limit: row.warnBeyond, unit: row.unit, reason };
}

function groups<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const item of items) {
    const list = found.get(keyOf(item));
    if (list === undefined) found.set(keyOf(item), [item]);
    else list.push(item);
  }
  return found;
}

function sumOf(parts: readonly BinSums[]): BinSums {
  const sum = createBinSums();
  for (const part of parts) addBinSums(sum, part);
  return sum;
}
