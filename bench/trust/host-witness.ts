/**
 * An outside witness of a run: what the host did to everybody meanwhile. CPU time that the hypervisor took (steal, /proc/stat) and time
 * in which some task waited for a CPU (pressure stall, /proc/pressure/cpu), looked at every 100 ms with the wall clock, so that only
 * the run itself is judged and not the start of its processes or its report. A clean run during which the witness saw trouble is
 * called dirty and is not counted as a false alarm.
 */
import { readFileSync } from 'node:fs';

/** What was seen between two instants; null = cannot be read here. */
export interface Witness {
  /** Share of CPU time stolen. */
  readonly stealShare: number | null;
  /** At least so much of the worst 100 ms: a stolen slice is lag for every request in it (M§9.2). */
  readonly stealWorstShare: number | null;
  /** Share of time in which some task waited for a CPU. */
  readonly waitShare: number | null;
  /** Looks that this is from. */
  readonly looks: number;
}

/** One look at cumulative counts; null = cannot be read here. */
export interface Look {
  /** Wall clock, ms. */
  readonly atMs: number;
  /** Ticks over all cores. */
  readonly stealTicks: number | null;
  readonly allTicks: number | null;
  readonly waitUs: number | null;
}

/** Time between two looks, ms. */
const LOOK_EVERY_MS = 100;
/** Steal beyond this makes a run dirty (M§9.2). */
const STEAL_MOST = 0.005;
/** So does more than this in 100 ms (M§9.2). */
const STEAL_WORST_MOST = 0.05;
/** So does waiting beyond this: the fleet's own threads wait for each other as well, 7 % of the time on two cores that have nothing else to do. */
const WAIT_MOST = 0.1;

/** Looks at the host until it is stopped. */
export class HostWitness {
  readonly #looks: Look[] = [lookNow()];
  readonly #timer = setInterval(() => this.#looks.push(lookNow()), LOOK_EVERY_MS);

  /** Ends it and gives all looks. */
  stop(): readonly Look[] {
    clearInterval(this.#timer);
    this.#looks.push(lookNow());
    return this.#looks;
  }
}

/** What `looks` say of the time from `fromMs` to `toMs`: looks outside are left out, so up to 100 ms at either end are not seen. */
export function seenBetween(looks: readonly Look[], fromMs: number, toMs: number): Witness {
  const inside = looks.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
  const [first, last] = [inside[0], inside.at(-1)];
  const pairs = inside.slice(1).map((look, i) => stealBetween(inside[i] as Look, look, 1));
  const known = pairs.filter((share) => share !== null);
  const whole = first === undefined || last === undefined || first === last ? null : { first, last };
  return {
    stealShare: whole === null ? null : stealBetween(whole.first, whole.last),
    stealWorstShare: known.length === 0 ? null : Math.max(...known),
    waitShare: whole === null ? null : waitBetween(whole.first, whole.last),
    looks: inside.length,
  };
}

/** Whether the host was in the way. What cannot be read accuses nobody. */
export function isDirty({ stealShare, stealWorstShare, waitShare }: Witness): boolean {
  return (stealShare ?? 0) > STEAL_MOST || (stealWorstShare ?? 0) > STEAL_WORST_MOST || (waitShare ?? 0) > WAIT_MOST;
}

/** `steal 0.2 %, worst 4.8 %, waiting 1.3 %`. */
export function witnessText({ stealShare, stealWorstShare, waitShare }: Witness): string {
  const text = (share: number | null): string => (share === null ? 'not measured' : `${(share * 100).toFixed(1)} %`);
  return `steal ${text(stealShare)}, in its worst 100 ms ${text(stealWorstShare)}, waiting ${text(waitShare)}`;
}

/** From the texts of /proc/stat and /proc/pressure/cpu; empty texts are what cannot be read. */
export function lookOf(atMs: number, stat: string, pressure: string): Look {
  const cpu = /^cpu +(.*)$/m.exec(stat)?.[1]?.split(' ').map(Number) ?? null;
  const wait = /^some .*total=(\d+)$/m.exec(pressure)?.[1];
  return {
    atMs,
    stealTicks: cpu?.[7] ?? null,
    // guest times are part of user and nice already.
    allTicks: cpu === null ? null : cpu.slice(0, 8).reduce((sum, one) => sum + one, 0),
    waitUs: wait === undefined ? null : Number(wait),
  };
}

function lookNow(): Look {
  return lookOf(Date.now(), readOr('/proc/stat'), readOr('/proc/pressure/cpu'));
}

/** `unsureTicks`: of a short stretch, what one step of the counter counts may have been stolen before. */
function stealBetween(before: Look, after: Look, unsureTicks = 0): number | null {
  const share = shareOf(before.stealTicks, after.stealTicks, (after.allTicks ?? 0) - (before.allTicks ?? 0));
  if (share === null) return null;
  return Math.max(0, share - unsureTicks / ((after.allTicks ?? 0) - (before.allTicks ?? 0)));
}

function waitBetween(before: Look, after: Look): number | null {
  return shareOf(before.waitUs, after.waitUs, (after.atMs - before.atMs) * 1000);
}

function shareOf(before: number | null, after: number | null, whole: number): number | null {
  return before === null || after === null || whole <= 0 ? null : (after - before) / whole;
}

function readOr(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return '';
  }
}
