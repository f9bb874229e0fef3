import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommandLine } from '../../../cli/command-line.ts';
import { FleetError } from '../../../shared/fleet-error.ts';
import { LOADFLEET_VERSION } from '../../../shared/version.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'loadfleet-cli-'));
  writeFileSync(join(folder, 'ok.yaml'), 'target: {url: "http://h"}\nload: [{rate: 10, duration: 2s}]\n');
  writeFileSync(join(folder, 'bad.yaml'), 'target: {url: "http://h"}\nload: [{rate: 10, duraton: 2s}]\n');
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

async function command(...args: string[]): Promise<{ exitCode: number; out: string; err: string }> {
  let [out, err] = ['', ''];
  const exitCode = await runCommandLine(args, {
    out: (text) => {
      out += text;
      return Promise.resolve();
    },
    err: (text) => {
      err += text;
    },
    errIsTerminal: false,
    columns: 80,
  });
  return { exitCode, out, err };
}

describe('R089 R099 the command line', () => {
  it.each([
    [['rnu'], /unknown command 'rnu'[^]*Did you mean run\?/],
    [['run', '--rte', '5'], /unknown option '--rte'[^]*Did you mean --rate\?/],
    [['run', '--treshold', 'x'], /Did you mean --threshold\?/],
    [['plan', 'explain', '--connection', '5'], /Did you mean --connections\?/],
    [
      ['plan', 'explain', '--url', 'http://h', '--rate', '1', '--count', '1', '--on-agent-loss', 'redeal'],
      /not available/,
    ],
    [['run', 'ok.yaml', '--repeat', '2', '--repeat', '3'], /--repeat is given more than once/],
    [['run', 'ok.yaml', '--worker-cores', '1', '--worker-cores', '2'], /--worker-cores is given more than once/],
    [
      ['agent', '--coordinator', '127.0.0.1:1', '--coordinator', '127.0.0.1:2'],
      /--coordinator is given more than once/,
    ],
    [['coordinator', '--listen', '127.0.0.1:1', '--listen', '0.0.0.0:1'], /--listen is given more than once/],
    [['target', '--seed', '1', '--seed', '2'], /--seed is given more than once/],
    [['run', '--rate'], /argument missing/],
    [['run', 'a', 'b'], /too many arguments/],
    [['run'], /needs a plan file, or --url/],
    [['run', 'none.yaml'], /none\.yaml cannot be read: no such file/],
    [['run', tmpdir()], /is a folder, not a file/],
    [['run', '/dev/zero'], /\/dev\/zero is not a regular file/],
    [['run', '--url', 'http://h', '--rate', '5'], /needs a duration or a count/],
    [['run', '--url', 'http://h', '--rate', '5', '--rate', '6', '--duration', '1s'], /--rate is given 2 times/],
    [['run', '--url', 'http://h', '--rate', 'x', '--duration', '1'], /2 problems/],
    [['run', '--coordinator', 'nowhere', '--url', 'http://h'], /is not HOST:PORT/],
    [
      ['run', '--coordinator', '192.0.2.1:7400', '--url', 'http://h'],
      /--coordinator "192.0.2.1:7400" is not a loopback address/,
    ],
    [['agent'], /required option '--coordinator/],
    [['agent', '--coordinator', '127.0.0.1:1', '--id', 'a b'], /--id "a b" is not a name/],
    [['agent', '--coordinator', '127.0.0.1:1', '--label', 'x'], /not KEY=VALUE/],
    [['agent', '--coordinator', '127.0.0.1:1', '--workers', '0'], /not a whole number of at least 1/],
    [['coordinator', '--listen', '0.0.0.0:7400'], /is not a loopback address/],
    [['target', '--service', 'sometimes'], /not a service law/],
    [[], /Usage: loadfleet/],
  ])('R089 R099 %j ends with 2 and says why', async (args, message) => {
    const { exitCode, err, out } = await command(...args);
    expect(err).toMatch(message);
    expect([exitCode, out]).toEqual([2, '']);
  });

  it('R089 a misspelt key in a file is named with its place', async () => {
    const { exitCode, err } = await command('run', join(folder, 'bad.yaml'));
    expect(err).toMatch(/bad\.yaml:2:19: load\[0\]\.duraton: unknown key "duraton", did you mean "duration"/);
    expect(exitCode).toBe(2);
  });

  it('a plan that would not cross the wire is refused before anything starts', async () => {
    writeFileSync(
      join(folder, 'body.yaml'),
      `target: {url: "http://h"}\nload: [{rate: 1, duration: 1s}]\nworkload: [{body: "${'\\a'.repeat(300_000)}"}]\n`,
    );
    expect((await command('plan', 'explain', join(folder, 'body.yaml'))).err).toMatch(
      /has \d+ bytes as JSON, the limit is 1048576/,
    );
  });

  it('plan explain prints text, and JSON when asked', async () => {
    const text = await command('plan', 'explain', join(folder, 'ok.yaml'), '--seed', '1');
    expect([text.exitCode, text.err]).toEqual([0, '']);
    expect(text.out).toMatch(/arrivals \d+ scheduled with this seed, 20 expected/);
    const json = await command('plan', 'explain', join(folder, 'ok.yaml'), '--seed', '1', '--json', '--rate', '20');
    expect(JSON.parse(json.out)).toMatchObject({ seed: '1', phases: [{ expected: 40 }] });
  });

  it.each([['run'], ['plan', 'explain']])(
    'R086 %s refuses a service law of the reference target that is none, before anything starts',
    async (...verb) => {
      const file = join(folder, 'reference-law.yaml');
      writeFileSync(file, 'target: {reference: "constant:5"}\nload: [{rate: 10, duration: 2s}]\n');
      const { exitCode, err, out } = await command(...verb, file);
      expect(err).toMatch(/target\.reference: duration "5" has no unit/);
      expect([exitCode, out]).toEqual([2, '']);
    },
  );

  it('plan explain takes flags alone', async () => {
    const { out, exitCode } = await command(
      'plan',
      'explain',
      '--url',
      'http://h/x',
      '--rate',
      '6000/min',
      '--count',
      '10',
    );
    expect(exitCode).toBe(0);
    expect(out).toMatch(/GET http:\/\/h\/x/);
  });
});

it('the version is that of the package', async () => {
  expect(await command('--version')).toEqual({ exitCode: 0, out: `${LOADFLEET_VERSION}\n`, err: '' });
});

it.each([['--help'], ['run', '--help'], ['--version']])(
  'R100 %j %j that cannot be written ends with 4',
  async (...args) => {
    let err = '';
    const exitCode = await runCommandLine(args, {
      out: () => Promise.reject(new FleetError('io', 'standard output cannot be written: no space left')),
      err: (text) => void (err += text),
      errIsTerminal: false,
      columns: 80,
    });
    expect(exitCode).toBe(4);
    expect(err).toMatch(/standard output cannot be written/);
  },
);
