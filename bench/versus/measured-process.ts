/** Runs one program on one core and tells its CPU time and duration, all of its processes and threads included. */
import { spawn } from 'node:child_process';

export interface MeasuredProcess {
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  readonly stdout: string;
  readonly exitCode: number | null;
}

/** Starts `program` pinned to `core` under bash's `time`, with `input` on its standard input; killed after `secondsMax`. */
export function runMeasured(
  program: string,
  args: readonly string[],
  core: string,
  input: string,
  secondsMax: number,
): Promise<MeasuredProcess> {
  return new Promise((resolve, reject) => {
    const script = 'TIMEFORMAT="%U %S %R"; time "$@" 2>/dev/null';
    const child = spawn('taskset', ['-c', core, 'bash', '-c', script, 'bash', program, ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    let stdout = '';
    let stderr = '';
    const timer = setTimeout(() => {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    }, secondsMax * 1000);
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    child.on('error', reject);
    child.on('close', (exitCode) => {
      clearTimeout(timer);
      const [user, system, wall] = (stderr.trim().split('\n').at(-1) ?? '').split(' ').map(Number);
      resolve({
        cpuSeconds: (user ?? Number.NaN) + (system ?? Number.NaN),
        wallSeconds: wall ?? Number.NaN,
        stdout,
        exitCode,
      });
    });
  });
}
