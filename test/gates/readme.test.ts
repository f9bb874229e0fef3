/**
 * Every command line that the documents show is one that the program knows: its verb exists, and so does each of its flags.
 * (That the npm scripts exist, and that links lead somewhere, is the tidy test's.)
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** Verbs of two words. */
const PLAN = 'plan';

interface ShownCommand {
  readonly document: string;
  readonly verb: readonly string[];
  readonly flags: readonly string[];
}

/** `loadfleet -- VERB ...` in a checkout and `loadfleet VERB ...` where it is installed, in code blocks only. */
function shownCommands(document: string): ShownCommand[] {
  const text = readFileSync(document, 'utf8');
  const blocks = [...text.matchAll(/^```(?:sh|bash|console)\n(.*?)^```/gms)].map((match) => match[1] ?? '');
  const lines = blocks.flatMap((block) => block.replaceAll('\\\n', ' ').split('\n'));
  return lines.flatMap((line) => {
    const words = /(?:^|\s)loadfleet (?:-- )?([a-z].*)$/
      .exec(line)?.[1]
      ?.replace(/\s#.*$/, '')
      .split(/\s+/);
    if (words === undefined) return [];
    const verb = words[0] === PLAN ? words.slice(0, 2) : words.slice(0, 1);
    return [
      { document, verb, flags: words.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0] ?? '') },
    ];
  });
}

const documents = ['README.md', 'CONTRIBUTING.md', ...readdirSync('docs').map((name) => `docs/${name}`)].filter(
  (path) => path.endsWith('.md'),
);
const commands = documents.flatMap(shownCommands);

describe('commands in the documents', () => {
  it('are found at all', () => {
    expect(commands.length).toBeGreaterThan(2);
  });

  it.each(commands)('$document: loadfleet $verb $flags', ({ verb, flags }) => {
    const help = spawnSync(process.execPath, ['cli/loadfleet.cjs', ...verb, '--help'], { encoding: 'utf8' });
    expect(help.status).toBe(0);
    expect(help.stdout).toContain(`Usage: loadfleet ${verb.join(' ')}`);
    for (const flag of flags) expect(help.stdout).toContain(flag);
  });
});
