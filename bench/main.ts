/**
 * `npm run bench -- [name] [--smoke] [--rounds N]`: every micro bench, each file in a process of its own, so that none is
 * measured on code that another has already compiled. Arguments go to each (see bench/micro/runner.ts).
 * Side by side with other tools: `npm run bench:versus`. A profile: `npm run profile -- bench/micro/schedule.ts [name]`.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const RUNNER = 'runner.ts';

const folder = fileURLToPath(new URL('./micro/', import.meta.url));
const files = readdirSync(folder).filter((name) => name.endsWith('.ts') && name !== RUNNER);

for (const file of files.sort()) {
  console.log(`\n${file}`);
  const { status } = spawnSync(process.execPath, [`${folder}${file}`, ...process.argv.slice(2)], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
