/**
 * All tidy rules over one project tree. Style that a machine can judge is judged here, so that reviews need not.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clockFaults, pureCoreFaults, staleAllowances } from './clock-rules.ts';
import { commandFaults, linkFaults } from './docs-rules.ts';
import { lockFaults, versionFaults } from './manifest-rules.ts';
import { parseSources, readProject } from './project-files.ts';
import { emptyProjectFaults, leftOutFaults, nameFaults, openingFaults, sizeFaults } from './shape-rules.ts';
import { staleTestedThrough, untestedFaults } from './test-rules.ts';
import { identifierFaults, textFaults } from './word-rules.ts';

/** One sentence per fault, by rule. */
export type TidyFaults = Readonly<Record<TidyRule, readonly string[]>>;

/** The names of the rules, as the tests title them. */
export type TidyRule =
  | 'clocks, timers and chance only in their files'
  | 'nothing of the host in the pure core'
  | 'no allowance that nobody needs'
  | 'words of the glossary only'
  | 'no leftover marks, no path of one machine'
  | 'files are small'
  | 'files are named for one concept'
  | 'every module says what it is for'
  | 'every shared file that computes has its unit test'
  | 'what is said to be tested through another file is'
  | 'no test left out by hand'
  | 'documents: links and named files exist'
  | 'documents: commands exist'
  | 'versions are exact'
  | 'the lock file is whole'
  | 'the project was found';

/** Judges the tree at `root`. */
export function tidy(root: string): TidyFaults {
  const files = readProject(root);
  const sources = parseSources(files);
  return {
    'clocks, timers and chance only in their files': clockFaults(sources),
    'nothing of the host in the pure core': pureCoreFaults(sources),
    'no allowance that nobody needs': staleAllowances(sources),
    'words of the glossary only': identifierFaults(sources),
    'no leftover marks, no path of one machine': textFaults(files),
    'files are small': sizeFaults(sources),
    'files are named for one concept': nameFaults(sources),
    'every module says what it is for': openingFaults(sources),
    'every shared file that computes has its unit test': untestedFaults(sources),
    'what is said to be tested through another file is': staleTestedThrough(sources),
    'no test left out by hand': leftOutFaults(sources),
    'documents: links and named files exist': linkFaults(files, (path) => existsSync(join(root, path))),
    'documents: commands exist': commandFaults(files),
    'versions are exact': versionFaults(files),
    'the lock file is whole': lockFaults(readFileSync(join(root, 'package-lock.json'), 'utf8')),
    'the project was found': emptyProjectFaults(files),
  };
}
