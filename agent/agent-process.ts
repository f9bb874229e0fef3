/**
 * An agent as a process of its own: signals, the parent's channel and exit codes around `runAgent`. The verb `agent` of the
 * command line calls it; nothing else of the agent reads the process.
 */
import { assertNever } from '../shared/assert-never.ts';
import { type AgentEnd, type AgentOptions, runAgent } from './main.ts';
import { checkAtHand, keepOff } from './session/core-affinity.ts';
import { createStartCrew } from './worker/pool.ts';

export interface AgentProcessOptions
  extends Pick<AgentOptions, 'agentId' | 'region' | 'labels' | 'workers' | 'hostWorkers'> {
  /** `HOST:PORT` of the coordinator. */
  readonly coordinator: string;
  /**
   * Started by `loadfleet run`: a signal of the terminal is the parent's business, which stops the run for all agents alike,
   * and the parent's end is the agent's.
   */
  readonly isEmbedded: boolean;
  /** Cores that worker threads have to themselves, one each; null leaves all threads to the system. */
  readonly workerCores: readonly number[] | null;
  /** Cores on this machine that workers have to themselves, those of other agents included; null = its own. */
  readonly coresApart: number | null;
}

/** Runs an agent until it ends and gives the exit code: 0 dismissed, 130 or 143 told to leave, 4 refused or orphaned. */
export async function runAgentProcess(options: AgentProcessOptions): Promise<number> {
  const { coordinator, isEmbedded, workerCores, coresApart, ...rest } = options;
  const leave = new AbortController();
  const orphaned = new AbortController();
  let leaveCode = 0;
  const onSignal = (code: number) => (): void => {
    if (isEmbedded) return;
    leaveCode = code;
    leave.abort();
  };
  process.on('SIGINT', onSignal(130));
  process.on('SIGTERM', onSignal(143));
  // The terminal went away.
  process.on('SIGHUP', onSignal(143));
  if (isEmbedded) {
    process.once('disconnect', () => orphaned.abort());
    if (process.channel === undefined || !process.connected) orphaned.abort();
  }
  // Before any other thread is started, so that they all begin there.
  if (workerCores !== null) {
    // An embedded agent begins without these cores: whoever started it has checked.
    if (!isEmbedded) checkAtHand(workerCores);
    await keepOff(workerCores);
  }
  const name = rest.agentId === null ? 'agent' : rest.agentId;
  const onNotice = (text: string): void => {
    process.stderr.write(`${name}: ${text}\n`);
  };
  const end = await runAgent({
    ...rest,
    coresApart: coresApart ?? workerCores?.length ?? 0,
    endpoint: { address: coordinator, security: { kind: 'loopback' } },
    startCrew: createStartCrew({ cores: workerCores }),
    leave: leave.signal,
    orphaned: orphaned.signal,
    onJoined: (coordinatorId) => {
      if (!isEmbedded) onNotice(`joined ${coordinatorId} at ${coordinator}`);
    },
    onNotice,
  });
  // An open channel would keep the process alive.
  if (isEmbedded && process.connected) process.disconnect?.();
  return exitCodeOf(end, leaveCode, onNotice);
}

function exitCodeOf(end: AgentEnd, leaveCode: number, onNotice: (text: string) => void): number {
  switch (end.kind) {
    case 'dismissed':
      return 0;
    case 'left':
      return leaveCode;
    case 'refused':
      onNotice(`the coordinator refused this agent: ${end.reason}`);
      return 4;
    case 'orphaned':
      onNotice('the process that started this agent is gone');
      return 4;
    default:
      return assertNever(end);
  }
}
