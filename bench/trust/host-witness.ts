/**
 * An outside witness of a run: what the host did to everybody meanwhile. CPU time that the hypervisor took (steal, /proc/stat) and time
 * in which some task waited for a CPU (pressure stall, /proc/pressure/cpu). A clean run during which the witness saw trouble is
 * called dirty and is not counted as a false alarm.
 */
import { readFileSync } from 'node:fs';

/** What was seen between two looks; null = cannot be read here. */
export interface Witness {
  /** Share of CPU time stolen. */
  readonly stealShare: number | null;
  /** Share of time in which some task waited for a CPU. */
  readonly waitShare: number | null;
}

/** Steal beyond this makes a run dirty (M§9.2). */
const STEAL_MOST = 0.005;
/** So does waiting beyond this: a worker's own wake-up counts as well, so it is never quite 0. */
const WAIT_MOST = 0.05;

interface Look {
  readonly steal: number | null;
  readonly all: number | null;
  readonly waitUs: number | null;
  readonly atMs: number;
}

/** Starts looking; the function it gives back tells what was seen since. */
export function startWitness(): () => Witness {
  const before = look();
  return () => {
    const after = look();
    const per = (a: number | null, b: number | null, whole: number): number | null =>
      a === null || b === null || whole <= 0 ? null : (b - a) / whole;
    return {
      stealShare: per(before.steal, after.steal, (after.all ?? 0) - (before.all ?? 0)),
      waitShare: per(before.waitUs, after.waitUs, (after.atMs - before.atMs) * 1000),
    };
  };
}

/** Whether the host was in the way. What cannot be read accuses nobody. */
export function isDirty({ stealShare, waitShare }: Witness): boolean {
  return (stealShare ?? 0) > STEAL_MOST || (waitShare ?? 0) > WAIT_MOST;
}

function look(): Look {
  const cpu = /^cpu +(.*)$/m.exec(readOr('/proc/stat'))?.[1]?.split(' ').map(Number) ?? null;
  const wait = /^some .*total=(\d+)$/m.exec(readOr('/proc/pressure/cpu'))?.[1];
  return {
    steal: cpu?.[7] ?? null,
    // guest times are part of user and nice already.
    all: cpu === null ? null : cpu.slice(0, 8).reduce((sum, one) => sum + one, 0),
    waitUs: wait === undefined ? null : Number(wait),
    atMs: performance.now(),
  };
}

function readOr(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return '';
  }
}
