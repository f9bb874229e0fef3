/**
 * `npm run check`: runs every `check:...` script of package.json, in the order written there, all of them even when one
 * fails, and ends with one line that names those that failed. Exit code 1 if any did.
 * With names as arguments (`npm run check -- lint types`) it runs only those.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';

const PREFIX = 'check:';

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
const all = Object.entries(manifest.scripts)
  .filter(([name]) => name.startsWith(PREFIX))
  .map(([name, command]) => ({ name: name.slice(PREFIX.length), command }));

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !all.some((check) => check.name === name));
if (unknown.length > 0) {
  console.error(`no such check: ${unknown.join(', ')} (there are: ${all.map((check) => check.name).join(', ')})`);
  process.exit(2);
}

const env = { ...process.env, PATH: `${resolve('node_modules/.bin')}${delimiter}${process.env['PATH'] ?? ''}` };
const failed: string[] = [];
const ran = all.filter((check) => wanted.length === 0 || wanted.includes(check.name));

for (const { name, command } of ran) {
  const startedMs = performance.now();
  const { status } = spawnSync(command, { shell: true, stdio: 'inherit', env });
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  const passed = status === 0;
  if (!passed) failed.push(name);
  console.log(`${passed ? 'pass' : 'FAIL'} ${name} (${seconds} s)`);
}

if (failed.length > 0) {
  console.error(`check: ${failed.length} of ${ran.length} failed: ${failed.join(', ')}`);
  process.exitCode = 1;
} else {
  console.log(`check: ${ran.length} of ${ran.length} passed`);
}
