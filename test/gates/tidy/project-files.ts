/**
 * The files that the tidy rules look at, read once, and the one way to say what is wrong in them.
 * Installed, built and generated files, and data of others under test/data, are left out.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** One text file of the project; `path` is from the project's root, with forward slashes. */
export interface ProjectFile {
  readonly path: string;
  readonly text: string;
}

/** A TypeScript file, parsed. */
export interface SourceFile extends ProjectFile {
  readonly tree: ts.SourceFile;
}

const SKIPPED_FOLDERS = new Set(['node_modules', 'dist', 'loadfleet-results', 'proto/gen', 'test/data']);
const TEXT =
  /\.(?:ts|cjs|js|json|md|proto|ya?ml|sh|txt|csv|html)$|^(?:LICENSE|NOTICE|Dockerfile|\.ci\/run|\.gitignore)$/;

/** Folders of the running program. */
const PRODUCT_FOLDERS = ['shared', 'agent', 'coordinator', 'cli', 'target'] as const;

/** Every text file below `root` that is ours, in a fixed order. */
export function readProject(root: string): ProjectFile[] {
  const found: ProjectFile[] = [];
  const walk = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      const hidden = entry.name.startsWith('.') && entry.name !== '.ci';
      if (entry.isDirectory() && !hidden && !SKIPPED_FOLDERS.has(path)) walk(path);
      else if (entry.isFile() && TEXT.test(path) && path !== 'package-lock.json') {
        found.push({ path, text: readFileSync(join(root, path), 'utf8') });
      }
    }
  };
  walk('');
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The TypeScript files among `files`, parsed. */
export function parseSources(files: readonly ProjectFile[]): SourceFile[] {
  return files
    .filter((file) => file.path.endsWith('.ts'))
    .map((file) => ({ ...file, tree: ts.createSourceFile(file.path, file.text, ts.ScriptTarget.ESNext, true) }));
}

/** Whether the file belongs to the running program (not tests, benches, tools). */
export function isProduct(path: string): boolean {
  return PRODUCT_FOLDERS.some((folder) => path.startsWith(`${folder}/`));
}

/** Calls `visit` for every node of the file, parents first. */
export function visitNodes(file: SourceFile, visit: (node: ts.Node) => void): void {
  const walk = (node: ts.Node): void => {
    visit(node);
    ts.forEachChild(node, walk);
  };
  walk(file.tree);
}

/** `path:line`, for a node of `file`. */
export function placeOf(file: SourceFile, node: ts.Node): string {
  const { line } = file.tree.getLineAndCharacterOfPosition(node.getStart(file.tree));
  return `${file.path}:${line + 1}`;
}
