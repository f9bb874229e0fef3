import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryName } from '../../../../coordinator/report/temporary-name.ts';
import { writeResults } from '../../../../coordinator/report/write-results.ts';
import { FleetError } from '../../../../shared/fleet-error.ts';

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'loadfleet-results-'));
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

function filesOf(id: string, extra: readonly string[] = []): ReadonlyMap<string, string> {
  return new Map([
    ['result.json', JSON.stringify({ run: { id } })],
    ['summary.txt', `run ${id}\n`],
    ...extra.map((name) => [name, id] as const),
  ]);
}

describe('writeResults', () => {
  it('makes the folder and leaves nothing but the files', async () => {
    const { folder, missing } = await writeResults(join(root, 'a', 'b'), filesOf('r1', ['response.hlog']));
    expect([...missing]).toEqual([]);
    expect(folder).toBe(join(root, 'a', 'b'));
    expect((await readdir(folder)).sort()).toEqual(['response.hlog', 'result.json', 'summary.txt']);
    expect(await readFile(join(folder, 'summary.txt'), 'utf8')).toBe('run r1\n');
  });

  it('keeps an earlier run’s files apart and puts the new ones where the caller looks', async () => {
    await writeResults(root, filesOf('r1', ['lag.hlog']));
    await writeFile(join(root, 'notes.md'), 'mine');
    await writeResults(root, filesOf('r2'));
    expect(JSON.parse(await readFile(join(root, 'result.json'), 'utf8'))).toEqual({ run: { id: 'r2' } });
    expect((await readdir(root)).sort()).toEqual(['notes.md', 'r1', 'result.json', 'summary.txt']);
    expect((await readdir(join(root, 'r1'))).sort()).toEqual(['lag.hlog', 'result.json', 'summary.txt']);
    // The same run once more: its folder is taken, nothing is overwritten.
    await writeResults(root, filesOf('r1'));
    await writeResults(root, filesOf('r3'));
    expect((await readdir(root)).sort()).toEqual(['notes.md', 'r1', 'r1-2', 'r2', 'result.json', 'summary.txt']);
  });

  it('removes what a killed process left half written, and no other process’s file', async () => {
    const gone = spawnSync(process.execPath, ['--version']).pid;
    const nameOf = (processId: number): string =>
      temporaryName('requests.jsonl').replace(`-${process.pid}.`, `-${processId}.`);
    const kept = [
      nameOf(process.ppid),
      nameOf(gone).replace('jsonl.', 'jsonl.elsewhere-'),
      '.notes.tmp',
      `x.${gone}.tmp`,
    ];
    for (const name of [...kept, nameOf(gone), nameOf(process.pid)]) await writeFile(join(root, name), 'half');
    await writeResults(root, filesOf('r1'));
    expect((await readdir(root)).sort()).toEqual([...kept, 'result.json', 'summary.txt'].sort());
  });

  it.each(['{"run":{"id":"../../evil"}}', 'not json', '{}', '[]', 'null'])(
    'never takes a path from an earlier result.json: %s',
    async (text) => {
      const folder = join(root, 'out');
      await mkdir(folder);
      await writeFile(join(folder, 'result.json'), text);
      await writeResults(folder, filesOf('r2'));
      expect(await readFile(join(folder, 'earlier', 'result.json'), 'utf8')).toBe(text);
      expect(await readdir(root)).toEqual(['out']);
    },
  );

  it('fails with the path when the folder is a file, and leaves it alone', async () => {
    const path = join(root, 'file');
    await writeFile(path, 'mine');
    const failure = writeResults(path, filesOf('r1'));
    await expect(failure).rejects.toThrow(FleetError);
    await expect(failure).rejects.toMatchObject({ code: 'io', message: expect.stringContaining(path) as string });
    expect(await readFile(path, 'utf8')).toBe('mine');
  });

  it('leaves an earlier run untouched when the new files cannot be written', async () => {
    await writeResults(root, filesOf('r1'));
    const impossible = new Map([...filesOf('r2'), [`${'x'.repeat(300)}.hlog`, 'too long a name']]);
    await expect(writeResults(root, impossible)).rejects.toMatchObject({ code: 'io' });
    expect(JSON.parse(await readFile(join(root, 'result.json'), 'utf8'))).toEqual({ run: { id: 'r1' } });
    expect((await readdir(root)).sort()).toEqual(['result.json', 'summary.txt']);
  });

  it('R100 a large file that cannot be copied costs no other file, and is told', async () => {
    const requests = join(root, 'of-the-run.jsonl');
    await writeFile(requests, '{}\n');
    const out = join(root, 'out');
    await writeResults(out, filesOf('r1'), new Map([['requests.jsonl', requests]]));
    const { missing } = await writeResults(out, filesOf('r2'), new Map([['requests.jsonl', join(root, 'gone')]]));
    expect([...missing.keys()]).toEqual(['requests.jsonl']);
    expect(missing.get('requests.jsonl')).toContain('ENOENT');
    // Nor does that of the earlier run pass for this one's.
    expect((await readdir(out)).sort()).toEqual(['r1', 'result.json', 'summary.txt']);
    expect((await readdir(join(out, 'r1'))).sort()).toEqual(['requests.jsonl', 'result.json', 'summary.txt']);
  });

  it.skipIf(process.getuid?.() === 0)('fails with code io where it may not write', async () => {
    await chmod(root, 0o500);
    await expect(writeResults(join(root, 'out'), filesOf('r1'))).rejects.toMatchObject({ code: 'io' });
    await chmod(root, 0o700);
  });
});
