/** Planned against sent as `result.json` shows it: the worst worker, the fleet, and the backlog, of one phase or of several. */
import { addBinSums, type BinSums, createBinSums } from '../../shared/metrics/fidelity.ts';
import { fanoDeviation } from '../merge/fano-deviation.ts';
import { addBacklog, type BacklogSums, createBacklog, type FleetPace, type SlotPace } from '../merge/fidelity-sums.ts';

/** Planned against sent. Ratios are null where they have no meaning (see docs/verdict.md). */
export interface FidelityValue {
  /** Fano factor of sends over that of the plan, of the worker that is furthest from 1. */
  readonly fano1ms: number | null;
  readonly fano10ms: number | null;
  /** The same of the fleet together. */
  readonly fano100ms: number | null;
  readonly fano1s: number | null;
  /** Most arrivals that one worker, and the fleet together, were behind; null when it was not read. */
  readonly workerBacklogMax: number | null;
  readonly fleetBacklogMax: number | null;
  /** Share of the time in which the worst worker was more than 1 % of a window behind. */
  readonly workerBehindShare: number | null;
}

/** From the paces of the same phases. */
export function fidelityValue(slots: readonly SlotPace[], fleet: readonly FleetPace[]): FidelityValue {
  const bySlot = new Map<number, SlotPace[]>();
  for (const pace of slots) bySlot.set(pace.slot, [...(bySlot.get(pace.slot) ?? []), pace]);
  const workers = [...bySlot.values()];
  const backlogs = workers.map((paces) => backlogOf(paces)).filter((sums) => sums.edges > 0);
  const fleetBacklog = backlogOf(fleet);
  return {
    fano1ms: furthest(workers.map((paces) => ratioOf(paces.map((pace) => pace.fine)))),
    fano10ms: furthest(workers.map((paces) => ratioOf(paces.map((pace) => pace.coarse)))),
    fano100ms: ratioOf(fleet.map((pace) => pace.tenths)),
    fano1s: ratioOf(fleet.map((pace) => pace.seconds)),
    workerBacklogMax: backlogs.length === 0 ? null : Math.max(...backlogs.map((sums) => sums.max)),
    fleetBacklogMax: fleetBacklog.edges === 0 ? null : fleetBacklog.max,
    workerBehindShare: backlogs.length === 0 ? null : Math.max(...backlogs.map((sums) => sums.edgesAbove / sums.edges)),
  };
}

function ratioOf(parts: readonly BinSums[]): number | null {
  const sum = createBinSums();
  for (const part of parts) addBinSums(sum, part);
  return fanoDeviation(sum)?.ratio ?? null;
}

function backlogOf(paces: readonly { readonly backlog: BacklogSums }[]): BacklogSums {
  const sum = createBacklog();
  for (const { backlog } of paces) addBacklog(sum, backlog);
  return sum;
}

function furthest(ratios: readonly (number | null)[]): number | null {
  const known = ratios.filter((ratio) => ratio !== null);
  return known.reduce<number | null>(
    (found, ratio) => (found === null || Math.abs(ratio - 1) > Math.abs(found - 1) ? ratio : found),
    null,
  );
}
