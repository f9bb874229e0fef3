import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryName } from '../../../coordinator/report/temporary-name.ts';
import { tryFile, writeFile } from '../../../cli/write-file.ts';
import { fleetErrorOf } from '../../support/fleet-error-of.ts';

const folder = mkdtempSync(join(tmpdir(), 'loadfleet-write-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('files of the command line', () => {
  it('are written whole, with the folders they need, over what was there', () => {
    const path = join(folder, 'a', 'b', 'proof.json');
    writeFile(path, 'one', '--proof-out');
    writeFile(path, 'two', '--proof-out');
    expect(readFileSync(path, 'utf8')).toBe('two');
    expect(readdirSync(join(folder, 'a', 'b'))).toEqual(['proof.json']);
  });

  it('leave no half of theirs that a killed process left', () => {
    const path = join(folder, 'half', 'proof.json');
    writeFile(path, 'one', '--proof-out');
    const gone = spawnSync(process.execPath, ['--version']).pid;
    for (const name of ['proof.json', 'other.json']) {
      const left = temporaryName(name).replace(`-${process.pid}.`, `-${gone}.`);
      writeFileSync(join(folder, 'half', left), 'half');
    }
    writeFile(path, 'two', '--proof-out');
    expect(readdirSync(join(folder, 'half')).sort()).toEqual([expect.stringMatching(/^\.other\.json\./), 'proof.json']);
  });

  it('are written beside something left over that cannot be removed', () => {
    const path = join(folder, 'stuck', 'proof.json');
    writeFile(path, 'one', '--proof-out');
    const gone = spawnSync(process.execPath, ['--version']).pid;
    const stuck = temporaryName('proof.json').replace(`-${process.pid}.`, `-${gone}.`);
    // Like a file of another user in a folder such as /tmp: it stays, whoever runs this test.
    mkdirSync(join(folder, 'stuck', stuck));
    tryFile(path, '--proof-out');
    writeFile(path, 'two', '--proof-out');
    expect(readFileSync(path, 'utf8')).toBe('two');
    expect(readdirSync(join(folder, 'stuck')).sort()).toEqual([stuck, 'proof.json']);
  });

  it('are tried without touching what is there', () => {
    const path = join(folder, 'kept.json');
    writeFileSync(path, 'kept');
    tryFile(path, 'calibration');
    expect(readFileSync(path, 'utf8')).toBe('kept');
    tryFile(join(folder, 'new.json'), 'calibration');
    expect(existsSync(join(folder, 'new.json'))).toBe(false);
  });

  it('cannot be a folder, nor lie below a file: the message names flag and path', () => {
    writeFileSync(join(folder, 'file'), '');
    for (const path of [folder, join(folder, 'file', 'x.json')]) {
      for (const attempt of [() => tryFile(path, '--proof-out'), () => writeFile(path, 'x', '--proof-out')]) {
        const error = fleetErrorOf(attempt);
        expect(error?.code).toBe('io');
        expect(error?.message).toContain(`--proof-out ${path} cannot be written: `);
      }
    }
  });

  it.runIf(existsSync('/proc/self'))(
    'R100 end with an error where a file system has no new folders, such as /proc',
    () => {
      expect(fleetErrorOf(() => tryFile('/proc/no-such/calibration.json', 'calibration'))?.code).toBe('io');
    },
  );

  it.runIf(existsSync('/dev/null'))('go into a device as it is, which is not replaced', () => {
    tryFile('/dev/null', '--proof-out');
    writeFile('/dev/null', 'gone', '--proof-out');
    expect(readFileSync('/dev/null', 'utf8')).toBe('');
  });
});
