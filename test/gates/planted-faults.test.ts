/**
 * Each gate of `npm run check` is shown to pass a sound little project and to fail on one planted fault, for the right
 * reason. A gate that cannot fail guards nothing.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { PlantedProject } from './planted-project.ts';

let project: PlantedProject;

/** A sound project for each test: plants do not meet. */
beforeEach(() => {
  project = new PlantedProject();
  return () => {
    project.remove();
  };
});

/** Expects the gate to pass as things are. */
function expectPass(gate: string): void {
  const { exitCode, output } = project.run(gate);
  expect({ exitCode, output: exitCode === 0 ? '' : output }).toEqual({ exitCode: 0, output: '' });
}

/** Expects the gate to fail and to say `message`. */
function expectFailure(gate: string, ...messages: (string | RegExp)[]): void {
  const { exitCode, output } = project.run(gate);
  for (const message of messages) expect(output).toMatch(message);
  expect(exitCode).not.toBe(0);
}

describe('format', () => {
  it('passes the sound project, fails on a double space', () => {
    expectPass('check:format');
    project.replace('coordinator/main.ts', ' = 0', '  =  0');
    expectFailure('check:format', 'coordinator/main.ts format');
  });
});

describe('types', () => {
  it('passes the sound project, fails on a possibly missing element', () => {
    expectPass('check:types');
    project.write('shared/schedule/first.ts', 'export function first(all: number[]): number {\n  return all[0];\n}\n');
    expectFailure('check:types', /shared\/schedule\/first\.ts.*TS2322/);
  });

  it('fails on syntax that Node cannot erase', () => {
    project.write('shared/schedule/kind.ts', 'export enum Kind {\n  Even,\n}\n');
    expectFailure('check:types', /shared\/schedule\/kind\.ts.*TS1294/);
  });
});

describe('lint', () => {
  it('passes the sound project, fails on what tsc lets through', () => {
    expectPass('check:lint');
    project.write('agent/floating.ts', 'export function start(work: () => Promise<void>): void {\n  work();\n}\n');
    project.replace(
      'shared/schedule/law.ts',
      "    case 'poisson':\n      return 'Poisson';\n",
      "    default:\n      return '?';\n",
    );
    project.write('agent/thrown.ts', "export function fail(): never {\n  throw 'text';\n}\n");
    project.write('agent/default.ts', 'export default 1;\n');
    project.write(
      'agent/private.ts',
      'export class Count {\n  private n = 0;\n  next(): number {\n    return this.n++;\n  }\n}\n',
    );
    project.write(
      'agent/long.ts',
      `export function long(into: number[]): void {\n${'  into.push(1);\n'.repeat(71)}}\n`,
    );
    expectFailure(
      'check:lint',
      '@typescript-eslint/no-floating-promises',
      '@typescript-eslint/switch-exhaustiveness-check',
      '@typescript-eslint/only-throw-error',
      'Named exports only',
      'Private members are written #x',
      'max-lines-per-function',
    );
  });
});

/** One planted crossing: the file, what it imports, and the rule that must say so. */
const CROSSINGS = [
  ['agent -> coordinator', 'agent/planted.ts', "import '../coordinator/main.ts';", 'agent-imports-only'],
  [
    'coordinator -> agent, types only',
    'coordinator/planted.ts',
    "import type { A } from '../agent/main.ts';",
    'coordinator-imports-only',
  ],
  ['target -> agent', 'target/planted.ts', "import '../agent/main.ts';", 'target-imports-only'],
  ['shared -> agent', 'shared/schedule/planted.ts', "import '../../agent/main.ts';", 'shared-imports-only'],
  ['product -> test', 'cli/planted.ts', "import '../test/gates/check-borders.ts';", 'cli-imports-only'],
  ['pure core -> node:fs', 'shared/stats/planted.ts', "import 'node:fs';", 'pure-core'],
  ['second file importing undici', 'agent/second.ts', "import 'undici';", 'one-place-for-undici'],
  ['library without a place', 'agent/third.ts', "import 'typescript';", 'unlisted-library'],
  [
    'generated code outside shared/rpc',
    'agent/fourth.ts',
    "import '../proto/gen/probe_pb.ts';",
    'generated-code-only-in-rpc',
  ],
  ['missing file', 'agent/fifth.ts', "import './missing.ts';", 'unresolvable'],
  [
    'cycle of type imports',
    'shared/plan/a.ts',
    "import type { B } from './b.ts';\nexport type A = { b: B };",
    'no-cycle',
  ],
] as const;

