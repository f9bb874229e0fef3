/**
 * `npm run check:proto-drift`: fails when what is committed in proto/gen, or the image in proto/baseline.binpb that the
 * breaking check compares with, is not what the .proto files make. `npm run proto` brings both up to date.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

const GENERATED = join('proto', 'gen');
const BASELINE = join('proto', 'baseline.binpb');

function buf(...args: string[]): void {
  const run = spawnSync('buf', args, { encoding: 'utf8' });
  if (run.error !== undefined) throw run.error;
  if (run.status !== 0) throw new Error(`buf ${args.join(' ')} failed:\n${run.stderr}${run.stdout}`);
}

/** Path from `root` to content, for every file below it. */
function contentOf(root: string): Map<string, string> {
  if (!existsSync(root)) return new Map();
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [relative(root, path), readFileSync(path, 'utf8')];
    }),
  );
}

/** One line for each file that is committed but not made, made but not committed, or different. */
function differences(committed: Map<string, string>, made: Map<string, string>): string[] {
  const paths = [...new Set([...committed.keys(), ...made.keys()])].sort();
  return paths.flatMap((path) => {
    const where = join(GENERATED, path);
    if (!made.has(path)) return [`${where} is made by no .proto file`];
    if (!committed.has(path)) return [`${where} is missing`];
    return committed.get(path) === made.get(path) ? [] : [`${where} differs from what its .proto file makes`];
  });
}

const scratch = mkdtempSync(join(tmpdir(), 'loadfleet-proto-'));
try {
  buf('generate', '--output', scratch);
  buf('build', '--exclude-source-info', '--output', join(scratch, 'image.binpb'));
  const found = differences(contentOf(GENERATED), contentOf(join(scratch, GENERATED)));
  const image = readFileSync(join(scratch, 'image.binpb'));
  if (!existsSync(BASELINE) || !readFileSync(BASELINE).equals(image)) {
    found.push(`${BASELINE} is not the image of the present .proto files`);
  }
  for (const line of found) console.error(`proto drift: ${line}`);
  if (found.length > 0) {
    console.error('proto drift: run `npm run proto` and commit what it writes');
    process.exitCode = 1;
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
