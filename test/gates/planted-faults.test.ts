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
      'agent/long.ts',
      `export function long(into: number[]): void {\n${'  into.push(1);\n'.repeat(71)}}\n`,
    );
    expectFailure(
      'check:lint',
      '@typescript-eslint/no-floating-promises',
      '@typescript-eslint/switch-exhaustiveness-check',
      '@typescript-eslint/only-throw-error',
      'Named exports only',
      'max-lines-per-function',
    );
  });
});

describe('borders', () => {
  it('passes the sound project and says how many modules it saw', () => {
    const { exitCode, output } = project.run('check:borders');
    expect(output).toMatch(/borders: \d+ modules seen, 0 crossings, 0 files unseen/);
    expect(exitCode).toBe(0);
  });

  it.each([
    ['agent -> coordinator', 'agent/main.ts', '../coordinator/main.ts', 'agent-imports-only'],
    [
      'coordinator -> agent, types only',
      'coordinator/main.ts',
      '{ type startAgent } ../agent/main.ts',
      'coordinator-imports-only',
    ],
    ['shared -> agent', 'shared/schedule/law.ts', '../../agent/main.ts', 'shared-imports-only'],
    ['pure core -> node:fs', 'shared/schedule/law.ts', 'node:fs', 'pure-core'],
    ['second file importing undici', 'agent/main.ts', 'undici', 'one-place-for-undici'],
    ['library without a place', 'agent/main.ts', 'typescript', 'unlisted-library'],
    ['product -> test', 'cli/main.ts', '../test/gates/check-borders.ts', 'cli-imports-only'],
    ['generated code outside shared/rpc', 'agent/main.ts', '../proto/gen/probe_pb.ts', 'generated-code-only-in-rpc'],
    ['missing file', 'agent/main.ts', './missing.ts', 'unresolvable'],
  ])('fails on %s', (_title, file, target, rule) => {
    project.write('proto/gen/probe_pb.ts', 'export const probe = 1;\n');
    const [, names, path] = /^(?:(\{.*\}) )?(.*)$/.exec(target) ?? [];
    const statement =
      names === undefined
        ? `import '${path ?? ''}';`
        : `import type ${names.replace('type ', '')} from '${path ?? ''}';`;
    project.write(file, `${statement}\n`);
    expectFailure('check:borders', `border ${rule}`);
  });

  it('fails on a cycle of type imports', () => {
    project.write('shared/schedule/a.ts', "import type { B } from './b.ts';\n\nexport type A = { b: B };\n");
    project.write('shared/schedule/b.ts', "import type { A } from './a.ts';\n\nexport type B = { a: A };\n");
    expectFailure('check:borders', 'border no-cycle');
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
