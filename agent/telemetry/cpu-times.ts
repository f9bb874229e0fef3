/** CPU time of the whole host, from the first line of /proc/stat: how busy it was, and how much a hypervisor took (steal). */

/** Cumulative ticks (usually 10 ms each) over all cores. */
export interface CpuTimes {
  readonly total: number;
  readonly busy: number;
  /** null on kernels that do not count it. */
  readonly steal: number | null;
}

/** Columns of the line: user nice system idle iowait irq softirq steal; what follows (guest) is contained in user and nice. */
const COLUMNS = 8;
const IDLE = 3;
const IOWAIT = 4;
const STEAL = 7;

/** Reads the text of /proc/stat; null when it has no such line. */
export function parseCpuTimes(text: string): CpuTimes | null {
  const line = /^cpu\s+([\d ]+)$/m.exec(text)?.[1];
  if (line === undefined) return null;
  const ticks = line.trim().split(/\s+/).slice(0, COLUMNS).map(Number);
  if (ticks.length <= IDLE) return null;
  const total = ticks.reduce((sum, value) => sum + value, 0);
  const idle = (ticks[IDLE] as number) + (ticks[IOWAIT] ?? 0);
  return { total, busy: total - idle, steal: ticks[STEAL] ?? null };
}
