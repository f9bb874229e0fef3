/**
 * What the documents promise of the npm scripts: `npm run -s loadfleet -- VERB` has the arguments, output, exit code and
 * signals of the command itself, and what `npm run build` makes runs without any TypeScript.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Runs the command through npm, waits for its end. */
function loadfleet(...args: string[]): { exitCode: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync('npm', ['run', '-s', 'loadfleet', '--', ...args], { encoding: 'utf8' });
  return { exitCode: status, stdout, stderr };
}

/** Resolves with the first line of standard output that `pattern` matches; rejects if the process ends before. */
function firstLine(child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
  return new Promise((found, failed) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const match = pattern.exec(text);
      if (match !== null) found(match);
    });
    child.once('exit', (code) => {
      failed(new Error(`ended with ${code ?? 'a signal'} after: ${text}`));
    });
  });
}

/** Whether anything listens on the loopback port. */
function isListening(port: number): Promise<boolean> {
  return new Promise((answer) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.destroy();
      answer(true);
    });
    socket.once('error', () => {
      answer(false);
    });
  });
}

describe('npm run -s loadfleet', () => {
  it('passes arguments through as they are, and the exit code back', () => {
    expect(loadfleet('--version')).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      stderr: '',
    });
    const { exitCode, stderr } = loadfleet('no such verb; $HOME');
    expect(stderr).toContain('no such verb; $HOME');
    expect(exitCode).toBe(2);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('passes %s through and leaves nothing behind', async (signal) => {
    const child = spawn('npm', ['run', '-s', 'loadfleet', '--', 'target', '--listen', '127.0.0.1:0'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const port = Number((await firstLine(child, /listening http:\/\/127\.0\.0\.1:(\d+)/))[1]);
    expect(await isListening(port)).toBe(true);
    const ended = new Promise((resolveEnd) => child.once('exit', resolveEnd));
    child.kill(signal);
    await ended;
    expect(await isListening(port)).toBe(false);
  });
});

describe('npm run build', () => {
  it('makes JavaScript that runs, without a word of TypeScript left to load', () => {
    // Inside the project, so that packages are found; elsewhere than dist, so that nobody's build is touched.
    mkdirSync('.cache', { recursive: true });
    const folder = mkdtempSync(resolve('.cache/build-'));
    try {
      // Types are the business of check:types.
      const build = spawnSync('tsc', ['--project', 'tsconfig.build.json', '--outDir', folder, '--noCheck'], {
        encoding: 'utf8',
      });
      expect(build.stdout).toBe('');
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => /\.c?js$/.test(path));
      expect(files.length).toBeGreaterThan(50);
      const loading = /(?:from|import\(|new URL\()\s*['"`][^'"`]*\.ts['"`]/;
      expect(files.filter((path) => loading.test(readFileSync(join(folder, path), 'utf8')))).toEqual([]);
      const version = spawnSync(process.execPath, [join(folder, 'cli/loadfleet.cjs'), '--version'], {
        encoding: 'utf8',
      });
      expect(version).toMatchObject({ status: 0, stderr: '', stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
