import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Console } from '../../../cli/console.ts';
import { publishResult, tryPublishing } from '../../../cli/publish-result.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loadfleet-publish-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const run = {
  runId: 'run-1',
  summary: 'the summary\n',
  files: new Map([['result.json', '{}\n']]),
  largeFiles: new Map<string, string>(),
  exitCode: 0,
};

function recordingConsole(): Console & { readonly outs: string[]; readonly errs: string[] } {
  const outs: string[] = [];
  const errs: string[] = [];
  const out = (text: string): Promise<void> => {
    outs.push(text);
    return Promise.resolve();
  };
  return { outs, errs, out, err: (text) => void errs.push(text), errIsTerminal: false, columns: 80 };
}

describe('publishing a result', () => {
  it('writes the folder, prints the summary, and says where', async () => {
    const console = recordingConsole();
    const directory = join(folder, 'out');
    expect(
      await publishResult(run, { directory, console, signals: { first: null, whileWriting: (write) => write() } }),
    ).toBe(0);
    expect(readFileSync(join(directory, 'result.json'), 'utf8')).toBe('{}\n');
    expect(console.outs.join('')).toBe(`the summary\n\nresults: ${directory}\n`);
  });

  it('the folder is complete before anything is printed', async () => {
    const directory = join(folder, 'out');
    const console = recordingConsole();
    const seen: boolean[] = [];
    const out = (): Promise<void> => {
      seen.push(existsSync(join(directory, 'result.json')));
      return Promise.resolve();
    };
    await publishResult(run, {
      directory,
      console: { ...console, out },
      signals: { first: null, whileWriting: (write) => write() },
    });
    expect(seen).toEqual([true]);
  });

  it('a folder that cannot be written still gets its summary printed, and ends with 4', async () => {
    writeFileSync(join(folder, 'taken'), '');
    const console = recordingConsole();
    const directory = join(folder, 'taken', 'out');
    expect(
      await publishResult(run, { directory, console, signals: { first: null, whileWriting: (write) => write() } }),
    ).toBe(4);
    expect(console.outs.join('')).toBe(
      'the summary\n\nexit code 4: the results could not be written; the run itself came to 0\n',
    );
    expect(console.errs.join('')).toMatch(/cannot be written/);
  });

  it('R100 a large file that could not be kept: all others are written, and it ends with 4', async () => {
    const console = recordingConsole();
    const directory = join(folder, 'out');
    const lessOne = { ...run, missing: new Map([['requests.jsonl', 'ENOSPC: no space left on device']]) };
    const signals = { first: null, whileWriting: <T>(write: () => Promise<T>): Promise<T> => write() };
    expect(await publishResult(lessOne, { directory, console, signals })).toBe(4);
    expect(readdirSync(directory)).toEqual(['result.json']);
    expect(console.errs.join('')).toContain('requests.jsonl is missing: ENOSPC');
    expect(console.outs.join('')).toContain(`results: ${directory}`);
  });

  it.each([
    ['SIGINT', 0, 130],
    ['SIGTERM', 3, 143],
    ['SIGINT', 4, 4],
  ] as const)('R100 %s during the writing of a run that came to %i ends with %i', async (first, exitCode, whole) => {
    const signals = { first, whileWriting: <T>(write: () => Promise<T>): Promise<T> => write() };
    const options = { directory: join(folder, 'out'), console: recordingConsole(), signals };
    expect(await publishResult({ ...run, exitCode }, options)).toBe(whole);
  });
});

describe('trying the folder before a run', () => {
  it('leaves nothing behind, neither files nor folders', async () => {
    await tryPublishing(join(folder, 'a', 'b', 'out'));
    expect(readdirSync(folder)).toEqual([]);
    writeFileSync(join(folder, 'kept'), '');
    await tryPublishing(folder);
    expect(readdirSync(folder)).toEqual(['kept']);
  });

  it.skipIf(!existsSync('/proc/self'))(
    'refuses a folder where a file system makes none, and does not wait for it',
    async () => {
      await expect(tryPublishing('/proc/none/out')).rejects.toMatchObject({ code: 'io' });
    },
  );

  it('refuses a folder that cannot be made', async () => {
    writeFileSync(join(folder, 'taken'), '');
    await expect(tryPublishing(join(folder, 'taken', 'out'))).rejects.toMatchObject({
      code: 'io',
      message: expect.stringContaining('cannot be written') as string,
    });
  });
});
