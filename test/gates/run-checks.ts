/**
 * `npm run check`: runs every `check:...` script of package.json, all of them even when one fails, as many at a time as there are
 * cores, in the order written there (the slow ones are written first). The output of each is printed whole when it ends, and the
 * last line names those that failed. Exit code 1 if any did.
 * With names as arguments (`npm run check -- lint types`) it runs only those.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, resolve } from 'node:path';

const PREFIX = 'check:';

interface Check {
  readonly name: string;
  readonly command: string;
}

interface CheckResult {
  readonly exitCode: number | null;
  readonly output: string;
  readonly seconds: string;
}

const env = {
  ...process.env,
  PATH: `${resolve('node_modules/.bin')}${delimiter}${process.env['PATH'] ?? ''}`,
  // Output goes through a pipe; colours are kept where a person looks.
  ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}),
};

function run({ command }: Check): Promise<CheckResult> {
  const startedMs = performance.now();
  return new Promise((ended, failed) => {
    const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'pipe'], env });
    let output = '';
    const collect = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', failed);
    child.once('close', (exitCode) => {
      ended({ exitCode, output, seconds: ((performance.now() - startedMs) / 1000).toFixed(1) });
    });
  });
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
const all: Check[] = Object.entries(manifest.scripts)
  .filter(([name]) => name.startsWith(PREFIX))
  .map(([name, command]) => ({ name: name.slice(PREFIX.length), command }));

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !all.some((check) => check.name === name));
if (unknown.length > 0) {
  console.error(`no such check: ${unknown.join(', ')} (there are: ${all.map((check) => check.name).join(', ')})`);
  process.exit(2);
}

const chosen = all.filter((check) => wanted.length === 0 || wanted.includes(check.name));
const waiting = [...chosen];
const failed: string[] = [];

/** One of the lanes that work through the list. */
async function work(): Promise<void> {
  for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
    const { exitCode, output, seconds } = await run(check);
    process.stdout.write(output);
    if (exitCode !== 0) failed.push(check.name);
    console.log(`${exitCode === 0 ? 'pass' : 'FAIL'} ${check.name} (${seconds} s)`);
  }
}

await Promise.all(Array.from({ length: availableParallelism() }, () => work()));

if (failed.length > 0) {
  console.error(`check: ${failed.length} of ${chosen.length} failed: ${failed.join(', ')}`);
  process.exitCode = 1;
} else {
  console.log(`check: ${chosen.length} of ${chosen.length} passed`);
}
