/** What leaves a real run: nothing secret in any output, and results that do not depend on anybody reading them. */
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ResultFile, removeResultFolders, runCommand, startCommand } from '../support/command-run.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loadfleet-plan-'));
});
afterEach(() => {
  removeResultFolders();
  rmSync(folder, { recursive: true, force: true });
});

const FLEET = ['--workers', '1', '--connections', '8', '--timeout', '2s', '--fail-on', 'never'];

describe('R106 a known token is in no output of a run', () => {
  const canaries = [
    'canary-env-31337',
    'canary-file-4711',
    'canary-clear-0815',
    'canary-query-2222',
    'canary-flag-3333',
  ];
  const plan = (target: string): string => `
target: ${target}
workload:
  - url: "/a?api_key=\${SERVICE_TOKEN}&signature=canary-query-2222"
    headers:
      Authorization: "Bearer \${SERVICE_TOKEN}"
      X-Trace: "\${file:key.txt}"
      Cookie: "session=canary-clear-0815"
    method: POST
    body: '{"key": "\${SERVICE_TOKEN}"}'
load: [{rate: 50, duration: 1s}]
`;

  it.each([
    ['that is answered', '{reference: instant}'],
    ['that is refused', '{url: "http://127.0.0.1:1"}'],
  ])('R106 of a run %s', async (_how, target) => {
    writeFileSync(join(folder, 'p.yaml'), plan(target));
    writeFileSync(join(folder, 'key.txt'), 'canary-file-4711\n');
    const args = ['run', join(folder, 'p.yaml'), ...FLEET, '--header', 'X-Api-Key: canary-flag-3333'];
    const end = await runCommand(args, { SERVICE_TOKEN: 'canary-env-31337' });
    expect(end.result?.accounting.scheduled).toBeGreaterThan(10);
    const texts = [
      end.stdout,
      end.stderr,
      ...['result.json', 'summary.txt', 'windows.csv', 'plan.effective.yaml'].map(end.file),
    ];
    for (const canary of canaries) for (const text of texts) expect(text).not.toContain(canary);
    expect(end.file('plan.effective.yaml')).toContain('[redacted]');
    expect(end.stderr).toContain('# the plan as it runs');
  });

  it('R106 of a plan that is wrong', async () => {
    writeFileSync(
      join(folder, 'p.yaml'),
      plan('{url: "http://u:${SERVICE_TOKEN}@h"}').replace('rate: 50', 'rate: "${SERVICE_TOKEN}"'),
    );
    const end = await runCommand(['run', join(folder, 'p.yaml')], { SERVICE_TOKEN: 'canary-env-31337' });
    expect(end.exitCode).toBe(2);
    expect(end.stdout + end.stderr).not.toContain('canary');
    expect(end.stderr).toMatch(/load\[0\]\.rate: the secret from SERVICE_TOKEN is not valid/);
  });
});

describe('R107 what a user or a file says', () => {
  const plan = 'target: {url: "http://h"}\nload: [{rate: 1, duration: 1s}]\n';

  it.each([
    ['a column', ['plan', 'explain', 'p.yaml']],
    ['a plan that is not there', ['plan', 'explain', '\u001b]0;owned\u0007.yaml']],
    ['a command', ['\u001b[31m\u202ecommand']],
  ])('R107 does not reach the terminal as a command to it: the name of %s', async (_what, args) => {
    const data = '\u001b[31mid\u009b2J\u202e,name\n1,a\n';
    writeFileSync(join(folder, 'd.csv'), data);
    writeFileSync(join(folder, 'p.yaml'), `${plan}workload: [{url: "/{{id}}"}]\ndata: {file: d.csv}\n`);
    const end = await runCommand(args.map((arg) => (arg === 'p.yaml' ? join(folder, arg) : arg)));
    expect(end.exitCode).toBe(2);
    expect(end.stderr).toContain('\ufffd');
    expect(end.stdout + end.stderr).not.toMatch(/[^\P{C}\n]/u);
  });
});

describe('R100 a reader that goes away', () => {
  it('R100 costs neither the results nor the exit code', async () => {
    const run = startCommand(['run', '--url', 'http://127.0.0.1:1', '--rate', '50', '--duration', '1s', ...FLEET]);
    run.process.stdout?.destroy();
    run.process.stderr?.destroy();
    const end = await run.ended;
    // Nothing was ok: the target refuses.
    expect(end.exitCode).toBe(1);
    expect(end.file('summary.txt')).toMatch(/verdict/i);
    expect((end.result as ResultFile).accounting.failed['connect-refused']).toBeGreaterThan(10);
  });
});

describe.skipIf(!existsSync('/dev/full'))('R099 a disk that is full', () => {
  it.each([
    ['plan explain', ['plan', 'explain', '--url', 'http://h', '--rate', '1', '--duration', '1s']],
    ['run', ['run', '--url', 'http://127.0.0.1:1', '--rate', '50', '--duration', '1s', ...FLEET]],
  ])('R099 is told by the exit code where the output of %s goes there', async (_verb, args) => {
    const full = openSync('/dev/full', 'w');
    const end = await startCommand(args, {}, full).ended;
    closeSync(full);
    expect(end.exitCode, end.stderr).toBe(4);
    expect(end.stderr).toMatch(/standard output cannot be written: .*no space left/);
    // The folder is elsewhere.
    if (args[0] === 'run') expect(end.result?.run.end.kind).toBe('finished');
  });
});

describe('a plan with a reference target', () => {
  it('starts it for the run and stops it afterwards', async () => {
    writeFileSync(join(folder, 'p.yaml'), 'target: {reference: instant}\nload: [{rate: 50, duration: 1s}]\n');
    const end = await runCommand(['run', join(folder, 'p.yaml'), ...FLEET, '--header', 'X-A: 1']);
    const result = end.result as ResultFile;
    expect(result.accounting.ok).toBe(result.accounting.scheduled);
    expect(end.file('plan.effective.yaml')).toMatch(/reference: instant/);
  });

  it('is refused on a fleet elsewhere', async () => {
    writeFileSync(join(folder, 'p.yaml'), 'target: {reference: instant}\nload: [{rate: 50, duration: 1s}]\n');
    const end = await runCommand(['run', join(folder, 'p.yaml'), '--coordinator', '127.0.0.1:1']);
    expect([end.exitCode, end.result]).toEqual([2, null]);
    expect(end.stderr).toMatch(/with --coordinator give target\.url/);
  });
});

describe('a calibration file that cannot be read', () => {
  const explain = ['plan', 'explain', '--url', 'http://127.0.0.1:1', '--rate', '20', '--duration', '1s'];

  it.each([
    ['no JSON', (path: string) => writeFileSync(path, '{')],
    ['a folder', (path: string) => mkdirSync(path)],
  ])('stops neither plan explain nor run, and both say why: %s', async (_what, spoil) => {
    const path = join(folder, 'calibration.json');
    spoil(path);
    const here = { LOADFLEET_CALIBRATION: path };
    const explained = await runCommand(explain, here);
    expect(explained.exitCode, explained.stderr).toBe(0);
    const why = /^capacity +not known: (.*)$/m.exec(explained.stdout)?.[1] ?? 'no reason';
    expect(why).toContain(path);
    const run = await runCommand(['run', ...explain.slice(2), ...FLEET], here);
    expect(run.stderr).toContain(`warning: ${why}`);
    expect(run.result?.run.end.kind).toBe('finished');
  });
});
