/**
 * Every file of the shared core that computes something is looked at by a test: one at the same path, or one of its folder
 * that imports it. Inner parts that only show through a whole are named here with the test of that whole.
 */
import { posix } from 'node:path';
import ts from 'typescript';
import { type SourceFile, visitNodes } from './project-files.ts';

/** Files that are tested through another one, because what they promise is a part of what that one says. */
export interface TestedThrough {
  readonly test: string;
  readonly files: readonly string[];
  readonly why: string;
}

const TESTED_THROUGH: readonly TestedThrough[] = [
  {
    test: 'test/unit/shared/plan/dataset.test.ts',
    files: ['shared/plan/build-dataset.ts', 'shared/plan/dataset-grammar.ts'],
    why: 'the key of a plan and what is made of it: whole plans with datasets are parsed',
  },
  {
    test: 'test/unit/shared/plan/parse-plan.test.ts',
    files: [
      'shared/plan/check-rows.ts',
      'shared/plan/data-rows.ts',
      'shared/plan/further-problems.ts',
      'shared/plan/late-policy.ts',
      'shared/plan/plan-field.ts',
      'shared/plan/plan-grammar.ts',
      'shared/plan/plan-sources.ts',
      'shared/plan/problem-list.ts',
      'shared/plan/record-field.ts',
      'shared/plan/slo-field.ts',
    ],
    why: 'parts of the grammar: what counts is the typed plan, or the message, that a text gives',
  },
  {
    test: 'test/unit/shared/plan/build-phases.test.ts',
    files: ['shared/plan/compile-shape.ts', 'shared/plan/load-grammar.ts'],
    why: 'what a phase of a plan becomes, and the message where it cannot be: whole plans are parsed',
  },
  {
    test: 'test/unit/shared/plan/build-requests.test.ts',
    files: ['shared/plan/header-field.ts', 'shared/plan/http-syntax.ts', 'shared/plan/status-field.ts'],
    why: 'parts of a request of a plan: what counts is the request, or the message, that a text gives',
  },
  {
    test: 'test/unit/shared/plan/closed-loop.test.ts',
    files: ['shared/plan/closed-phase.ts', 'shared/plan/phase-law.ts'],
    why: 'what a phase of a plan becomes, and the message where it cannot be: whole plans are parsed',
  },
  {
    test: 'test/unit/shared/plan/plan-from-flags.test.ts',
    files: ['shared/plan/plan-edits.ts'],
    why: 'an edit is what a flag does to a plan file',
  },
  {
    test: 'test/golden/plan/plan-docs.test.ts',
    files: ['shared/plan/plan-schema.ts'],
    why: 'the published schema is compared as a whole, and plans are checked against it',
  },
];

/** Whether anything in the file can be run. Types and tables of constants cannot be tested by themselves. */
function computes(file: SourceFile): boolean {
  let found = false;
  visitNodes(file, (node) => {
    found ||= ts.isFunctionDeclaration(node) || ts.isArrowFunction(node) || ts.isMethodDeclaration(node);
  });
  return found;
}

const TEST_KINDS = ['unit', 'property'];
/** Parts of `shared` whose files may be tested through real sockets instead: a unit test would test its own fakes. */
const WITH_SOCKETS = 'shared/rpc/';

/** The files that `file` imports, as paths from the root. */
function importsOf(file: SourceFile): string[] {
  return file.tree.statements.flatMap((statement) => {
    const isImport = ts.isImportDeclaration(statement) && ts.isStringLiteral(statement.moduleSpecifier);
    if (!isImport || !statement.moduleSpecifier.text.startsWith('.')) return [];
    return [posix.join(posix.dirname(file.path), statement.moduleSpecifier.text)];
  });
}

/** Everything that can be reached from `start` by imports. */
function reachableFrom(start: string, imports: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reached = new Set<string>([start]);
  for (const path of reached) for (const next of imports.get(path) ?? []) reached.add(next);
  return reached;
}

/** Files of the shared core that compute something and that no test looks at. */
export function untestedFaults(
  sources: readonly SourceFile[],
  testedThrough: readonly TestedThrough[] = TESTED_THROUGH,
): string[] {
  const imports = new Map(sources.map((file) => [file.path, importsOf(file)]));
  const tests = [...imports].filter(([path]) => path.endsWith('.test.ts'));
  const indirect = new Set(testedThrough.flatMap(({ files }) => files));
  return sources
    .filter((file) => file.path.startsWith('shared/') && computes(file) && !indirect.has(file.path))
    .filter(({ path }) => {
      const kinds = path.startsWith(WITH_SOCKETS) ? [...TEST_KINDS, 'integration'] : TEST_KINDS;
      return !kinds.some((kind) => {
        const folder = `test/${kind}/${posix.dirname(path)}/`;
        const own = `test/${kind}/${path.replace(/\.ts$/, '.test.ts')}`;
        return tests.some(([test, seen]) => test === own || (test.startsWith(folder) && seen.includes(path)));
      });
    })
    .map(({ path }) => `${path}: no unit test at its path, and none of its folder imports it`);
}

/** Entries of the list above whose file is gone, or that its test does not reach. */
export function staleTestedThrough(
  sources: readonly SourceFile[],
  testedThrough: readonly TestedThrough[] = TESTED_THROUGH,
): string[] {
  const imports = new Map(sources.map((file) => [file.path, importsOf(file)]));
  return testedThrough.flatMap(({ test, files }) => {
    const reached = reachableFrom(test, imports);
    return files
      .filter((path) => !imports.has(path) || !reached.has(path))
      .map((path) => `${path} is said to be tested through ${test}, which does not reach it`);
  });
}
