/**
 * `npm run check:borders`: runs dependency-cruiser over the source and prints every crossed border.
 * dependency-cruiser passes when it looked at nothing (a TypeScript that it cannot load, a wrong folder), so this also
 * fails unless every source file on disk is among the modules seen.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';

const FOLDERS = ['shared', 'agent', 'coordinator', 'cli', 'target', 'proto/gen', 'bench', 'test'].filter((folder) =>
  existsSync(folder),
);

/** The part of dependency-cruiser's JSON that is read here. */
interface CruiseResult {
  readonly modules: readonly { readonly source: string }[];
  readonly summary: {
    readonly violations: readonly {
      readonly from: string;
      readonly to: string;
      readonly rule: { readonly name: string };
      readonly cycle?: readonly { readonly name: string }[];
      readonly comment?: string;
    }[];
  };
}

/** Every TypeScript file below `folder`, as a path from the root with forward slashes. */
function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => `${entry.parentPath}/${entry.name}`.replaceAll('\\', '/'));
}

function cruise(): CruiseResult {
  const run = spawnSync('depcruise', ['--config', '.dependency-cruiser.cjs', '--output-type', 'json', ...FOLDERS], {
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  if (run.error !== undefined) throw run.error;
  if (!run.stdout.startsWith('{')) throw new Error(`dependency-cruiser gave no result: ${run.stderr}${run.stdout}`);
  return JSON.parse(run.stdout) as CruiseResult;
}

const { modules, summary } = cruise();
const seen = new Set(modules.map((module) => module.source));
const unseen = FOLDERS.flatMap(sourcesIn).filter((path) => !seen.has(path));

for (const { from, to, rule, cycle } of summary.violations) {
  const way = cycle === undefined ? to : cycle.map((step) => step.name).join(' -> ');
  console.error(`border ${rule.name}: ${from} -> ${way}`);
}
for (const path of unseen) console.error(`border check never looked at ${path}`);
if (seen.size === 0) console.error('border check looked at 0 modules');

console.log(
  `borders: ${seen.size} modules seen, ${summary.violations.length} crossings, ${unseen.length} files unseen`,
);
process.exitCode = summary.violations.length > 0 || unseen.length > 0 || seen.size === 0 ? 1 : 0;
