/** Whether a tool is installed, and which version of it. */
import { execFileSync } from 'node:child_process';

/** Enough for a Python program that reads half a gigabyte before it says anything. */
const TIMEOUT_MS = 60_000;

/** The first line with a version that `program` says when it is given `args`; null when it is not installed. */
export function toolVersion([program, args]: readonly [program: string, args: readonly string[]]): string | null {
  try {
    const output = execFileSync(program, args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: TIMEOUT_MS,
    });
    return versionIn(output);
  } catch (error) {
    const failure = error as { code?: string; stdout?: string; stderr?: string };
    if (failure.code === 'ENOENT') return null;
    return versionIn(`${failure.stdout ?? ''}${failure.stderr ?? ''}`);
  }
}

function versionIn(text: string): string {
  return text.split('\n').find((line) => /\d\.\d/.test(line)) ?? 'says no version';
}
