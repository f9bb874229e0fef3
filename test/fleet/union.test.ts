/** P3 through real processes and threads: whatever the fleet, the union of what is sent is the planned list, none twice. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { seedFromBigInt } from '../../shared/random/seed.ts';
import { type Arrival, createArrival } from '../../shared/schedule/arrival-stream.ts';
import { digestArrivals } from '../../shared/schedule/schedule-digest.ts';
import { parseRequestIdentity } from '../../target/request-identity.ts';
import { type RunningTarget, startTarget } from '../../target/reference-target.ts';
import { assertBalanced, type ResultFile, removeResultFolders, runCommand } from '../support/command-run.ts';
import { basisOf, identityText, phasesOf, poisson, sha256, unionOf } from '../support/schedule-of.ts';

const SEED = 42n;
const RATE = 300;
const SECONDS = 1.5;
const LANES = 4096;

let target: RunningTarget | null = null;
const folder = mkdtempSync(join(tmpdir(), 'loadfleet-union-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

afterEach(async () => {
  await target?.close();
  target = null;
  removeResultFolders();
});

const planned = unionOf(
  basisOf(phasesOf([poisson([0, RATE], [SECONDS, RATE]), SECONDS]), { seed: seedFromBigInt(SEED), laneCount: LANES }),
);
const byIdentity = new Map(planned.map((arrival) => [identityText(arrival), arrival]));

/** The arrival that an identity header names; its instant is the planned one. */
function arrivalOf(header: string | null): Arrival {
  const identity = header === null ? null : parseRequestIdentity(header);
  if (identity?.kind !== 'lanes') throw new Error(`no lane identity: ${String(header)}`);
  const { phase, lane, block, rank } = identity;
  const plannedArrival = byIdentity.get(identityText({ ...createArrival(), phase, lane, block, rank }));
  if (plannedArrival === undefined) throw new Error(`not in the plan: ${String(header)}`);
  return plannedArrival;
}

describe('P3 the union of real runs is the plan', () => {
  const fleets = [1, 2, 3].flatMap((agents) => [1, 2].map((workers) => [agents, workers] as const));
  it.each(fleets)('%i agents of %i workers', async (agents, workers) => {
    target = await startTarget({ keepIdentities: true });
    const plan = join(folder, `${agents}-${workers}.yaml`);
    // Wide limits: workers that a busy machine keeps waiting still send what they owe.
    writeFileSync(
      plan,
      `seed: ${SEED}
target: { url: "${target.url}", identify: true }
load: [{ name: all, arrivals: poisson, rate: ${RATE}, duration: ${SECONDS}s }]
limits: { phaseGrace: 60s }
fleet: { agents: ${agents}, workers: ${workers}, lease: 60s }
failOn: never
`,
    );
    const { result, exitCode, stderr } = await runCommand(['run', plan, '--quiet']);
    expect(exitCode, stderr).toBe(0);
    const { accounting, metrics, agents: members } = result as ResultFile;
    assertBalanced(accounting);
    for (const member of members) assertBalanced(member.accounting);
    expect(members).toHaveLength(agents);
    expect(accounting.scheduled).toBe(planned.length);
    expect(accounting.sent).toBe(planned.length);
    expect(target.counts().requests).toBe(planned.length);
    const seen = target.keptRequests().map((request) => arrivalOf(request.identity));
    expect(new Set(seen.map(identityText)).size).toBe(planned.length);
    expect(digestArrivals(seen, sha256)).toBe(digestArrivals(planned, sha256));
    expect(metrics['wakeLag']?.min).toBeGreaterThanOrEqual(0);
  });
});

describe('rates that split badly', () => {
  const cases: [string, string[], (scheduled: number) => void][] = [
    ['R005 0.1/s', ['--rate', '0.1', '--duration', '4s'], (n) => expect(n).toBeLessThan(6)],
    [
      'R009 1/s over 7 workers',
      ['--rate', '1', '--duration', '4s', '--agents', '1', '--workers', '7'],
      (n) => expect(n).toBeLessThan(16),
    ],
    [
      'R013 a long timeout and drain',
      ['--rate', '5', '--duration', '2s', '--timeout', '30d', '--drain', '30d'],
      (n) => expect(n).toBeGreaterThan(0),
    ],
  ];
  it.each(cases)('%s: what is planned is sent', async (_name, flags, check) => {
    target = await startTarget();
    const { result } = await runCommand([
      'run',
      '--url',
      target.url,
      '--seed',
      '5',
      '--fail-on',
      'never',
      '--quiet',
      ...flags,
    ]);
    const books = (result as ResultFile).accounting;
    assertBalanced(books);
    check(books.scheduled);
    expect(books.sent).toBe(books.scheduled);
    expect(target.counts().requests).toBe(books.sent);
  });
});
