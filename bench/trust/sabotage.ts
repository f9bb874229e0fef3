/**
 * Ways to spoil a run from outside, as the verdict must notice: what is done to the processes of a fleet while it runs. Whatever a kind
 * starts or makes it also ends; a kind that this host does not allow says so and is not run.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { createQuotaGroup } from '../../test/support/cpu-quota.ts';

/** The kinds. `none` is the clean run. */
export const SABOTAGES = ['none', 'stopped', 'starved', 'handles', 'quota'] as const;
export type Sabotage = (typeof SABOTAGES)[number];

/** An agent stands still this long, this often, ms. */
const STOP_MS = 200;
const STOP_EVERY_MS = 2000;
/** Busy processes for each core. */
const BUSY_PER_CORE = 4;
/** File handles of a process: enough to start, too few for the connections of the load. */
const HANDLES = 60;
/** Share of one core that a quota leaves the agents. */
const QUOTA_SHARE = 0.1;
/** So long after their start, when pacing is chosen and the load runs, ms: a quota that is known before is answered by timers. */
const QUOTA_AFTER_MS = 3000;
/** Time between two looks for agents, ms. */
const LOOK_EVERY_MS = 50;

/** What is done, for the table. */
export const SABOTAGE_TEXT: Readonly<Record<Sabotage, string>> = {
  none: 'nothing',
  stopped: `every agent is stopped for ${STOP_MS} ms every ${STOP_EVERY_MS / 1000} s`,
  starved: `${BUSY_PER_CORE} busy processes for each core`,
  handles: `at most ${HANDLES} file handles for each process`,
  quota: `a cgroup leaves the agents ${QUOTA_SHARE} cores from ${QUOTA_AFTER_MS / 1000} s after their start on`,
};

/** Why this host does not allow `sabotage`; null when it does. */
export function whyNotPossible(sabotage: Sabotage): string | null {
  if (sabotage !== 'quota') return null;
  const group = createQuotaGroup(1);
  if ('reason' in group) return group.reason;
  group.remove();
  return null;
}

/** The command line that starts `program args`, spoilt where that is done at the start. */
export function spoiltCommand(sabotage: Sabotage, program: string, args: readonly string[]): [string, string[]] {
  if (sabotage !== 'handles') return [program, [...args]];
  return ['bash', ['-c', `ulimit -n ${HANDLES} && exec "$0" "$@"`, program, ...args]];
}

/** Begins what is done while the run runs; the function it gives back ends it, and is called when the run is over. */
export function beginSabotage(sabotage: Sabotage, run: ChildProcess): () => Promise<void> {
  switch (sabotage) {
    case 'none':
    case 'handles':
      return () => Promise.resolve();
    case 'starved': {
      const endless = 'for (;;);';
      const busy = Array.from({ length: BUSY_PER_CORE * availableParallelism() }, () =>
        spawn(process.execPath, ['-e', endless], { stdio: 'ignore' }),
      );
      return () => {
        for (const one of busy) one.kill('SIGKILL');
        return Promise.resolve();
      };
    }
    case 'stopped':
      return stopNowAndThen(run);
    case 'quota':
      return limitLater(run);
  }
}

/** Puts the agents into a cgroup of their own as soon as they are there, and gives that a tight quota later. */
function limitLater(run: ChildProcess): () => Promise<void> {
  const group = createQuotaGroup(availableParallelism());
  if ('reason' in group) throw new Error(group.reason);
  let limiting: NodeJS.Timeout | undefined;
  const looking = setInterval(() => {
    const agents = agentsOf(run.pid ?? 0);
    if (agents.length === 0) return;
    clearInterval(looking);
    for (const pid of agents) writeFileSync(group.procs, String(pid));
    limiting = setTimeout(() => group.limit(QUOTA_SHARE), QUOTA_AFTER_MS);
  }, LOOK_EVERY_MS);
  return async () => {
    clearInterval(looking);
    clearTimeout(limiting);
    // A process that was killed with its parent may take a moment to leave.
    for (let tries = 1; ; tries += 1) {
      try {
        group.remove();
        return;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EBUSY' || tries >= 100) throw error;
        await sleep(LOOK_EVERY_MS);
      }
    }
  };
}

function stopNowAndThen(run: ChildProcess): () => Promise<void> {
  let stopped: readonly number[] = [];
  const send = (pids: readonly number[], signal: NodeJS.Signals): void => {
    for (const pid of pids) {
      try {
        process.kill(pid, signal);
      } catch (error) {
        // It has ended meanwhile, which is no trouble of ours.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
  };
  const resume = (): void => {
    send(stopped, 'SIGCONT');
    stopped = [];
  };
  const timer = setInterval(() => {
    stopped = agentsOf(run.pid ?? 0);
    send(stopped, 'SIGSTOP');
    setTimeout(resume, STOP_MS);
  }, STOP_EVERY_MS);
  return () => {
    clearInterval(timer);
    resume();
    return Promise.resolve();
  };
}

/** Children of `pid` that run the verb `agent` (Linux). */
function agentsOf(pid: number): readonly number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    const pids = children === '' ? [] : children.split(' ').map(Number);
    return pids.filter((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').split('\0').includes('agent'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return [];
  }
}
