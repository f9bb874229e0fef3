/** Runs one program to its end and looks at what it and its children use while it lasts. */
import { spawn } from 'node:child_process';
import { type TreeUse, treeUse } from './process-tree.ts';

/** A program and its arguments. */
export type Command = readonly [program: string, args: readonly string[]];

/** What the tree had used at one instant. */
export interface UseSample extends TreeUse {
  /** Since the start of the processes. */
  readonly atSeconds: number;
}

/**
 * Runs `command` with its errors shown, looking at its processes every `everySeconds`; resolves when it has ended, well or not.
 * @throws when it cannot be started.
 */
export async function watchedProcess(
  [program, args]: Command,
  everySeconds: number,
  onSample: (sample: UseSample) => void = () => undefined,
): Promise<readonly UseSample[]> {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const startedMs = performance.now();
  const samples: UseSample[] = [];
  const timer = setInterval(() => {
    const sample = { atSeconds: (performance.now() - startedMs) / 1000, ...treeUse(child.pid ?? 0) };
    samples.push(sample);
    onSample(sample);
  }, everySeconds * 1000);
  await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  }).finally(() => clearInterval(timer));
  return samples;
}
