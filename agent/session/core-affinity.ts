/**
 * Which cores threads may run on (Linux). A worker that has a core to itself is not stopped for milliseconds by merging, reporting or the
 * garbage collector's helpers. Set through `taskset` of util-linux, once per thread and not while a run goes on; a thread, or a process,
 * begins with the cores of the thread that starts it.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { FleetError } from '../../shared/fleet-error.ts';
import { coreListText, parseCoreList } from './core-list.ts';

/** True where a thread's cores can be set. */
export const hasAffinity = process.platform === 'linux';

/** The cores that the calling thread may use. @throws FleetError `io`. */
function ownCores(): readonly number[] {
  const [, text = ''] = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/thread-self/status', 'utf8')) ?? [];
  const cores = parseCoreList(text);
  if (cores === null) throw new FleetError('io', `/proc/thread-self/status: "${text}" is no list of cores`);
  return cores;
}

/** @throws FleetError `usage` unless the calling thread may use every one of `workerCores` now. */
export function checkAtHand(workerCores: readonly number[]): void {
  const own = ownCores();
  const missing = workerCores.filter((core) => !own.includes(core));
  if (missing.length === 0) return;
  throw new FleetError(
    'usage',
    `--worker-cores: this process may not use cores ${coreListText(missing)}, only ${coreListText(own)}`,
  );
}

/**
 * Keeps every thread that this process has, and those they will start, off `workerCores`. @throws FleetError `usage` when no core would be
 * left, `io` when the system refuses.
 */
export async function keepOff(workerCores: readonly number[]): Promise<void> {
  const own = ownCores();
  const rest = own.filter((core) => !workerCores.includes(core));
  if (rest.length === 0) {
    throw new FleetError(
      'usage',
      `--worker-cores ${coreListText(workerCores)} takes every core that this process may use (${coreListText(own)}): leave one for the rest`,
    );
  }
  taskset(['--all-tasks', '--cpu-list', '--pid', coreListText(rest), `${process.pid}`]);
  // Node's pool for files and names starts its threads with the first work, on the cores of who gives it: that must be no worker.
  await stat('.');
}

/** Puts the calling thread on `core` alone. @throws FleetError `io` when the system refuses, for instance because there is no such core. */
export function moveTo(core: number): void {
  const thread = basename(readlinkSync('/proc/thread-self'));
  taskset(['--cpu-list', '--pid', `${core}`, thread]);
}

function taskset(args: readonly string[]): void {
  const { error, status, signal, stderr } = spawnSync('taskset', args, { encoding: 'utf8' });
  if (error === undefined && status === 0) return;
  const reason = error?.message ?? signal ?? stderr.trim();
  throw new FleetError('io', `--worker-cores needs taskset (util-linux), which failed: ${reason}`);
}
