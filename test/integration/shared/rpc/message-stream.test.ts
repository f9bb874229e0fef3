import { afterEach, describe, expect, it } from 'vitest';
import { FleetError } from '../../../../shared/fleet-error.ts';
import type { CoordinatorMessage } from '../../../../shared/rpc/control-message.ts';
import { openControl, openReports } from '../../../../shared/rpc/fleet-client.ts';
import { type FleetServer, type FleetServerHandlers, serveFleet } from '../../../../shared/rpc/fleet-server.ts';
import type { MessageStream, StreamEnd } from '../../../../shared/rpc/message-stream.ts';
import type { ReportMessage } from '../../../../shared/rpc/report-message.ts';
import { eventually } from '../../../support/eventually.ts';
import { serverHandlers } from '../../../support/idle-server-handlers.ts';
import { startResettingServer } from '../../../support/resetting-server.ts';
import { TcpProxy } from '../../../support/tcp-proxy.ts';

const security = { kind: 'loopback' } as const;
const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function serve(overrides: Partial<FleetServerHandlers>): Promise<FleetServer> {
  const server = await serveFleet({ host: '127.0.0.1', port: 0 }, security, serverHandlers(overrides));
  closers.push(() => server.close(0));
  return server;
}

async function proxied(server: FleetServer): Promise<TcpProxy> {
  const proxy = await TcpProxy.start(server.port);
  closers.push(() => proxy.close());
  return proxy;
}

function reportOf(seq: number, bytes = 64 * 1024): ReportMessage {
  return {
    key: { runId: 'r', trial: 0, agentId: 'a', incarnation: 'i', seq },
    payload: new Uint8Array(bytes).fill(seq),
  };
}

describe('back-pressure', () => {
  it('R081 writing stops when the peer stops reading, and goes on at every drain until all has arrived', async () => {
    const received: number[] = [];
    const server = await serve({
      acceptReports: () => ({ onMessage: ({ key }) => received.push(key.seq), onClosed: () => undefined }),
    });
    const proxy = await proxied(server);
    let drains = 0;
    const stream = openReports(
      { address: proxy.address, security },
      { onMessage: () => undefined, onWritable: () => (drains += 1), onClosed: () => undefined },
    );
    stream.write(reportOf(1));
    await eventually('the first report arrives', () => received.length === 1);
    let written = 1;
    for (let round = 1; round <= 3; round += 1) {
      const drainsBefore = drains;
      proxy.freeze();
      // Far more than sockets and windows hold: without a stop this would be 640 MB.
      for (let i = 0; i < 10_000 && stream.isWritable; i += 1) stream.write(reportOf((written += 1)));
      expect(stream.isWritable).toBe(false);
      expect(stream.write).toBeTypeOf('function');
      expect(written).toBeLessThan(round * 500);
      proxy.thaw();
      await eventually('a drain', () => drains > drainsBefore && stream.isWritable);
    }
    await eventually('everything arrives', () => received.length === written);
    expect(received).toEqual(Array.from({ length: written }, (_, i) => i + 1));
    stream.end();
  });
});

describe('the end of a stream', () => {
  function watchEnd(address: string): { ends: StreamEnd[]; messages: CoordinatorMessage[] } {
    const seen: { ends: StreamEnd[]; messages: CoordinatorMessage[] } = { ends: [], messages: [] };
    const stream = openControl(
      { address, security },
      { onMessage: (message) => seen.messages.push(message), onClosed: (end) => seen.ends.push(end) },
    );
    closers.push(() => stream.abort(new FleetError('interrupted', 'test over')));
    stream.write({ kind: 'heartbeat', seq: 1 });
    return seen;
  }

  it('is clean when the peer ended it, after everything it said', async () => {
    const server = await serve({
      acceptControl: (stream: MessageStream<CoordinatorMessage>) => ({
        onMessage: () => {
          stream.write({ kind: 'dismiss', reason: 'over' });
          stream.end();
        },
        onClosed: () => undefined,
      }),
    });
    const seen = watchEnd(server.address);
    await eventually('the end', () => seen.ends.length === 1);
    expect(seen.messages).toEqual([{ kind: 'dismiss', reason: 'over' }]);
    expect(seen.ends).toEqual([{ kind: 'ended' }]);
  });

  it('carries the error that a handler threw, and costs that one stream only', async () => {
    const ends: StreamEnd[] = [];
    const server = await serve({
      acceptControl: () => ({
        onMessage: () => {
          throw new FleetError('protocol', 'join: nonsense');
        },
        onClosed: (end) => ends.push(end),
      }),
    });
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const seen = watchEnd(server.address);
      await eventually('the end', () => seen.ends.length === 1);
      expect(seen.ends[0]).toMatchObject({ kind: 'failed', error: { code: 'protocol', message: 'join: nonsense' } });
    }
    expect(ends).toMatchObject([{ kind: 'failed' }, { kind: 'failed' }]);
  });

  it('R083 a cut connection is a failure on both sides, once', async () => {
    const ends: StreamEnd[] = [];
    let accepted = 0;
    const server = await serve({
      acceptControl: () => {
        accepted += 1;
        return { onMessage: () => undefined, onClosed: (end) => ends.push(end) };
      },
    });
    const proxy = await proxied(server);
    const seen = watchEnd(proxy.address);
    await eventually('the call', () => accepted === 1);
    proxy.cut();
    await eventually('both ends', () => seen.ends.length === 1 && ends.length === 1);
    expect(seen.ends[0]).toMatchObject({ kind: 'failed', error: { code: 'lost' } });
    expect(ends[0]).toMatchObject({ kind: 'failed', error: { code: 'lost' } });
  });

  it('R083 RST_STREAM with code 0 does not pass for a finished conversation: no dismiss came before it', async () => {
    const resetting = await startResettingServer();
    closers.push(() => resetting.close());
    const seen = watchEnd(resetting.address);
    await eventually('the end', () => seen.ends.length === 1);
    expect(seen.messages).toEqual([]);
  });

  it('a refused port is a failure that names the address', async () => {
    const seen = watchEnd('127.0.0.1:1');
    await eventually('the end', () => seen.ends.length === 1);
    expect(seen.ends[0]).toMatchObject({ kind: 'failed', error: { code: 'lost' } });
    expect((seen.ends[0] as { error: Error }).error.message).toContain('Control stream to 127.0.0.1:1');
  });

  it('after the end nothing is written and nothing is heard', async () => {
    const server = await serve({
      acceptControl: (stream) => ({ onMessage: () => stream.end(), onClosed: () => undefined }),
    });
    const ends: StreamEnd[] = [];
    const stream = openControl(
      { address: server.address, security },
      { onMessage: () => undefined, onClosed: (end) => ends.push(end) },
    );
    stream.write({ kind: 'heartbeat', seq: 1 });
    await eventually('the end', () => ends.length === 1);
    expect(stream.isClosed).toBe(true);
    expect(stream.isWritable).toBe(false);
    expect(stream.write({ kind: 'heartbeat', seq: 2 })).toBe(false);
    stream.abort(new FleetError('lost', 'too late'));
    expect(ends).toHaveLength(1);
  });
});
