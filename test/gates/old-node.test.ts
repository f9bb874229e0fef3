/**
 * A Node that is too old gets one clear sentence and exit code 2, from the entry of the command and from npm scripts, before
 * anything that it cannot parse is loaded.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Runs `file` in a Node that says it is `version`. */
function runAs(version: string, file: string): { exitCode: number | null; stderr: string } {
  const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });`;
  const { status, stderr } = spawnSync(
    process.execPath,
    ['-e', `${pretend} require(${JSON.stringify(resolve(file))});`],
    { encoding: 'utf8' },
  );
  return { exitCode: status, stderr };
}

describe('old Node', () => {
  it.each(['18.20.8', '20.20.2', '23.11.1'])('%s is refused by the command', (version) => {
    const { exitCode, stderr } = runAs(version, 'cli/loadfleet.cjs');
    expect(stderr).toContain(`loadfleet needs Node.js 24 or newer, but this is Node.js ${version}`);
    expect(exitCode).toBe(2);
  });

  it.each(['24.0.0', '26.10.0', '100.0.0'])('%s is let through', (version) => {
    expect(runAs(version, 'cli/require-node.cjs')).toEqual({ exitCode: 0, stderr: '' });
  });

  it('guards the scripts of package.json that run TypeScript', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
    expect(scripts['pretest']).toContain('node cli/require-node.cjs');
    expect(scripts['precheck']).toContain('node cli/require-node.cjs');
    expect(scripts['start']).toContain('node cli/loadfleet.cjs');
    expect(scripts['loadfleet']).toContain('node cli/loadfleet.cjs');
  });
});
