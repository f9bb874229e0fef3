import { expect, it } from 'vitest';
import { Fleet } from '../../../../coordinator/fleet/fleet.ts';
import type { CoordinatorMessage } from '../../../../shared/rpc/control-message.ts';
import type { MessageStream } from '../../../../shared/rpc/message-stream.ts';
import { FakeTimekeeper } from '../../../support/fake-timekeeper.ts';
import { createJoin } from '../../../support/join-fixture.ts';

const LEASE_NS = 4e9;
const join = createJoin('a');

/** A fleet of one member, and what became of it. */
function fleetOfOne() {
  const timekeeper = new FakeTimekeeper();
  const gone: string[] = [];
  const fleet = new Fleet('coordinator', timekeeper, {
    onReady: () => undefined,
    onJoined: () => undefined,
    onRunMessage: () => undefined,
    onGone: (_member, reason) => gone.push(reason),
    onNotice: () => undefined,
  });
  fleet.setLease(LEASE_NS);
  const stream: Pick<MessageStream<CoordinatorMessage>, 'write' | 'end' | 'abort'> = {
    write: () => true,
    end: () => undefined,
    abort: () => undefined,
  };
  const dial = () => fleet.accept(stream as MessageStream<CoordinatorMessage>, 'peer');
  const link = dial();
  link.onMessage(join);
  return { timekeeper, gone, fleet, link, dial };
}

it('a member that is not heard is gone 2 s after its lease has ended', () => {
  const { timekeeper, gone, fleet } = fleetOfOne();
  timekeeper.advance(LEASE_NS + 1.9e9);
  expect(fleet.members).toHaveLength(1);
  timekeeper.advance(1e9);
  expect(gone).toEqual([expect.stringContaining('not heard of since its lease ended')]);
});

it('R075 a member that is not heard in a run is gone by the lease of the plan, not by the longer one before it', () => {
  const { timekeeper, gone, fleet, link } = fleetOfOne();
  link.onMessage({ kind: 'heartbeat', seq: 1 });
  fleet.setLease(1e9);
  timekeeper.advance(0.5e9);
  link.onMessage({ kind: 'heartbeat', seq: 2 });
  timekeeper.advance(1e9 + 1.9e9);
  expect(fleet.members).toHaveLength(1);
  timekeeper.advance(0.5e9);
  expect(gone).toHaveLength(1);
});

it('R075 a coordinator that was stopped beyond all leases hears its members before it gives them up', () => {
  const { timekeeper, gone, link, dial } = fleetOfOne();
  timekeeper.pause(30e9);
  // Timers come before what waits in the sockets.
  timekeeper.advance(1);
  expect(gone).toEqual([]);
  link.onClosed({ kind: 'ended' });
  timekeeper.advance(6e9);
  const again = dial();
  again.onMessage(join);
  again.onMessage({ kind: 'heartbeat', seq: 1 });
  timekeeper.advance(LEASE_NS);
  expect(gone).toEqual([]);
});

it('a member that is not heard after such a stop is gone, too', () => {
  const { timekeeper, gone } = fleetOfOne();
  timekeeper.pause(30e9);
  timekeeper.advance(10e9);
  expect(gone).toHaveLength(1);
});
