/**
 * Each tidy rule is shown to pass sound text and to fail on one planted fault. The plants are written in pieces where the
 * whole would be a fault of this very file.
 */
import { describe, expect, it } from 'vitest';
import { clockFaults, pureCoreFaults, staleAllowances } from './tidy/clock-rules.ts';
import { commandFaults, linkFaults } from './tidy/docs-rules.ts';
import { lockFaults, versionFaults } from './tidy/manifest-rules.ts';
import { parseSources, type SourceFile } from './tidy/project-files.ts';
import { emptyProjectFaults, leftOutFaults, nameFaults, openingFaults, sizeFaults } from './tidy/shape-rules.ts';
import { staleTestedThrough, untestedFaults } from './tidy/test-rules.ts';
import { identifierFaults, textFaults } from './tidy/word-rules.ts';

/** One parsed file. */
function source(path: string, text: string): SourceFile[] {
  return parseSources([{ path, text }]);
}

describe('clocks, timers and chance', () => {
  it.each([
    'const t = Date.now();',
    'const t = new Date();',
    'const t = performance.now();',
    'const t = process.hrtime.bigint();',
    'const r = Math.random();',
    'setInterval(tick, 5);',
    'globalThis.setTimeout(tick, 5);',
    'const later = setImmediate;',
    "import { setTimeout as sleep } from 'node:timers/promises';",
    'const id = crypto.randomUUID();',
  ])('fails on %s', (text) => {
    expect(clockFaults(source('agent/worker/x.ts', text), [])).not.toEqual([]);
  });

  it.each([
    '// Date.now() is not used here.',
    "const name = 'Math.random';",
    'const day = new Date(0);',
    'interface Timers { setTimeout(work: () => void): void }',
    'timer.start();',
    'ports.timers.setTimeout(work, 1);',
  ])('passes %s', (text) => {
    expect(clockFaults(source('agent/worker/x.ts', text), [])).toEqual([]);
  });

  it('passes what a file is allowed, and nothing more', () => {
    const allowances = [{ path: 'agent/worker/pacer.ts', calls: ['setImmediate'], why: 'a planted reason' }];
    const file = source('agent/worker/pacer.ts', 'setImmediate(a); setTimeout(b, 1);');
    expect(clockFaults(file, allowances)).toEqual([expect.stringContaining('pacer.ts:1: setTimeout')]);
    expect(staleAllowances(file, allowances)).toEqual([]);
    expect(staleAllowances(source('agent/worker/pacer.ts', 'run();'), allowances)).toHaveLength(1);
  });

  it('leaves tests and benches alone', () => {
    expect(clockFaults(source('bench/micro/x.ts', 'performance.now();'), [])).toEqual([]);
  });
});

describe('pure core', () => {
  it('fails on a global of the host, passes it elsewhere and as a property', () => {
    expect(pureCoreFaults(source('shared/stats/x.ts', 'console.log(1);'))).toHaveLength(1);
    expect(pureCoreFaults(source('shared/stats/x.ts', 'fetch(1);'))).toHaveLength(1);
    expect(pureCoreFaults(source('shared/stats/x.ts', 'a.fetch(1); const o = { process: 1 };'))).toEqual([]);
    expect(pureCoreFaults(source('shared/rpc/x.ts', 'process.on(1);'))).toEqual([]);
  });
});

describe('words', () => {
  it.each(['latency', 'latencyNs', 'attackRate', 'cacheHit', 'QPS', 'maxQps', 'virtualUsers', 'targetRps'])(
    'fails on the identifier %s',
    (name) => {
      expect(identifierFaults(source('cli/x.ts', `const ${name} = 1;`))).toHaveLength(1);
    },
  );

  it.each(['interTokenLatencyNs', 'white', 'hitherto', 'wakeLagNs'])('passes the identifier %s', (name) => {
    expect(identifierFaults(source('cli/x.ts', `const ${name} = 1;`))).toEqual([]);
  });

  it.each([
    `// ${'TO' + 'DO'}: later`,
    `# ${'FIX' + 'ME'}`,
    ['see ', 'home', 'me'].join('/'),
    ['cat ', 'work', 'x'].join('/'),
  ])('fails on the text %s', (text) => {
    expect(textFaults([{ path: 'docs/x.md', text }])).toHaveLength(1);
  });

  it.each(['/usr/bin/env bash', '../shared/data/x.csv', 'https://example.org/home/x', 'a `TODOs` list'])(
    'passes the text %s',
    (text) => {
      expect(textFaults([{ path: 'docs/x.md', text }])).toEqual([]);
    },
  );
});

