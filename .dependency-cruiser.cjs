/**
 * The borders: who may import what. `npm run check:borders` runs them through test/gates/check-borders.ts, which also
 * makes sure that every file was really looked at. Type imports count: a type from across a border is a border crossed.
 */
'use strict';

/** Folders of the running program. */
const PRODUCT = '^(shared|agent|coordinator|cli|target)/';

/**
 * The parts of `shared` that compute and do nothing else. Not pure: `rpc` (sockets) and `time` (the clock itself).
 * A file at the top of `shared` is pure too.
 */
const PURE = '^shared/(?!(rpc|time)/)';

/** Pure as functions, but with a library of Node behind them: the .hlog writer compresses, an encoding's ranks are loaded on demand. */
const WRAPS_A_LIBRARY = '^shared/(histogram/hlog|llm-workload/tiktoken-counter)\\.ts$';

/** Where npm puts packages: here, or behind a link. */
const INSTALLED = '(^|/)node_modules/';

/** Every run-time library, and the one place of ours that may import it. A library that is not listed may not be imported. */
const BEHIND = {
  '@grpc/grpc-js': '^shared/rpc/',
  '@bufbuild/protobuf': '^(shared/rpc|proto/gen)/',
  piscina: '^agent/worker/pool\\.ts$',
  undici: '^agent/client/undici/undici-connection\\.ts$',
  'hdr-histogram-js': '^shared/histogram/hlog\\.ts$',
  yaml: '^shared/plan/yaml-document\\.ts$',
  zod: '^shared/plan/plan-json\\.ts$',
  commander: '^cli/',
  'csv-parse': '^shared/plan/csv\\.ts$',
  '@huggingface/tokenizers': '^shared/llm-workload/tokenizer-file\\.ts$',
  'js-tiktoken': '^shared/llm-workload/tiktoken-counter\\.ts$',
  'fastest-levenshtein': '^shared/nearest-name\\.ts$',
};

const escape = (text) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

const libraryRules = Object.entries(BEHIND).map(([library, place]) => ({
  name: `one-place-for-${library.replace(/^@/, '').replace(/\//g, '-')}`,
  comment: `${library} is imported from one place only, so that it can be replaced and its faults met in one file (ADR 0001).`,
  severity: 'error',
  from: { path: '^(shared|agent|coordinator|cli|target|proto)/', pathNot: place },
  to: { path: `${INSTALLED}${escape(library)}/` },
}));

/** From one folder, everything of ours but the folders named. */
const onlyTo = (from, allowed) => ({
  name: `${from}-imports-only-${allowed.join('-')}`,
  comment: `${from} may import ${allowed.join(' and ')}, nothing else of ours.`,
  severity: 'error',
  from: { path: `^${from}/` },
  to: { path: '^(agent|coordinator|cli|target|shared|proto|bench|test)/', pathNot: `^(${allowed.join('|')})/` },
});

module.exports = {
  forbidden: [
    {
      name: 'no-cycle',
      comment: 'Files that import each other, type imports included, cannot be read or tested one at a time.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    onlyTo('agent', ['agent', 'shared']),
    onlyTo('coordinator', ['coordinator', 'shared']),
    onlyTo('target', ['target', 'shared']),
    onlyTo('cli', ['cli', 'agent', 'coordinator', 'target', 'shared']),
    onlyTo('shared', ['shared', 'proto/gen']),
    onlyTo('proto', ['proto']),
    {
      name: 'generated-code-only-in-rpc',
      comment:
        'Generated messages, with their bigint times, are seen in shared/rpc only; the rest of the code has its own types.',
      severity: 'error',
      from: { path: '^(shared|agent|coordinator|cli|target|bench)/', pathNot: '^shared/rpc/' },
      to: { path: '^proto/gen/' },
    },
    {
      name: 'pure-core',
      comment: 'The core computes: no file, socket, clock or thread. Time and seed are arguments.',
      severity: 'error',
      from: { path: PURE, pathNot: WRAPS_A_LIBRARY },
      to: { dependencyTypes: ['core'] },
    },
    ...libraryRules,
    {
      name: 'unlisted-library',
      comment: 'A run-time library needs its place in .dependency-cruiser.cjs and its line in ADR 0001.',
      severity: 'error',
      from: { path: PRODUCT },
      to: {
        path: INSTALLED,
        pathNot: [`${INSTALLED}@types/`, ...Object.keys(BEHIND).map((library) => `${INSTALLED}${escape(library)}/`)],
      },
    },
    {
      name: 'unresolvable',
      comment: 'The imported file or package does not exist, or is not in package.json.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
    combinedDependencies: false,
  },
};
