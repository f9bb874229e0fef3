/**
 * One word, one meaning (docs/glossary.md): identifiers that use a word we gave up, leftover marks, and paths that exist on
 * one machine only.
 */
import ts from 'typescript';
import { type ProjectFile, placeOf, type SourceFile, visitNodes } from './project-files.ts';

/** Words that no identifier may contain, and what we say instead. */
const REPLACED_WORDS: ReadonlyMap<string, string> = new Map([
  ['attack', 'run'],
  ['hit', 'request'],
  ['qps', 'ratePerSecond'],
  ['rps', 'ratePerSecond'],
  ['vu', 'arrival or session'],
  ['vus', 'arrivals or sessions'],
]);

/** `latency` with nothing before it says neither from where nor to where it is measured. */
const BARE_LATENCY = /^_?latenc(?:y|ies)(?:Ns|Us|Ms|Seconds|S)?$/i;
const SIMULATED_PERSON = /virtual_?user/i;

/** The words of a camelCase, PascalCase or SNAKE_CASE name, in lower case. */
function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(/[\s_$]+/)
    .map((word) => word.toLowerCase());
}

function faultOfName(name: string): string | undefined {
  if (BARE_LATENCY.test(name)) return 'say which: response, service, lag or wakeLag';
  if (SIMULATED_PERSON.test(name)) return 'say arrival or session';
  const word = wordsOf(name).find((each) => REPLACED_WORDS.has(each));
  return word === undefined ? undefined : `say ${REPLACED_WORDS.get(word) ?? ''}`;
}

/** Identifiers with a word that we do not use. */
export function identifierFaults(sources: readonly SourceFile[]): string[] {
  const faults: string[] = [];
  for (const file of sources) {
    visitNodes(file, (node) => {
      if (!ts.isIdentifier(node)) return;
      const advice = faultOfName(node.text);
      if (advice !== undefined) faults.push(`${placeOf(file, node)}: identifier ${node.text}: ${advice}`);
    });
  }
  return faults;
}

// Written in pieces, so that this file does not report itself.
const LEFTOVERS = new RegExp(`\\b(?:${['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX', 'HA' + 'CK'].join('|')})\\b`);
const MACHINE_FOLDERS = ['home', 'Users', 'root', 'work', 'mnt'];
const MACHINE_PATH = new RegExp(`(?<![\\w.:/\\-$}])/(?:${MACHINE_FOLDERS.join('|')})/[\\w.]`);

/** Leftover marks and paths of one machine, in any text file. */
export function textFaults(files: readonly ProjectFile[]): string[] {
  return files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => {
      const mark = LEFTOVERS.exec(line)?.[0];
      const machine = MACHINE_PATH.exec(line)?.[0];
      const faults: string[] = [];
      if (mark !== undefined) faults.push(`${path}:${index + 1}: leftover mark ${mark}: do it, or file it as an issue`);
      if (machine !== undefined) faults.push(`${path}:${index + 1}: path of one machine: ${machine}...`);
      return faults;
    }),
  );
}
