/**
 * A tiny project in a temporary folder that every gate of this one passes, made of this project's own gate configuration
 * and a handful of files. A test plants one fault in it and runs one gate, by the command that package.json gives.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';

/** What a gate said. */
export interface GateResult {
  readonly exitCode: number | null;
  readonly output: string;
}

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const CONFIGURATION = [
  'biome.json',
  'buf.yaml',
  'buf.gen.yaml',
  'eslint.config.js',
  'knip.json',
  'tsconfig.json',
  '.dependency-cruiser.cjs',
  'cli/loadfleet.cjs',
  'cli/require-node.cjs',
  'test/gates/check-borders.ts',
  'test/gates/check-proto-drift.ts',
];

const FILES: Readonly<Record<string, string>> = {
  'cli/main.ts': "import { startAgent } from '../agent/main.ts';\n\nstartAgent();\n",
  'agent/main.ts': [
    "import { request } from './client/undici/undici-connection.ts';",
    "import { nameOf } from '../shared/schedule/law.ts';",
    '',
    'export function startAgent(): void {',
    "  request(nameOf({ kind: 'even' }));",
    '}',
    '',
  ].join('\n'),
  'agent/client/undici/undici-connection.ts': [
    "import { Agent } from 'undici';",
    '',
    'export function request(_name: string): Agent {',
    '  return new Agent();',
    '}',
    '',
  ].join('\n'),
  'coordinator/main.ts': 'process.exitCode = 0;\n',
  'shared/schedule/law.ts': [
    "export type Law = { readonly kind: 'even' } | { readonly kind: 'poisson' };",
    '',
    'export function nameOf(law: Law): string {',
    '  switch (law.kind) {',
    "    case 'even':",
    "      return 'evenly spaced';",
    "    case 'poisson':",
    "      return 'Poisson';",
    '  }',
    '}',
    '',
  ].join('\n'),
  'proto/loadfleet/v1/probe.proto': [
    'syntax = "proto3";',
    '',
    'package loadfleet.v1;',
    '',
    'message Probe {',
    '  int64 sent_ns = 1;',
    '}',
    '',
  ].join('\n'),
};

/** One planted project; `remove` it at the end. */
export class PlantedProject {
  readonly root: string;
  readonly #scripts: Readonly<Record<string, string>>;

  constructor() {
    this.root = mkdtempSync(join(tmpdir(), 'loadfleet-gate-'));
    const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
    this.#scripts = manifest.scripts;
    symlinkSync(resolve('node_modules'), join(this.root, 'node_modules'), 'dir');
    for (const path of CONFIGURATION)
      this.#place(path, (target) => {
        copyFileSync(path, target);
      });
    for (const [path, text] of Object.entries(FILES)) this.write(path, text);
    const { undici } = manifest.dependencies;
    const { '@bufbuild/buf': buf, 'dependency-cruiser': cruiser } = manifest.devDependencies;
    this.write(
      'package.json',
      `${JSON.stringify({ name: 'planted', type: 'module', dependencies: { undici }, devDependencies: { '@bufbuild/buf': buf, 'dependency-cruiser': cruiser } }, null, 2)}\n`,
    );
  }

  /** Writes a file, folders included. */
  write(path: string, text: string): void {
    this.#place(path, (target) => {
      writeFileSync(target, text);
    });
  }

  /** Replaces `from` by `to` in a file; an error where `from` is not there, so that no plant is silently missing. */
  replace(path: string, from: string, to: string): void {
    const text = readFileSync(join(this.root, path), 'utf8');
    if (!text.includes(from)) throw new Error(`${path} does not contain ${JSON.stringify(from)}`);
    this.write(
      path,
      text.replace(from, () => to),
    );
  }

  /** Runs a script of this project's package.json in the planted one. */
  run(script: string): GateResult {
    const command = this.#scripts[script];
    if (command === undefined) throw new Error(`package.json has no script ${script}`);
    const { status, stdout, stderr } = spawnSync(command, {
      shell: true,
      cwd: this.root,
      encoding: 'utf8',
      env: {
        ...process.env,
        NO_COLOR: '1',
        PATH: `${resolve('node_modules/.bin')}${delimiter}${process.env['PATH'] ?? ''}`,
      },
    });
    return { exitCode: status, output: `${stdout}${stderr}` };
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  #place(path: string, put: (target: string) => void): void {
    const target = join(this.root, path);
    mkdirSync(dirname(target), { recursive: true });
    put(target);
  }
}
