import { expect, it } from 'vitest';
import { TokenCounting } from '../../../../agent/merge/token-counting.ts';
import { WorkerMerge } from '../../../../agent/merge/worker-merge.ts';
import { ReportOutbox } from '../../../../agent/uplink/report-outbox.ts';
import { Member } from '../../../../coordinator/fleet/member.ts';
import { balanceBooks } from '../../../../coordinator/merge/books.ts';
import { RunDriver } from '../../../../coordinator/run/run-driver.ts';
import type { CoordinatorMessage } from '../../../../shared/rpc/control-message.ts';
import type { MessageStream } from '../../../../shared/rpc/message-stream.ts';
import type { ReportAck, ReportMessage } from '../../../../shared/rpc/report-message.ts';
import { LOADFLEET_VERSION } from '../../../../shared/version.ts';
import { FakeTimekeeper } from '../../../support/fake-timekeeper.ts';
import { EMPTY_HANDOVER } from '../../../support/handover-fixture.ts';
import { createPlan } from '../../../support/plan-fixture.ts';
import { PROTOCOL } from '../../../../shared/rpc/protocol.ts';

const DURATION_NS = 60e9;
const identity = {
  agentId: 'a',
  incarnation: 'start-1',
  region: null,
  labels: {},
  cores: 2,
  workers: 1,
  nodeVersion: 'v26',
  loadfleetVersion: '0.1.0',
  goldenDigest: '',
};

/** A run of 60 s on one member that has been started. */
async function startedRun(loadfleetVersion = identity.loadfleetVersion) {
  const timekeeper = new FakeTimekeeper();
  const heard: CoordinatorMessage[] = [];
  const member: Member = new Member({ ...identity, loadfleetVersion }, timekeeper, 10e9, () => undefined);
  const stream: Pick<MessageStream<CoordinatorMessage>, 'write' | 'end'> = {
    write: (message) => {
      heard.push(message);
      // Its clock is ours.
      if (message.kind === 'probe') queueMicrotask(() => member.probeAnswered(message.id, 0, 0, 0));
      return true;
    },
    end: () => undefined,
  };
  member.connect(stream as MessageStream<CoordinatorMessage>);
  await expect.poll(() => member.clock).not.toBeNull();
  const plan = createPlan({ ratePerSecond: 10, durationNs: DURATION_NS });
  const driver = new RunDriver({
    run: { runId: 'run-1', trial: 0 },
    request: { bundle: { plan, blobs: new Map(), effectiveYaml: '', secrets: [] }, command: 'test' },
    timekeeper,
    readyMembers: () => [member],
    isLoopback: true,
    onNotice: () => undefined,
  });
  driver.memberSaid(member, { kind: 'armed', run: driver.run, clientName: 'fake', pacing: 'timer' });
  expect(driver.state.kind).toBe('running');
  return { timekeeper, heard, member, driver, plan };
}

/** The last report of an agent whose worker has decided all before `decidedThroughNs`, and counts nothing. */
function finalReport(plan: ReturnType<typeof createPlan>, decidedThroughNs: number): ReportMessage {
  const merge = new WorkerMerge([0], new TokenCounting(plan, new Map()));
  merge.take(0, { ...EMPTY_HANDOVER, decidedThroughNs });
  merge.finish(0);
  const outbox = new ReportOutbox({ runId: 'run-1', trial: 0, agentId: 'a', incarnation: 'start-1' });
  outbox.number(merge.takeReport(true));
  return outbox.waitingAfter(0)[0] as ReportMessage;
}

it('R075 an agent that ended its part early is known by its last report alone: what it left is lost, and the books balance', async () => {
  const { driver, plan } = await startedRun();
  driver.takeReport(finalReport(plan, 0), () => undefined);
  const { record, merge } = await driver.ended;
  expect(record.end).toEqual({ kind: 'finished' });
  expect(record.agents[0]?.state).toMatchObject({ kind: 'stopped' });
  const { total, violations } = balanceBooks(record, merge, (_phase, _lanes, fromNs, toNs) => (toNs - fromNs) / 1e9);
  expect(violations).toEqual([]);
  expect(total.lost).toBe(DURATION_NS / 1e9);
});

it('an agent of another version in the fleet is told in the result', async () => {
  const endWith = async (version: string): Promise<readonly string[]> => {
    const { driver, plan } = await startedRun(version);
    driver.takeReport(finalReport(plan, DURATION_NS + 1), () => undefined);
    return (await driver.ended).record.warnings;
  };
  expect(await endWith('0.0.9')).toContainEqual(
    expect.stringMatching(/^agent a is loadfleet 0\.0\.9, the coordinator /),
  );
  expect((await endWith(LOADFLEET_VERSION)).join()).not.toContain('loadfleet');
});

it('an agent whose schedule is through has not ended early', async () => {
  const { driver, plan } = await startedRun();
  driver.takeReport(finalReport(plan, DURATION_NS + 1), () => undefined);
  const { record } = await driver.ended;
  expect(record.agents[0]?.state).toEqual({ kind: 'finished' });
});

it('R072 a late report of an earlier run is rejected without a word in this one; one of an unknown sender in this run is a warning', async () => {
  const { driver, plan } = await startedRun();
  const report = finalReport(plan, DURATION_NS + 1);
  const answers: ReportAck[] = [];
  const answer = (ack: ReportAck) => void answers.push(ack);
  driver.takeReport({ ...report, key: { ...report.key, runId: 'run-0' } }, answer);
  driver.takeReport({ ...report, key: { ...report.key, agentId: 'stranger' } }, answer);
  driver.takeReport(report, answer);
  const { record } = await driver.ended;
  expect(answers.map(({ kind }) => kind)).toEqual(['rejected', 'rejected', 'applied']);
  expect(record.warnings.filter((text) => text.includes('rejected'))).toEqual([
    expect.stringMatching(/agent stranger .*was rejected: it does not belong to the present run/),
  ]);
});

it('R075 deadlines that pass while the coordinator is stopped cost no report that waits for it', async () => {
  const { driver, plan, timekeeper } = await startedRun();
  timekeeper.pause(1000e9);
  timekeeper.advance(1);
  timekeeper.advance(5e9);
  driver.takeReport(finalReport(plan, DURATION_NS + 1), () => undefined);
  const { record } = await driver.ended;
  expect(record.agents[0]?.state).toEqual({ kind: 'finished' });
});

it('and end the run, late, when nothing comes', async () => {
  const { driver, timekeeper } = await startedRun();
  timekeeper.pause(1000e9);
  timekeeper.advance(30e9);
  const { record } = await driver.ended;
  expect(record.agents[0]?.state).toMatchObject({ kind: 'lost' });
});

it('R102 a member that was away when the run ended is released when it is back, also while the result is still being made', async () => {
  const { driver, plan, member, heard } = await startedRun();
  member.end(null);
  driver.takeReport(finalReport(plan, DURATION_NS + 1), () => undefined);
  heard.length = 0;
  member.connect({
    write: (message: CoordinatorMessage) => heard.push(message) > 0,
  } as MessageStream<CoordinatorMessage>);
  const join = { ...identity, kind: 'join', protocol: PROTOCOL, current: driver.run } as const;
  driver.memberJoined(member, join);
  expect(heard).toContainEqual(expect.objectContaining({ kind: 'release', run: driver.run }));
});
