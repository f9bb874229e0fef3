/** Ways to spoil a run from outside, as the verdict must notice: what is done to the processes of a fleet while it runs. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** The kinds. `none` is the clean run. */
export const SABOTAGES = ['none', 'stopped', 'starved', 'handles'] as const;
export type Sabotage = (typeof SABOTAGES)[number];

/** What is done, for the table. */
export const SABOTAGE_TEXT: Readonly<Record<Sabotage, string>> = {
  none: 'nothing',
  stopped: 'every agent is stopped for 200 ms every 2 s',
  starved: 'four busy processes for each core',
  handles: 'at most 60 file handles for each process, service 1 s',
};

/** An agent stands still this long, this often, ms. */
const STOP_MS = 200;
const STOP_EVERY_MS = 2000;
/** Busy processes for each core. */
const BUSY_PER_CORE = 4;
/** File handles of a process: enough to start, too few for the connections of the load. */
const HANDLES = 60;

/** The command line that starts `program args`, spoilt where that is done at the start. */
export function spoiltCommand(sabotage: Sabotage, program: string, args: readonly string[]): [string, string[]] {
  if (sabotage !== 'handles') return [program, [...args]];
  return ['bash', ['-c', `ulimit -n ${HANDLES} && exec "$0" "$@"`, program, ...args]];
}

/** Begins what is done while the run runs; the function it gives back ends it. */
export function beginSabotage(sabotage: Sabotage, run: ChildProcess): () => void {
  switch (sabotage) {
    case 'none':
    case 'handles':
      return () => undefined;
    case 'starved': {
      const endless = 'for (;;);';
      const busy = Array.from({ length: BUSY_PER_CORE * availableParallelism() }, () =>
        spawn(process.execPath, ['-e', endless], { stdio: 'ignore' }),
      );
      return () => {
        for (const one of busy) one.kill('SIGKILL');
      };
    }
    case 'stopped':
      return stopNowAndThen(run);
  }
}

function stopNowAndThen(run: ChildProcess): () => void {
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