describe('borders', () => {
  it('passes the sound project and says how many modules it saw', () => {
    const { exitCode, output } = project.run('check:borders');
    expect(output).toMatch(/borders: \d+ modules seen, 0 crossings, 0 files unseen/);
    expect(exitCode).toBe(0);
  });

  it('fails on every planted crossing, each by its own rule', () => {
    project.write('proto/gen/probe_pb.ts', 'export const probe = 1;\n');
    project.write('shared/plan/b.ts', "import type { A } from './a.ts';\nexport type B = { a: A };\n");
    for (const [, file, statement] of CROSSINGS) project.write(file, `${statement}\n`);
    const { exitCode, output } = project.run('check:borders');
    const said = output.split('\n').filter((line) => line.startsWith('border '));
    for (const [title, file, , rule] of CROSSINGS) {
      const own = said.filter((line) => line.startsWith(`border ${rule}`) && line.includes(`${file} ->`));
      expect({ title, times: own.length }).toEqual({ title, times: 1 });
    }
    // The cycle is told from both of its files.
    expect(said).toHaveLength(CROSSINGS.length + 1);
    expect(exitCode).toBe(1);
  });

  it('fails when it looks at nothing, as with a TypeScript that it cannot load', () => {
    project.replace('.dependency-cruiser.cjs', 'doNotFollow:', "exclude: { path: '[.]ts$' },\n    doNotFollow:");
    expectFailure('check:borders', 'border check never looked at agent/main.ts');
  });
});

describe('unused code', () => {
  it('passes the sound project, fails on an export, a file and a package that nobody uses', () => {
    expectPass('check:unused');
    project.replace('shared/schedule/law.ts', 'export type Law', 'export const unusedLaw = 1;\n\nexport type Law');
    project.write('shared/schedule/orphan.ts', 'export const orphan = 1;\n');
    project.replace('package.json', '"undici"', '"piscina": "5.3.2",\n    "undici"');
    expectFailure('check:unused', 'unusedLaw', 'shared/schedule/orphan.ts', 'piscina');
  });
});

describe('proto', () => {
  /** Brings generated code and baseline up to date, as `npm run proto` does. */
  function generate(): void {
    expectPass('proto:baseline');
    expect(project.run('proto').output).not.toMatch(/error|failure/i);
  }

  it('lint fails on a name that is not lower_snake_case', () => {
    expectPass('check:proto-lint');
    project.replace('proto/loadfleet/v1/probe.proto', 'sent_ns', 'sentNs');
    expectFailure('check:proto-lint', 'lower_snake_case');
  });

  it('breaking fails on a field whose type changed', () => {
    expectPass('proto:baseline');
    expectPass('check:proto-breaking');
    project.replace('proto/loadfleet/v1/probe.proto', 'int64 sent_ns', 'string sent_ns');
    expectFailure('check:proto-breaking', 'changed type from "int64" to "string"');
  });

  it('drift fails on generated code that was edited by hand, is missing, or belongs to no .proto file', () => {
    generate();
    expectPass('check:proto-drift');
    project.replace('proto/gen/loadfleet/v1/probe_pb.ts', 'sentNs', 'sentMs');
    project.write('proto/gen/loadfleet/v1/old_pb.ts', '');
    project.write('proto/loadfleet/v1/late.proto', 'syntax = "proto3";\n\npackage loadfleet.v1;\n\nmessage Late {}\n');
    expectFailure(
      'check:proto-drift',
      'probe_pb.ts differs',
      'old_pb.ts is made by no .proto file',
      'late_pb.ts is missing',
      'baseline.binpb is not the image',
    );
  });
});
