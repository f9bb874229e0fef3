/**
 * Which row of the data file an arrival takes, and the row itself (design §5). `random` draws with replacement; `cycle` and `once` count
 * the arrivals of the whole plan and take row π(i mod R), so that every row comes once per pass over the fleet, whoever sends it,
 * and a phase goes on where the one before ended (R055, R092). `in-order` takes row i mod R, so that a trace's payloads stay with their instants.
 */

import { FleetError } from '../../shared/fleet-error.ts';
import type { BlobStore } from '../../shared/plan/blob-ref.ts';
import { readDataTable } from '../../shared/plan/data-rows.ts';
import type { DataRows } from '../../shared/plan/plan.ts';
import { type PromptWriting, RecipeWriter } from '../../shared/llm-workload/prompt-recipe.ts';
import { RowOrder } from '../../shared/plan/row-order.ts';
import { counterDomain } from '../../shared/random/counter-domain.ts';
import { countArrivals } from '../../shared/schedule/count-arrivals.ts';
import { allLanes } from '../../shared/schedule/deal.ts';
import type { Arrival } from '../../shared/schedule/arrival-stream.ts';
import type { ScheduleBasis } from '../../shared/schedule/phase-stream.ts';
import type { ArrivalDraw } from './request-choice.ts';

/**
 * A closed loop without a count uses nobody knows how many rows: it takes passes of its own, this many after the phase before, so that it
 * does not send what another phase sends in the same order and with the same words (R055).
 */
const OPEN_ENDED_PASSES = 4096;

/** One row: a value per column. */
export type DataRow = readonly string[];

/** Gives the row of an arrival. */
export interface RowChoice {
  /** The row as the file has it: a generated prompt is a recipe. */
  rowOf(arrival: Arrival): DataRow;
  /** Column of generated prompts; null where all cells are texts. */
  readonly promptColumn: number | null;
  /** The prompt of an arrival, to be written. Only where there is a prompt column. */
  promptOf(arrival: Arrival): PromptWriting;
}

/**
 * The rows of the plan's data file, chosen as it says.
 * @throws FleetError 'plan' when the file is not at hand or does not hold what the plan says.
 */
export function createRowChoice(data: DataRows, basis: ScheduleBasis, draw: ArrivalDraw): RowChoice {
  const rows = readRows(data, basis.blobs);
  const useOf = createRowUse(data, basis, draw);
  const recipe = data.dataset?.recipe ?? null;
  const prompts = new Prompts(recipe?.salt ?? '', basis.trial);
  const promptColumn = recipe?.column ?? null;
  return {
    promptColumn,
    rowOf: (arrival) => rows[useOf(arrival).row] as DataRow,
    promptOf: (arrival) => {
      const { row, pass } = useOf(arrival);
      return prompts.begin((rows[row] as DataRow)[promptColumn ?? 0] ?? '', pass);
    },
  };
}

/** A row, and how often all rows were used before. */
interface RowUse {
  readonly row: number;
  readonly pass: number;
}

function createRowUse(data: DataRows, basis: ScheduleBasis, draw: ArrivalDraw): (arrival: Arrival) => RowUse {
  const { rowCount } = data;
  if (data.rows === 'random') {
    return (arrival) => ({ row: Math.floor(draw.unit(arrival, counterDomain.dataRow) * rowCount), pass: 0 });
  }
  const usedBefore = arrivalsBefore(basis);
  const firstOrdinals = basis.phases.map(({ law }, phase) =>
    law.kind === 'closed' && law.count === null
      ? (phase + 1) * OPEN_ENDED_PASSES * rowCount
      : (usedBefore[phase] as number),
  );
  const ordinalOf = (arrival: Arrival): number => (firstOrdinals[arrival.phase] as number) + arrival.index;
  const order = new RowOrder(basis.seed, rowCount);
  if (data.rows !== 'in-order') {
    return (arrival) => {
      const ordinal = ordinalOf(arrival);
      return { row: order.rowAt(ordinal), pass: Math.floor(ordinal / rowCount) };
    };
  }
  return (arrival) => {
    // Recorded instants begin with the first row, whatever the phases before have used.
    const isRecorded = basis.phases[arrival.phase]?.law.kind === 'trace';
    const ordinal = isRecorded ? arrival.index : ordinalOf(arrival);
    return { row: ordinal % rowCount, pass: isRecorded ? arrival.phase : Math.floor(ordinal / rowCount) };
  };
}

/** Writes generated prompts; those of another trial or pass have other words, unless the dataset is cache-friendly. */
class Prompts {
  readonly #salt: string;
  readonly #trial: number;
  #pass = -1;
  #writer: RecipeWriter | null = null;

  constructor(salt: string, trial: number) {
    this.#salt = salt;
    this.#trial = trial;
  }

  begin(recipe: string, pass: number): PromptWriting {
    if (this.#writer === null || (pass !== this.#pass && this.#salt !== '')) {
      this.#writer = new RecipeWriter(this.#salt === '' ? '' : `${this.#salt}.${this.#trial}.${pass}`);
      this.#pass = pass;
    }
    return this.#writer.begin(recipe);
  }
}

/** Arrivals of all phases before each phase, over the whole fleet, as far as the plan fixes them. */
function arrivalsBefore(basis: ScheduleBasis): number[] {
  const lanes = allLanes(basis.laneCount);
  const before: number[] = [];
  let sum = 0;
  for (const [phase, { law }] of basis.phases.entries()) {
    before.push(sum);
    sum += law.kind === 'closed' ? (law.count ?? 0) : countArrivals(basis, { phase, lanes });
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
