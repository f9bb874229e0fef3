/** The reference target as a process of its own, for plans that ask for it (`target.reference`): it must not share our event loop. */

import { type ChildProcess, spawn } from 'node:child_process';
import { FleetError } from '../shared/fleet-error.ts';

/** How long it may take to listen, ms. */
const START_TIMEOUT_MS = 15_000;
/** How long it may take to leave before it is killed, ms. */
const LEAVE_TIMEOUT_MS = 2000;

/** A plan with `target.reference` was given to a fleet elsewhere. */
export function referenceElsewhere(): FleetError {
  return new FleetError('plan', 'target.reference starts a target on this machine; with --coordinator give target.url');
}

/** A running reference target. */
export interface ReferenceProcess {
  /** `http://HOST:PORT`. */
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts `loadfleet target --service LAW` on a free port of the loopback interface.
 * @param command program and arguments of the `loadfleet` command.
 * @throws FleetError 'io' when it does not come up.
 */
export function startReferenceProcess(
  command: readonly [program: string, ...args: string[]],
  service: string,
): Promise<ReferenceProcess> {
  return startTargetProcess(command, ['--service', service]);
}

/** As above with any flags of the verb `target`. */
export async function startTargetProcess(
  command: readonly [program: string, ...args: string[]],
  targetFlags: readonly string[],
): Promise<ReferenceProcess> {
  const [program, ...args] = command;
  const child = spawn(program, [...args, 'target', ...targetFlags, '--quiet'], {
    // A terminal's Ctrl-C goes to all of its processes; the target must outlive the drain.
    detached: true,
    // The channel carries nothing; its closing tells the target that we are gone, however that came about.
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  // Without us nobody would stop it.
  const killNow = (): void => {
    child.kill('SIGKILL');
  };
  process.once('exit', killNow);
  try {
    const url = await listeningUrl(child, exited);
    return {
      url,
      stop: async () => {
        child.kill('SIGTERM');
        const timer = setTimeout(killNow, LEAVE_TIMEOUT_MS);
        await exited;
        clearTimeout(timer);
        process.off('exit', killNow);
      },
    };
  } catch (error) {
    killNow();
    throw error;
  }
}

/** The URL from its first line, `listening URL`. */
function listeningUrl(child: ChildProcess, exited: Promise<void>): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const timer = setTimeout(
      () => reject(new FleetError('io', 'the reference target did not start in time')),
      START_TIMEOUT_MS,
    );
    const settle = (act: () => void): void => {
      clearTimeout(timer);
      act();
    };
    child.stdout?.setEncoding('utf8');
    child.stdout?.on('data', (chunk: string) => {
      // Only the first line counts; the rest is read so that the pipe never fills.
      if (text.includes('\n')) return;
      text += chunk;
      const url = /^listening (\S+)\n/.exec(text)?.[1];
      if (url !== undefined) settle(() => resolve(url));
    });
    void exited.then(() =>
      settle(() => reject(new FleetError('io', 'the reference target ended before it was ready'))),
    );
  });
}
