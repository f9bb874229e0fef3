/** One run of a plan by `loadfleet run` as a process tree, watched while it lasts. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ResultValue } from '../../coordinator/report/result-value.ts';
import { type TreeUse, treeUse } from './process-tree.ts';
import { pinned } from './target-process.ts';

/** What the tree had used at one instant. */
export interface UseSample extends TreeUse {
  /** Since the start of the processes. */
  readonly atSeconds: number;
}

export interface WatchedRun {
  readonly result: ResultValue;
  readonly summary: string;
  readonly samples: readonly UseSample[];
}

/**
 * Runs `plan` (YAML) on `core`, with more `options` of `run`, and looks at its processes every `everySeconds`.
 * @throws when it leaves no result.
 */
export async function watchedRun(
  plan: string,
  core: string | null,
  everySeconds: number,
  onSample: (sample: UseSample) => void = () => undefined,
  options: readonly string[] = [],
): Promise<WatchedRun> {
  const folder = mkdtempSync(join(tmpdir(), 'loadfleet-bench-'));
  try {
    const file = join(folder, 'plan.yaml');
    const out = join(folder, 'out');
    writeFileSync(file, plan);
    const [program, args] = pinned(core, ['run', file, '--quiet', '--out', out, ...options]);
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
    const text = (name: string): string => readFileSync(join(out, name), 'utf8');
    return { result: JSON.parse(text('result.json')) as ResultValue, summary: text('summary.txt'), samples };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
