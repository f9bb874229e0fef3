/**
 * Which row of the data file an arrival takes, and the row itself (design §5). `random` draws with replacement; `cycle` and `once` count
 * the arrivals of the whole plan and take row π(i mod R), so that every row comes once per pass over the fleet, whoever sends it,
 * and a phase goes on where the one before ended (R055, R092).
 */

import { FleetError } from '../../shared/fleet-error.ts';
import type { BlobStore } from '../../shared/plan/blob-ref.ts';
import { readDataTable } from '../../shared/plan/data-rows.ts';
import type { DataRows } from '../../shared/plan/plan.ts';
import { RowOrder } from '../../shared/plan/row-order.ts';
import { counterDomain } from '../../shared/random/counter-domain.ts';
import { countArrivals } from '../../shared/schedule/count-arrivals.ts';
import { allLanes } from '../../shared/schedule/deal.ts';
import type { Arrival } from '../../shared/schedule/arrival-stream.ts';
import type { ScheduleBasis } from '../../shared/schedule/phase-stream.ts';
import type { ArrivalDraw } from './request-choice.ts';

/** One row: a value per column. */
export type DataRow = readonly string[];

/** Gives the row of an arrival. */
export type RowChoice = (arrival: Arrival) => DataRow;

/**
 * The rows of the plan's data file, chosen as it says.
 * @throws FleetError 'plan' when the file is not at hand or does not hold what the plan says.
 */
export function createRowChoice(data: DataRows, basis: ScheduleBasis, draw: ArrivalDraw): RowChoice {
  const rows = readRows(data, basis.blobs);
  const rowCount = rows.length;
  if (data.rows === 'random') {
    return (arrival) => rows[Math.floor(draw.unit(arrival, counterDomain.dataRow) * rowCount)] as DataRow;
  }
  const order = new RowOrder(basis.seed, rowCount);
  const usedBefore = arrivalsBefore(basis);
  return (arrival) => rows[order.rowAt((usedBefore[arrival.phase] as number) + arrival.index)] as DataRow;
}

/** Arrivals of all phases before each phase, over the whole fleet. */
function arrivalsBefore(basis: ScheduleBasis): number[] {
  const lanes = allLanes(basis.laneCount);
  const before: number[] = [];
  let sum = 0;
  for (const phase of basis.phases.keys()) {
    before.push(sum);
    sum += countArrivals(basis, { phase, lanes });
  }
  return before;
}

function readRows(data: DataRows, blobs: BlobStore): readonly DataRow[] {
  const { name, sha256 } = data.file;
  const bytes = blobs.get(sha256);
  if (bytes === undefined) throw new FleetError('plan', `data: the content of "${name}" (${sha256}) is not at hand`);
  const { rows } = readDataTable(bytes, name);
  if (rows.length !== data.rowCount) {
    throw new FleetError('plan', `data: "${name}" has ${rows.length} rows, the plan says ${data.rowCount}`);
  }
  return rows;
}
