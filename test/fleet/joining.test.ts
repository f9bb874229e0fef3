/** Who may join a fleet over real connections, and who is refused, released or sent home. Fake workers; the tests run side by side. */
import { describe, expect, it, type TestContext } from 'vitest';
import { openControl } from '../../shared/rpc/fleet-client.ts';
import { serveFleet } from '../../shared/rpc/fleet-server.ts';
import type { AgentMessage, CoordinatorMessage } from '../../shared/rpc/control-message.ts';
import type { StreamEnd } from '../../shared/rpc/message-stream.ts';
import { eventually } from '../support/eventually.ts';
import { FleetHarness, fleetOf, requestOf } from '../support/fleet-harness.ts';
import { serverHandlers } from '../support/idle-server-handlers.ts';
import { createJoin } from '../support/join-fixture.ts';

describe.concurrent('joining', () => {
  const join = createJoin('stranger');

  /** Dials as a stranger would; gives what comes back. */
  function dial(context: TestContext, fleet: FleetHarness, ...messages: AgentMessage[]) {
    const seen = { messages: [] as CoordinatorMessage[], ends: [] as StreamEnd[] };
    const stream = openControl(
      { address: fleet.coordinator.address, security: { kind: 'loopback' } },
      { onMessage: (message) => seen.messages.push(message), onClosed: (end) => seen.ends.push(end) },
    );
    context.onTestFinished(() => stream.end());
    for (const message of messages) stream.write(message);
    return seen;
  }

  it.for([
    ['another protocol', { protocol: 99 }, 'speaks protocol 99'],
    ['another golden schedule', { goldenDigest: 'abc' }, 'another golden schedule'],
  ] as const)('%s is refused with its reason, and the stream ends', async ([_what, change, reason], context) => {
    const fleet = await fleetOf(context);
    const seen = dial(context, fleet, { ...join, ...change });
    await eventually('the end', () => seen.ends.length === 1);
    expect(seen.messages).toEqual([{ kind: 'refusal', reason: expect.stringContaining(reason) }]);
    expect(fleet.notices[0]).toContain(reason);
  });

  it('whoever does not begin with a join is cut off; the others notice nothing', async (context) => {
    const fleet = await fleetOf(context);
    const agent = fleet.addAgent();
    const seen = dial(context, fleet, { kind: 'heartbeat', seq: 1 });
    await eventually('the end', () => seen.ends.length === 1);
    expect(seen.ends[0]).toMatchObject({ kind: 'failed', error: { code: 'protocol' } });
    const { record } = await fleet.coordinator.startRun(requestOf(0.3e9, { agents: 1 })).ended;
    expect(record.end).toEqual({ kind: 'finished' });
    expect(agent.notices).toEqual([]);
  });

  it('a member that is in a run nobody knows here is released from it', async (context) => {
    const fleet = await fleetOf(context);
    const current = { runId: 'run-of-old', trial: 0 };
    const seen = dial(context, fleet, { ...join, current });
    await eventually('the release', () => seen.messages.some((message) => message.kind === 'release'));
    expect(seen.messages.find((message) => message.kind === 'release')).toMatchObject({ run: current });
  });

  it('an agent that is refused ends', async (context) => {
    const fleet = await fleetOf(context);
    fleet.addAgent({ agentId: 'twin' });
    await eventually('the first has joined', () => fleet.coordinator.memberCount === 1);
    const twin = fleet.addAgent({ agentId: 'twin' });
    expect(await twin.ended).toMatchObject({ kind: 'refused', reason: expect.stringContaining('twin is taken') });
  });

  it('a coordinator of another protocol is refused by the agent', async (context) => {
    const heartbeatIntervalNs = 1e9;
    const server = await serveFleet(
      { host: '127.0.0.1', port: 0 },
      { kind: 'loopback' },
      serverHandlers({
        acceptControl: (stream) => ({
          onMessage: () => stream.write({ kind: 'welcome', coordinatorId: 'c', protocol: 99, heartbeatIntervalNs }),
          onClosed: () => undefined,
        }),
      }),
    );
    context.onTestFinished(() => server.close(0));
    const fleet = await fleetOf(context);
    const agent = fleet.addAgent({ address: server.address });
    expect(await agent.ended).toMatchObject({ kind: 'refused', reason: expect.stringContaining('protocol 99') });
  });

  it('a dissolved fleet sends its agents home', async () => {
    const fleet = await FleetHarness.start();
    const agent = fleet.addAgent();
    await eventually('it has joined', () => fleet.coordinator.memberCount === 1);
    await fleet.coordinator.close('enough');
    expect(await agent.ended).toEqual({ kind: 'dismissed', reason: 'enough' });
  });
});
