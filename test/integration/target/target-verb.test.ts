import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { runCommandLine } from '../../../cli/command-line.ts';
import type { Console } from '../../../cli/console.ts';
import { FleetError } from '../../../shared/fleet-error.ts';
import type { NullTargetCounts } from '../../../target/null-target.ts';
import type { TargetCounts } from '../../../target/target-counts.ts';

const COMMAND = fileURLToPath(new URL('../../../cli/loadfleet.cjs', import.meta.url));
const children: ChildProcess[] = [];

interface Output {
  readonly child: ChildProcess;
  stdout: string;
  stderr: string;
  /** Exit code, once it has ended. */
  readonly ended: Promise<number | null>;
}

function targetVerb(...args: string[]): Output {
  return outputOf(spawn(process.execPath, [COMMAND, 'target', ...args], { stdio: ['ignore', 'pipe', 'pipe'] }));
}

/** Started as `run` starts its reference target: with a channel that closes when the parent is gone. */
function ownedTarget(...args: string[]): Output {
  return outputOf(spawn(process.execPath, [COMMAND, 'target', ...args], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] }));
}

function outputOf(child: ChildProcess): Output {
  children.push(child);
  const output: Output = {
    child,
    stdout: '',
    stderr: '',
    ended: new Promise((resolve) => child.once('close', resolve)),
  };
  child.stdout?.on('data', (text: Buffer) => (output.stdout += text.toString()));
  child.stderr?.on('data', (text: Buffer) => (output.stderr += text.toString()));
  return output;
}

async function urlOf(output: Output): Promise<string> {
  await expect.poll(() => output.stdout, { timeout: 30_000 }).toMatch(/^listening http:\/\/127\.0\.0\.1:\d+\n/);
  return output.stdout.split(/[ \n]/)[1] ?? '';
}

function countsOf(output: Output): unknown {
  const line = output.stdout.trim().split('\n').at(-1) ?? '';
  expect(line).toMatch(/^counts \{/);
  return JSON.parse(line.slice('counts '.length));
}

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

describe('loadfleet target', () => {
  it('listens, serves with the faults asked for, and ends with its counts on SIGTERM', async () => {
    const output = targetVerb('--fault', 'status:503,count=1', '--fault', 'close,from=2', '--body-bytes', '10');
    const url = await urlOf(output);
    expect((await fetch(url)).status).toBe(503);
    expect(await (await fetch(url)).text()).toHaveLength(10);
    output.child.kill('SIGTERM');
    expect(await output.ended).toBe(0);
    expect(countsOf(output) as TargetCounts).toMatchObject({ requests: 2, byStatus: { 200: 1, 503: 1 } });
    expect(output.stderr).toMatch(/target: fault \{.*503/);
  });

  it('runs the null target, and ends on SIGINT', async () => {
    const output = targetVerb('--null', '--body-bytes', '7');
    expect(await (await fetch(await urlOf(output))).text()).toBe('xxxxxxx');
    output.child.kill('SIGINT');
    expect(await output.ended).toBe(0);
    expect(countsOf(output) as NullTargetCounts).toMatchObject({ requests: 1 });
  });

  it('R100 ends with its counts when the terminal goes away', async () => {
    const output = targetVerb('--null');
    await fetch(await urlOf(output));
    output.child.kill('SIGHUP');
    expect(await output.ended).toBe(0);
    expect(countsOf(output) as NullTargetCounts).toMatchObject({ requests: 1 });
  });

  it('R100 ends when whoever started it for a run is gone', async () => {
    const output = ownedTarget('--null');
    await urlOf(output);
    // Its streams never count as closed behind a channel that this side has closed.
    const exitCode = new Promise((resolve) => output.child.once('exit', resolve));
    output.child.disconnect();
    expect(await exitCode).toBe(0);
  });

  it('R100 ends with exit code 4 where the address it listens on cannot be told', async () => {
    let errors = '';
    const console: Console = {
      out: () => Promise.reject(new FleetError('io', 'standard output cannot be written: no space left')),
      err: (text) => void (errors += text),
      errIsTerminal: false,
      columns: 120,
    };
    expect(await runCommandLine(['target', '--null'], console)).toBe(4);
    expect(errors).toMatch(/standard output cannot be written/);
  });

  it('runs the LLM target with its laws and faults', async () => {
    const output = targetVerb('--llm', '--ttft', 'constant:1ms', '--output-tokens', '3', '--llm-fault', 'no-done');
    const body = '{"messages":[],"stream":true}';
    const url = `${await urlOf(output)}/v1/chat/completions`;
    const text = await (await fetch(url, { method: 'POST', body })).text();
    expect([text.split('data: ').length - 1, text.includes('[DONE]')]).toEqual([5, false]);
    output.child.kill('SIGTERM');
    expect(await output.ended).toBe(0);
    expect(countsOf(output)).toMatchObject({ requests: 1, answered: 1, generationTokens: 3 });
  });

  it.each([
    [['--listen', '0.0.0.0:8080'], /"0\.0\.0\.0:8080" is not a loopback address/],
    [['--service', 'exponental:20ms'], /"exponental:20ms" is not a service law/],
    [['--service', 'constant:20'], /duration "20" has no unit/],
    [['--servers', '0'], /servers: 0 is not an integer in 1\.\.1000000/],
    [['--servers', 'two'], /--servers "two"/],
    [['--seed', 'x'], /seed: "x"/],
    [['--fault', 'stahl:5s'], /did you mean "stall"/],
    [['--null', '--seed', '4'], /--seed has no meaning with --null/],
    [['--null', '--body-bytes', 'uniform:1-2'], /--body-bytes "uniform:1-2": with --null/],
    [['--llm', '--service', 'instant'], /--service has no meaning with --llm/],
    [['--llm', '--fault', 'stall:5s'], /--fault has no meaning with --llm/],
    [['--llm', '--null'], /--null and --llm are two different servers/],
    [['--ttft', 'constant:5ms'], /--ttft has no meaning without --llm/],
    [['--null', '--llm-fault', 'reset'], /--llm-fault has no meaning with --null/],
    [['--llm', '--gap', 'gamma:20ms'], /gap "gamma:20ms" is not a law of times/],
    [['--llm', '--llm-fault', 'truncate'], /did you mean "truncated"/],
    [['--llm', '--slots', '0'], /slots: 0 is not an integer/],
    [['--llm', '--chunk-tokens', 'two'], /--chunk-tokens "two" is not a whole number/],
    [['--servces', '3'], /unknown option '--servces'/],
  ])('R089 refuses %j with exit code 2 and a sentence', async (args, reason) => {
    let errors = '';
    const console: Console = {
      out: () => Promise.reject(new Error('nothing may be printed')),
      err: (text) => void (errors += text),
      errIsTerminal: false,
      columns: 120,
    };
    expect(await runCommandLine(['target', ...args], console)).toBe(2);
    expect(errors).toMatch(reason);
  });
});
