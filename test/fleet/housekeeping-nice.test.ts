/** `--housekeeping-nice`: in a real run the workers keep their claim to a core, and every other thread of the fleet gives way. */
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { canGiveWay, NICE_MAX } from '../../agent/session/give-way.ts';
import { assertBalanced, removeResultFolders, runCommand, startCommand, whileRunning } from '../support/command-run.ts';

afterEach(() => removeResultFolders());

const NICE = 3;
const WORKERS = 2;
const PLAN = [
  '--url',
  'http://127.0.0.1:1',
  '--rate',
  '20',
  '--duration',
  '2s',
  '--fail-on',
  'never',
  '--workers',
  `${WORKERS}`,
];

/** The nice levels of a process's threads; empty once it is gone. */
function levelsOf(processId: number): number[] {
  try {
    return readdirSync(`/proc/${processId}/task`).map((thread) => getPriority(Number(thread)));
  } catch {
    return [];
  }
}

/** The agent that `processId` has started; null while there is none. */
function childOf(processId: number): number | null {
  const [child] = readFileSync(`/proc/${processId}/task/${processId}/children`, 'utf8').split(' ');
  return child === undefined || child === '' ? null : Number(child);
}

describe('run --housekeeping-nice', () => {
  it.runIf(canGiveWay && getPriority() + NICE <= NICE_MAX)('lets every thread but the workers give way', async () => {
    const own = getPriority();
    const run = startCommand(['run', ...PLAN, '--housekeeping-nice', `${own + NICE}`]);
    const coordinator = run.process.pid ?? 0;
    await whileRunning(run, 'two threads of the agent keep their level, all others give way', () => {
      const agent = childOf(coordinator);
      const levels = agent === null ? [] : levelsOf(agent);
      const kept = levels.filter((level) => level === own).length;
      const all = levelsOf(coordinator);
      return (
        kept === WORKERS && levels.length > WORKERS && all.length > 0 && all.every((level) => level === own + NICE)
      );
    });
    const { result } = await run.ended;
    expect(result?.run.end.kind).toBe('finished');
    if (result !== null) assertBalanced(result.accounting);
  });

  it('is not for an agent that serves many runs: their workers would give way as well', async () => {
    const end = await runCommand(['agent', '--coordinator', '127.0.0.1:1', '--housekeeping-nice', '5']);
    expect(end.stderr).toMatch(/--housekeeping-nice 5 is for the agents that run starts/);
    expect(end.exitCode).toBe(2);
  });

  it.each([
    [['--housekeeping-nice', '20'], /'20' is invalid.*0\.\.19/s],
    [['--housekeeping-nice', '-1'], /'-1' is invalid.*0\.\.19/s],
    [['--housekeeping-nice', '5', '--repeat', '2'], /--housekeeping-nice 5 holds for one fleet .*--repeat/],
    [
      ['--housekeeping-nice', '5', '--coordinator', '127.0.0.1:1'],
      /--housekeeping-nice 5 holds for one fleet .*--coordinator/,
    ],
  ])('refuses %s with the limit', async (options, message) => {
    const end = await runCommand(['run', ...PLAN, ...options]);
    expect(end.stderr).toMatch(message);
    expect(end.exitCode).toBe(2);
    expect(end.result).toBeNull();
  });
});
