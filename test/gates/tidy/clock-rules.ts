/**
 * Time and chance enter the program through a few named files; everything else gets them as arguments, so that it can be
 * tested with a fake clock and a seed. Each file that is allowed more says why, here.
 */
import ts from 'typescript';
import { isProduct, placeOf, type SourceFile, visitNodes } from './project-files.ts';

/** A file, or a folder when it ends in `/`, that may use the named calls. */
export interface Allowance {
  readonly path: string;
  readonly calls: readonly string[];
  readonly why: string;
}

const TIMERS = ['setTimeout', 'setInterval', 'setImmediate'];
const CLOCKS = ['Date.now', 'new Date', 'performance.now', 'performance.timeOrigin', 'process.hrtime'];
const CHANCE = ['Math.random', 'randomUUID', 'randomBytes', 'getRandomValues'];
const TIMER_MODULES = ['node:timers', 'node:timers/promises', 'timers', 'timers/promises'];
const BARE = new Set([...TIMERS, ...CHANCE.filter((call) => !call.includes('.'))]);
const DOTTED = new Set([...CLOCKS, ...CHANCE].filter((call) => call.includes('.')));

/** What the product may use, and where. */
const ALLOWANCES: readonly Allowance[] = [
  {
    path: 'shared/time/',
    calls: [...CLOCKS, ...TIMERS],
    why: 'the clock and the timers that everything else is given',
  },
  {
    path: 'shared/rpc/random-id.ts',
    calls: ['randomBytes'],
    why: 'names of runs and processes must be unique, and reconnects need jitter; no load depends on either',
  },
  {
    path: 'agent/client/connection-pool.ts',
    calls: ['setImmediate'],
    why: 'waiting requests, behind the reads of a turn',
  },
  {
    path: 'agent/client/h2/write-refusal.ts',
    calls: ['setImmediate'],
    why: 'what is left to read of a broken connection comes first',
  },
  {
    path: 'agent/worker/pacer.ts',
    calls: ['setImmediate', 'setTimeout'],
    why: 'the real turns of a loop, behind TurnScheduler',
  },
  { path: 'agent/worker/pool.ts', calls: ['setTimeout'], why: 'patience with a real thread that does not end' },
  { path: 'agent/client/stall-free-timer.ts', calls: ['setTimeout'], why: 'the limit on one connection attempt' },
  {
    path: 'cli/plan-sources.ts',
    calls: ['randomBytes'],
    why: 'chooses the seed of a plan that gives none; it is printed',
  },
  { path: 'cli/reference-process.ts', calls: ['setTimeout'], why: 'patience with a real process' },
  {
    path: 'cli/signals.ts',
    calls: ['setTimeout'],
    why: 'a second Ctrl-C leaves within a second, whatever the rest does',
  },
];

/** Objects whose timers and chance are the real ones; `timers.setTimeout` of a port that was passed in is not. */
const REAL_OBJECTS = new Set(['globalThis', 'crypto', 'webcrypto', 'globalThis.crypto']);

/** Whether the identifier only names something: a member, a property of an object, an imported name. */
function isOnlyAName(node: ts.Identifier): boolean {
  const { parent } = node;
  return (
    (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
    ((ts.isPropertySignature(parent) ||
      ts.isMethodSignature(parent) ||
      ts.isMethodDeclaration(parent) ||
      ts.isPropertyDeclaration(parent) ||
      ts.isPropertyAssignment(parent)) &&
      parent.name === node) ||
    ts.isTypeQueryNode(parent)
  );
}

/** The watched call that `node` makes, or undefined. Type positions and comments do not count. */
function watchedCall(node: ts.Node): string | undefined {
  if (ts.isPropertyAccessExpression(node)) {
    const object = node.expression.getText();
    const whole = `${object}.${node.name.text}`;
    if (DOTTED.has(whole)) return whole;
    return BARE.has(node.name.text) && REAL_OBJECTS.has(object) ? node.name.text : undefined;
  }
  if (ts.isNewExpression(node) && node.expression.getText() === 'Date' && (node.arguments?.length ?? 0) === 0) {
    return 'new Date';
  }
  if (ts.isIdentifier(node)) return BARE.has(node.text) && !isOnlyAName(node) ? node.text : undefined;
  if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
    return TIMER_MODULES.includes(node.moduleSpecifier.text) ? node.moduleSpecifier.text : undefined;
  }
  return undefined;
}

function covers(allowance: Allowance, path: string): boolean {
  return allowance.path.endsWith('/') ? path.startsWith(allowance.path) : path === allowance.path;
}

/** Clocks, timers and chance outside their files. */
export function clockFaults(sources: readonly SourceFile[], allowances: readonly Allowance[] = ALLOWANCES): string[] {
  const faults: string[] = [];
  for (const file of sources.filter((source) => isProduct(source.path))) {
    const allowed = allowances.filter((allowance) => covers(allowance, file.path)).flatMap(({ calls }) => calls);
    visitNodes(file, (node) => {
      const call = watchedCall(node);
      if (call === undefined || allowed.includes(call)) return;
      faults.push(
        `${placeOf(file, node)}: ${call} outside the files that may use it: take time, timers or a seed as an argument`,
      );
    });
  }
  return faults;
}

/** Allowances that no file needs any more. */
export function staleAllowances(
  sources: readonly SourceFile[],
  allowances: readonly Allowance[] = ALLOWANCES,
): string[] {
  return allowances
    .filter((allowance) => {
      const covered = sources.filter((file) => covers(allowance, file.path));
      const used = new Set<string>();
      for (const file of covered) {
        visitNodes(file, (node) => {
          const call = watchedCall(node);
          if (call !== undefined) used.add(call);
        });
      }
      return !allowance.path.endsWith('/') && !allowance.calls.every((call) => used.has(call));
    })
    .map((allowance) => `${allowance.path} no longer uses all of: ${allowance.calls.join(', ')}`);
}

/** Globals of the host that reach into the pure core without an import. */
const HOST_GLOBALS = new Set(['process', 'console', 'fetch', 'crypto', 'queueMicrotask', 'WebSocket']);
const IMPURE_PARTS = ['shared/rpc/', 'shared/time/'];

/** The pure core computes and does nothing else: no globals of the host (imports are the border gate's). */
export function pureCoreFaults(sources: readonly SourceFile[]): string[] {
  const faults: string[] = [];
  const pure = sources.filter(
    ({ path }) => path.startsWith('shared/') && !IMPURE_PARTS.some((part) => path.startsWith(part)),
  );
  for (const file of pure) {
    visitNodes(file, (node) => {
      if (!ts.isIdentifier(node) || !HOST_GLOBALS.has(node.text)) return;
      const { parent } = node;
      const isObject =
        (ts.isPropertyAccessExpression(parent) && parent.expression === node) ||
        (ts.isCallExpression(parent) && parent.expression === node);
      if (isObject) faults.push(`${placeOf(file, node)}: ${node.text} in the pure core`);
    });
  }
  return faults;
}
