import { afterEach, expect, it } from 'vitest';
import { WorkerMerge } from '../../../agent/merge/worker-merge.ts';
import { ReportLink } from '../../../agent/uplink/report-link.ts';
import { ReportOutbox } from '../../../agent/uplink/report-outbox.ts';
import { serveFleet } from '../../../shared/rpc/fleet-server.ts';
import type { ReportAck } from '../../../shared/rpc/report-message.ts';
import { eventually } from '../../support/eventually.ts';
import { FakeTimekeeper } from '../../support/fake-timekeeper.ts';
import { EMPTY_HANDOVER } from '../../support/handover-fixture.ts';
import { serverHandlers } from '../../support/idle-server-handlers.ts';

const security = { kind: 'loopback' } as const;
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A link with one report that waits, and a coordinator that answers it only when told to. */
async function linked() {
  const timekeeper = new FakeTimekeeper();
  const outbox = new ReportOutbox({ runId: 'run-1', trial: 0, agentId: 'a', incarnation: 'start-1' });
  const merge = new WorkerMerge([0]);
  merge.take(0, EMPTY_HANDOVER);
  outbox.number(merge.takeReport(false));
  let received = 0;
  let answer = (): void => undefined;
  const server = await serveFleet(
    { host: '127.0.0.1', port: 0 },
    security,
    serverHandlers({
      acceptReports: (stream) => ({
        onMessage: (message) => {
          received += 1;
          answer = () => stream.write({ kind: 'applied', key: message.key });
        },
        onClosed: () => undefined,
      }),
    }),
  );
  closers.push(() => server.close(0));
  const acks: ReportAck[] = [];
  const notices: string[] = [];
  const link = new ReportLink({
    endpoint: { address: server.address, security },
    timekeeper,
    randomShare: () => 0,
    waitingAfter: (seq) => outbox.waitingAfter(seq),
    onAck: (ack) => {
      acks.push(ack);
      outbox.answered(ack.key);
    },
    onNotice: (text) => notices.push(text),
  });
  closers.push(() => link.close());
  link.pump();
  await eventually('the report is there', () => received === 1);
  return { timekeeper, notices, acks, received: () => received, answer: () => answer() };
}

it('R083 a coordinator that does not answer is dialled anew after 15 s, and given the report again', async () => {
  const { timekeeper, notices, received, acks, answer } = await linked();
  timekeeper.advance(14e9);
  expect(notices).toEqual([]);
  timekeeper.advance(3e9);
  expect(notices).toEqual([expect.stringContaining('no answer to a report for 15')]);
  timekeeper.advance(1e9);
  await eventually('it has the report again', () => received() === 2);
  answer();
  await eventually('the answer is there', () => acks.length === 1);
});

it('R072 a report that is on its way for longer than that is not begun anew each time', async () => {
  const { timekeeper, received, acks, answer } = await linked();
  timekeeper.advance(16e9);
  timekeeper.advance(1e9);
  await eventually('it has the report again', () => received() === 2);
  // A slow link: this time it is left 30 s.
  timekeeper.advance(28e9);
  answer();
  await eventually('the answer is there', () => acks.length === 1);
  expect(received()).toBe(2);
});
