/**
 * Documents that stay true: links lead somewhere, files that are named exist, and the commands that are shown are there.
 */
import { posix } from 'node:path';
import type { ProjectFile } from './project-files.ts';

const FENCE = /^(```|~~~).*?^\1\s*$/gms;
const LINK = /\[[^\]]*\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g;
const ABSOLUTE = /^[a-z][a-z0-9+.-]*:/i;
/** A path of ours in backticks: a folder of the project, and an extension. Patterns and placeholders are left alone. */
const NAMED_FILE = /`((?:shared|agent|coordinator|cli|target|proto|test|bench|docs|deploy|examples)\/[\w./-]+\.\w+)`/g;

/** The anchor that Markdown renderers give to a heading. */
function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}

function anchorsIn(text: string): Set<string> {
  const headings = text.replaceAll(FENCE, '').matchAll(/^#{1,6}\s+(.+)$/gm);
  return new Set([...headings].map((match) => anchorOf(match[1] ?? '')));
}

/** Links to files or headings that are not there, and named files that are not there. */
export function linkFaults(files: readonly ProjectFile[], exists: (path: string) => boolean): string[] {
  const documents = files.filter(({ path }) => path.endsWith('.md'));
  const textOf = new Map(documents.map(({ path, text }) => [path, text]));
  return documents.flatMap(({ path, text }) => {
    const prose = text.replaceAll(FENCE, '');
    const faults: string[] = [];
    for (const [, target = ''] of prose.matchAll(LINK)) {
      if (ABSOLUTE.test(target)) continue;
      const [file = '', anchor] = target.split('#');
      const resolved = file === '' ? path : posix.normalize(posix.join(posix.dirname(path), decodeURI(file)));
      const targetText = textOf.get(resolved);
      if (file !== '' && !exists(resolved)) faults.push(`${path}: dead link ${target}`);
      else if (anchor !== undefined && targetText !== undefined && !anchorsIn(targetText).has(anchor)) {
        faults.push(`${path}: dead link ${target}: no such heading`);
      }
    }
    for (const [, named = ''] of prose.matchAll(NAMED_FILE)) {
      if (!exists(named)) faults.push(`${path}: names ${named}, which does not exist`);
    }
    return faults;
  });
}

const NPM_RUN = /\bnpm (?:run (?:-s |--silent )?([\w:-]+)|(start|test)\b)/g;

/** `npm run X`, `npm start` and `npm test` in a document, for scripts that package.json does not have. */
export function commandFaults(files: readonly ProjectFile[]): string[] {
  const manifest = files.find(({ path }) => path === 'package.json');
  if (manifest === undefined) return ['package.json was not found'];
  const { scripts = {} } = JSON.parse(manifest.text) as { scripts?: Record<string, string> };
  return files
    .filter(({ path }) => path.endsWith('.md'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(NPM_RUN)]
        .map(([, run, short]) => run ?? short ?? '')
        .filter((name) => scripts[name] === undefined)
        .map((name) => `${path}: shows "npm run ${name}", which package.json does not have`),
    );
}
