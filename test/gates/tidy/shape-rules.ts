/**
 * What every file looks like: small, named for one concept, opened by a comment that says what it is for; and every file
 * of the shared core that computes something has a unit test at the same path.
 */
import ts from 'typescript';
import { isProduct, placeOf, type ProjectFile, type SourceFile, visitNodes } from './project-files.ts';

const LINES_MAX = 400;
const TEST_LINES_MAX = 800;
/** Nine product files in ten are at most this long. */
const LINES_P90_MAX = 300;
const LINES_P90_FROM_FILES = 20;

const KEBAB = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.(?:test|config|bench|gen))?\.(?:ts|cjs)$/;
const DRAWERS = new Set(['utils', 'util', 'helpers', 'helper', 'common', 'misc', 'types', 'enums', 'mixins']);

function linesIn(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}

/** Files that are too long, and a product whose files are long on the whole. */
export function sizeFaults(sources: readonly SourceFile[]): string[] {
  const faults = sources.flatMap(({ path, text }) => {
    const limit = path.startsWith('test/') ? TEST_LINES_MAX : LINES_MAX;
    const lines = linesIn(text);
    return lines > limit ? [`${path}: ${lines} lines, the limit is ${limit}: it holds more than one concept`] : [];
  });
  const sizes = sources
    .filter(({ path }) => isProduct(path))
    .map(({ text }) => linesIn(text))
    .sort((a, b) => a - b);
  const p90 = sizes[Math.floor(0.9 * sizes.length)] ?? 0;
  if (sizes.length >= LINES_P90_FROM_FILES && p90 > LINES_P90_MAX) {
    faults.push(`one product file in ten has more than ${p90 - 1} lines, the limit is ${LINES_P90_MAX}`);
  }
  return faults;
}

/** File names that are not kebab-case, and drawers for anything. */
export function nameFaults(sources: readonly SourceFile[]): string[] {
  return sources.flatMap(({ path }) => {
    const parts = path.split('/');
    const file = parts.at(-1) ?? '';
    const faults: string[] = [];
    if (!KEBAB.test(file)) faults.push(`${path}: file names are kebab-case`);
    const drawer = parts.map((part) => part.replace(/\..*$/, '')).find((part) => DRAWERS.has(part));
    if (drawer !== undefined) faults.push(`${path}: "${drawer}" names no concept`);
    return faults;
  });
}

/** Product files that do not open with a comment. */
export function openingFaults(sources: readonly SourceFile[]): string[] {
  return sources
    .filter(({ path, text }) => isProduct(path) && !/^(?:#!.*\n)?\/\*\*?\s/.test(text))
    .map(({ path }) => `${path}: no opening comment: say what the module is for, promises, and is not for`);
}

const TEST_NAMES = new Set(['it', 'test', 'describe', 'suite']);

/** The leftmost name of `it.concurrent.only`. */
function rootName(node: ts.Expression): string | undefined {
  if (ts.isIdentifier(node)) return node.text;
  return ts.isPropertyAccessExpression(node) ? rootName(node.expression) : undefined;
}

/** `it.only`, `it.skip` and the like: a test is left out by a stated condition (`skipIf`, `runIf`), never by hand. */
export function leftOutFaults(sources: readonly SourceFile[]): string[] {
  const faults: string[] = [];
  for (const file of sources.filter(({ path }) => path.startsWith('test/'))) {
    visitNodes(file, (node) => {
      if (!ts.isPropertyAccessExpression(node) || !['only', 'skip', 'todo', 'fails'].includes(node.name.text)) return;
      const root = rootName(node.expression);
      if (root !== undefined && TEST_NAMES.has(root)) {
        faults.push(`${placeOf(file, node)}: ${node.getText(file.tree)}: state the condition with skipIf or runIf`);
      }
    });
    visitNodes(file, (node) => {
      if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return;
      const isContextSkip = node.expression.name.text === 'skip' && node.arguments.length === 0;
      const root = rootName(node.expression.expression);
      if (isContextSkip && (root === undefined || !TEST_NAMES.has(root))) {
        faults.push(`${placeOf(file, node)}: ${node.getText(file.tree)}: give the reason as an argument`);
      }
    });
  }
  return faults;
}

/** A folder of products without any source would make every rule above pass: the tree must be where we think it is. */
export function emptyProjectFaults(files: readonly ProjectFile[]): string[] {
  return files.some(({ path }) => isProduct(path))
    ? []
    : ['no product file was found: the tidy rules looked at nothing'];
}