describe('shape', () => {
  it('fails on a long file and on a product of long files', () => {
    expect(sizeFaults(source('agent/x.ts', '\n'.repeat(400)))).toEqual([]);
    expect(sizeFaults(source('agent/x.ts', '\n'.repeat(401)))).toHaveLength(1);
    const files = Array.from({ length: 20 }, (_, index) => ({ path: `agent/f${index}.ts`, text: '\n'.repeat(301) }));
    expect(sizeFaults(parseSources(files))).toEqual([expect.stringContaining('one product file in ten')]);
  });

  it.each(['agent/utils/x.ts', 'shared/types.ts', 'cli/RunVerb.ts', 'cli/run_verb.ts'])(
    'fails on the name %s',
    (path) => {
      expect(nameFaults(source(path, ''))).toHaveLength(1);
    },
  );

  it.each(['agent/worker/late-policy.ts', 'test/unit/x.test.ts', 'vitest.config.ts'])('passes the name %s', (path) => {
    expect(nameFaults(source(path, ''))).toEqual([]);
  });

  it('fails on a module without an opening comment', () => {
    expect(openingFaults(source('agent/x.ts', 'export const a = 1;'))).toHaveLength(1);
    expect(openingFaults(source('agent/x.ts', '/** What it is for. */\nexport const a = 1;'))).toEqual([]);
  });

  it('fails on a shared file that computes and has no unit test', () => {
    const file = { path: 'shared/stats/mean.ts', text: 'export function mean(): number { return 0; }' };
    expect(untestedFaults(parseSources([file]))).toEqual([
      expect.stringContaining('shared/stats/mean.ts: no unit test'),
    ]);
    const tested = [file, { path: 'test/unit/shared/stats/mean.test.ts', text: '' }];
    expect(untestedFaults(parseSources(tested))).toEqual([]);
    const text = "import { mean } from '../../../../shared/stats/mean.ts';";
    expect(untestedFaults(parseSources([file, { path: 'test/unit/shared/stats/moments.test.ts', text }]))).toEqual([]);
    expect(untestedFaults(parseSources([file, { path: 'test/unit/shared/plan/moments.test.ts', text }]))).toHaveLength(
      1,
    );
    expect(untestedFaults(source('shared/plan/plan.ts', 'export interface Plan { seed: number }'))).toEqual([]);
  });

  it('lets a part be tested through its whole, as long as that test reaches it', () => {
    const part = { path: 'shared/stats/part.ts', text: 'export function part(): number { return 0; }' };
    const whole = {
      path: 'shared/stats/whole.ts',
      text: "import { part } from './part.ts';\nexport const whole = part;",
    };
    const test = {
      path: 'test/unit/shared/stats/whole.test.ts',
      text: "import { whole } from '../../../../shared/stats/whole.ts';",
    };
    const list = [{ test: test.path, files: [part.path], why: 'a planted reason' }];
    expect(untestedFaults(parseSources([part, whole, test]), [])).toHaveLength(1);
    expect(untestedFaults(parseSources([part, whole, test]), list)).toEqual([]);
    expect(staleTestedThrough(parseSources([part, whole, test]), list)).toEqual([]);
    expect(staleTestedThrough(parseSources([part, { ...whole, text: '' }, test]), list)).toHaveLength(1);
    expect(staleTestedThrough(parseSources([whole, test]), list)).toHaveLength(1);
  });

  it.each(['it.only(a)', 'it.skip(a)', 'describe.concurrent.skip(a)', 'test.todo(a)', 'context.skip()'])(
    'fails on the test left out by %s',
    (text) => {
      expect(leftOutFaults(source('test/unit/x.test.ts', text))).toHaveLength(1);
    },
  );

  it.each(['it.skipIf(missing)(a)', "context.skip('nginx is not installed')", 'stream.skip(3)'])(
    'passes %s',
    (text) => {
      expect(leftOutFaults(source('test/unit/x.test.ts', text))).toEqual([]);
    },
  );

  it('fails when it finds no product at all', () => {
    expect(emptyProjectFaults([])).toHaveLength(1);
  });
});

describe('documents', () => {
  const exists = (path: string): boolean => path === 'docs/adr/0001-a.md' || path === 'shared/fleet-error.ts';

  it.each([
    ['docs/x.md', '[a](adr/0002-b.md)'],
    ['README.md', '[a](#nowhere)'],
    ['README.md', 'see `shared/gone.ts`'],
  ])('%s fails on %s', (path, text) => {
    expect(linkFaults([{ path, text }], exists)).toHaveLength(1);
  });

  it.each([
    ['docs/x.md', '[a](adr/0001-a.md) and [b](https://example.org/x)'],
    ['README.md', '# The run, and how to read it\n[a](#the-run-and-how-to-read-it)'],
    ['README.md', 'see `shared/fleet-error.ts` and `shared/<area>/x.ts`'],
    ['README.md', '```\n[a](gone.md)\n```\n'],
  ])('%s passes %s', (path, text) => {
    expect(linkFaults([{ path, text }], exists)).toEqual([]);
  });

  it('fails on a command that package.json does not have', () => {
    const manifest = { path: 'package.json', text: '{"scripts":{"start":"x","check":"y"}}' };
    const good = { path: 'README.md', text: '`npm ci && npm start`, `npm run -s check -- lint`' };
    expect(commandFaults([manifest, good])).toEqual([]);
    expect(commandFaults([manifest, { path: 'README.md', text: '`npm run chekc`' }])).toHaveLength(1);
    expect(commandFaults([manifest, { path: 'README.md', text: '`npm test`' }])).toHaveLength(1);
  });
});

describe('manifest', () => {
  it('fails on a range, passes exact versions', () => {
    const manifest = (version: string) => [{ path: 'package.json', text: `{"devDependencies":{"yaml":"${version}"}}` }];
    expect(versionFaults(manifest('^2.9.1'))).toHaveLength(1);
    expect(versionFaults(manifest('2.9.1'))).toEqual([]);
  });

  it('fails on a lock file without an optional package that is asked for, finds nested ones', () => {
    const lock = (packages: object) => JSON.stringify({ packages });
    const vite = { optionalDependencies: { fsevents: '2' } };
    expect(lockFaults(lock({ '': {}, 'node_modules/vite': vite }))).toEqual([expect.stringContaining('fsevents')]);
    expect(lockFaults(lock({ 'node_modules/vite': vite, 'node_modules/fsevents': {} }))).toEqual([]);
    expect(lockFaults(lock({ 'node_modules/vite': vite, 'node_modules/vite/node_modules/fsevents': {} }))).toEqual([]);
  });
});
