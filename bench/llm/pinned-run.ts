/** One run of a plan by `loadfleet run` as a process tree, watched while it lasts. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ResultValue } from '../../coordinator/report/result-value.ts';
import { loadfleetCommand, onCore } from './target-process.ts';
import { type UseSample, watchedProcess } from './watched-process.ts';

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
    const command = onCore(core, loadfleetCommand(['run', file, '--quiet', '--out', out, ...options]));
    const samples = await watchedProcess(command, everySeconds, onSample);
    const text = (name: string): string => readFileSync(join(out, name), 'utf8');
    return { result: JSON.parse(text('result.json')) as ResultValue, summary: text('summary.txt'), samples };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
