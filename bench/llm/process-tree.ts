/** CPU time and resident memory of a process and its children, read from /proc. */
import { readFileSync } from 'node:fs';

/** Ticks of /proc/PID/stat per second: fixed by the kernel's interface to programs. */
const TICKS_PER_SECOND = 100;

/** What a process tree has used. */
export interface TreeUse {
  /** User and system, all threads. */
  readonly cpuSeconds: number;
  /** Of each process, in MB; the first is the root. */
  readonly residentMb: readonly number[];
}

/** The tree below `pid` now; a process that ends meanwhile is left out. */
export function treeUse(pid: number): TreeUse {
  const uses = treeOf(pid).flatMap((each) => {
    try {
      const fields = readFileSync(`/proc/${each}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      const status = readFileSync(`/proc/${each}/status`, 'utf8');
      const kb = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
      return [{ ticks: Number(fields[11]) + Number(fields[12]), residentMb: kb / 1024 }];
    } catch {
      return [];
    }
  });
  return {
    cpuSeconds: uses.reduce((sum, { ticks }) => sum + ticks, 0) / TICKS_PER_SECOND,
    residentMb: uses.map(({ residentMb }) => residentMb),
  };
}

function treeOf(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(/\s+/).filter(Boolean);
    return [pid, ...children.flatMap((child) => treeOf(Number(child)))];
  } catch {
    return [];
  }
}
