import { createHash } from 'node:crypto';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { FleetError } from '../../../../shared/fleet-error.ts';
import { clientCredentials, serverCredentials } from '../../../../shared/rpc/channel-security.ts';
import { fetchBlob, openControl, openReports } from '../../../../shared/rpc/fleet-client.ts';
import { type FleetServer, type FleetServerHandlers, serveFleet } from '../../../../shared/rpc/fleet-server.ts';
import { serviceDefinition } from '../../../../shared/rpc/grpc-service.ts';
import { Runs } from '../../../../proto/gen/loadfleet/v1/runs_pb.ts';
import { PIECE_BYTES } from '../../../../shared/rpc/protocol.ts';
import { RunsClient } from '../../../../shared/rpc/runs-client.ts';
import type { SubmitMessage, WatchEvent } from '../../../../shared/rpc/runs-message.ts';
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

/** Everything that comes. */
async function collect<T>(events: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const event of events) all.push(event);
  return all;
}

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function runsClient(address: string): RunsClient {
  const client = new RunsClient({ address, security });
  closers.push(() => client.close());
  return client;
}

describe('listening', () => {
  it.each(['0.0.0.0', '192.0.2.1', '::', 'example.org'])(
    'R108 refuses %s: nothing beyond loopback until TLS exists',
    async (host) => {
      await expect(serveFleet({ host, port: 0 }, security, serverHandlers())).rejects.toMatchObject({
        code: 'refused',
        message: expect.stringContaining(host),
      });
    },
  );

  it('serves IPv6 loopback too, where the host has it', async (context) => {
    const server = await serveFleet({ host: '::1', port: 0 }, security, serverHandlers()).catch(() => null);
    if (server === null) {
      context.skip('this host has no ::1');
      return;
    }
    closers.push(() => server.close(0));
    expect(server.address).toBe(`[::1]:${server.port}`);
    await expect(runsClient(server.address).stop('r', 'stop', false)).rejects.toMatchObject({ code: 'refused' });
  });

  it('a port that is taken is an io error that names it', async () => {
    const server = await serve({});
    await expect(
      serveFleet({ host: '127.0.0.1', port: server.port }, security, serverHandlers()),
    ).rejects.toMatchObject({ code: 'io', message: expect.stringContaining(`127.0.0.1:${server.port}`) });
  });

  it('knows one protection: none, for loopback', () => {
    expect(clientCredentials(security)._isSecure()).toBe(false);
    expect(serverCredentials(security)._isSecure()).toBe(false);
  });
});

describe('Control and Report', () => {
  it('go over connections of their own, so that bulk cannot delay a lease', async () => {
    const server = await serve({});
    const proxy = await TcpProxy.start(server.port);
    closers.push(() => proxy.close());
    const handlers = { onMessage: () => undefined, onClosed: () => undefined };
    const endpoint = { address: proxy.address, security };
    const streams = [openControl(endpoint, handlers), openReports(endpoint, handlers)];
    streams[0]?.write({ kind: 'heartbeat', seq: 1 } as never);
    streams[1]?.write({
      key: { runId: 'r', trial: 0, agentId: 'a', incarnation: 'i', seq: 1 },
      payload: new Uint8Array(1),
    } as never);
    await eventually('two connections', () => proxy.connections === 2);
    for (const stream of streams) stream.end();
    await eventually('no connection is left', () => proxy.connections === 0);
  });
});

describe('FetchBlob', () => {
  const content = Uint8Array.from({ length: 3 * PIECE_BYTES + 7 }, (_, i) => (i * 31) % 251);
  const blob = { name: 'body.bin', sha256: sha256Of(content), sizeBytes: content.length };

  it('brings a file in pieces, whole and checked', async () => {
    const server = await serve({ blob: (sha256) => (sha256 === blob.sha256 ? content : null) });
    expect(await fetchBlob({ address: server.address, security }, blob)).toEqual(content);
  });

  it('brings an empty file', async () => {
    const server = await serve({ blob: () => new Uint8Array(0) });
    const empty = { name: 'empty', sha256: sha256Of(new Uint8Array(0)), sizeBytes: 0 };
    expect(await fetchBlob({ address: server.address, security }, empty)).toEqual(new Uint8Array(0));
  });

  it.each([
    ['another content of the same size', content.map((byte) => byte ^ 1), 'the content has SHA-256'],
    ['a shorter one', content.subarray(1), `ended after ${content.length - 1} of ${content.length} bytes`],
    ['a longer one', new Uint8Array(content.length + 1), `longer than the ${content.length} bytes the plan names`],
  ])('refuses %s', async (_what, wrong, message) => {
    const server = await serve({ blob: () => wrong });
    await expect(fetchBlob({ address: server.address, security }, blob)).rejects.toMatchObject({
      code: 'protocol',
      message: expect.stringContaining(message),
    });
  });

  it('says that a file is not there', async () => {
    const server = await serve({});
    await expect(fetchBlob({ address: server.address, security }, blob)).rejects.toMatchObject({
      code: 'refused',
      message: `blob ${blob.sha256} is not here`,
    });
  });

  it('refuses a file above the limit without asking', async () => {
    const huge = { ...blob, sizeBytes: 2 ** 30 + 1 };
    await expect(fetchBlob({ address: '127.0.0.1:1', security }, huge)).rejects.toMatchObject({ code: 'protocol' });
  });
});

describe('R083 a peer that takes the connection and never says a word', () => {
  const TIMEOUT_MS = 300;

  async function silentEndpoint(): Promise<{ readonly address: string; readonly security: typeof security }> {
    const listener = createServer();
    await new Promise<void>((resolve) => void listener.listen(0, '127.0.0.1', resolve));
    const sockets: Socket[] = [];
    listener.on('connection', (socket) => void sockets.push(socket.on('error', () => undefined)));
    closers.push(() => {
      for (const socket of sockets) socket.destroy();
      listener.close();
    });
    return { address: `127.0.0.1:${(listener.address() as AddressInfo).port}`, security };
  }

  const noConnection = { code: 'lost', message: expect.stringContaining(`no connection within ${TIMEOUT_MS} ms`) };

  it('costs a submission, a watch and a file no more than that time', async () => {
    const endpoint = await silentEndpoint();
    const client = new RunsClient(endpoint, TIMEOUT_MS);
    closers.push(() => client.close());
    const header = { protocol: 1, planJson: new Uint8Array(2), planSha256: 'ab', effectiveYaml: '', secrets: [] };
    await expect(client.submit({ ...header, command: '' }, new Map())).rejects.toMatchObject(noConnection);
    await expect(client.watch('run-1')[Symbol.asyncIterator]().next()).rejects.toMatchObject(noConnection);
    const blob = { name: 'body.txt', sha256: 'ab', sizeBytes: 2 };
    await expect(fetchBlob(endpoint, blob, TIMEOUT_MS)).rejects.toMatchObject(noConnection);
  });

  it('a peer that has answered is left as much time as it needs', async () => {
    let delayMs = 0;
    const server = await serve({
      submit: async (messages) => {
        for await (const _ of messages);
        await new Promise((resolve) => setTimeout(resolve, delayMs));
        return 'run-7';
      },
    });
    const client = new RunsClient({ address: server.address, security }, TIMEOUT_MS);
    closers.push(() => client.close());
    const header = { protocol: 1, planJson: new Uint8Array(2), planSha256: 'ab', effectiveYaml: '', secrets: [] };
    const submit = (): Promise<string> => client.submit({ ...header, command: '' }, new Map());
    // A busy machine may take longer than that to connect: what is shown begins when it has.
    await expect.poll(submit, { timeout: 20_000 }).toBe('run-7');
    delayMs = 3 * TIMEOUT_MS;
    expect(await submit()).toBe('run-7');
  });
});

describe('Runs', () => {
  const header = {
    protocol: 1,
    planJson: new TextEncoder().encode('{}'),
    planSha256: 'ab',
    effectiveYaml: 'name: x\n',
    secrets: ['s3cret'],
    command: 'loadfleet run x.yaml',
  };

  it('a submission arrives in order: header, then files in pieces, empty ones too', async () => {
    const seen: SubmitMessage[] = [];
    const server = await serve({
      submit: async (messages) => {
        for await (const message of messages) seen.push(message);
        return 'run-7';
      },
    });
    const large = new Uint8Array(2 * PIECE_BYTES + 1).fill(7);
    const blobs = new Map([
      ['aa', large],
      ['bb', new Uint8Array(0)],
    ]);
    expect(await runsClient(server.address).submit(header, blobs)).toBe('run-7');
    expect(seen[0]).toEqual({ kind: 'header', header });
    expect(
      seen.slice(1).map((piece) => (piece.kind === 'piece' ? [piece.sha256, piece.content.length] : null)),
    ).toEqual([
      ['aa', PIECE_BYTES],
      ['aa', PIECE_BYTES],
      ['aa', 1],
      ['bb', 0],
    ]);
  });

  it('a refusal in the middle of an upload reaches the command line with its code', async () => {
    const server = await serve({
      submit: async (messages) => {
        await messages[Symbol.asyncIterator]().next();
        throw new FleetError('refused', 'busy with run run-1 (running)');
      },
    });
    const blobs = new Map([['aa', new Uint8Array(40 * PIECE_BYTES)]]);
    await expect(runsClient(server.address).submit(header, blobs)).rejects.toMatchObject({
      code: 'refused',
      message: 'busy with run run-1 (running)',
    });
  });

  it('R107 a run id that could lead out of the folder of results is refused', async () => {
    const server = await serve({ submit: () => Promise.resolve('../../evil') });
    await expect(runsClient(server.address).submit(header, new Map())).rejects.toMatchObject({
      code: 'protocol',
      message: expect.stringContaining('submit.run_id: "../../evil"'),
    });
  });

  const progress: WatchEvent = {
    kind: 'progress',
    progress: {
      elapsedNs: -5,
      plannedNs: 10e9,
      state: 'running',
      phase: null,
      agentsAlive: 1,
      agentsTotal: 2,
      latest: {
        startNs: null,
        lengthNs: 1e9,
        scheduled: 1,
        sent: 2,
        ok: 3,
        failed: 4,
        dropped: 5,
        wakeLagP99Ns: null,
        responseP50Ns: 6,
        responseP99Ns: 7,
        inFlight: 8,
        failedSoFar: 9,
        droppedSoFar: 10,
      },
    },
  };
  const piece: WatchEvent = { kind: 'piece', name: 'result.json', content: new Uint8Array([1, 2]) };
  const end: WatchEvent = { kind: 'end', outcome: 'ok', exitCode: 0, reasons: ['a'], summary: 's\n' };

  it('a watcher gets every event and stops at the end', async () => {
    const full: WatchEvent = {
      ...progress,
      progress: {
        ...progress.progress,
        phase: 'load',
        latest: { ...progress.progress.latest, startNs: 3e9, wakeLagP99Ns: 1 },
      },
    };
    const server = await serve({
      watch: async function* () {
        yield progress;
        yield full;
        yield piece;
        yield end;
      },
    });
    expect(await collect(runsClient(server.address).watch('run-7'))).toEqual([progress, full, piece, end]);
  });

  it('R083 a watch that ends before the run did is a lost coordinator, not a finished run', async () => {
    const server = await serve({
      watch: async function* () {
        yield progress;
      },
    });
    await expect(collect(runsClient(server.address).watch('run-7'))).rejects.toMatchObject({
      code: 'lost',
      message: expect.stringContaining('ended before the run did'),
    });
  });

  it('R083 RST_STREAM with code 0 in a watch is a lost coordinator', async () => {
    const resetting = await startResettingServer();
    closers.push(() => resetting.close());
    const client = runsClient(resetting.address);
    await expect(collect(client.watch('run-7'))).rejects.toMatchObject({ code: 'lost' });
  });

  it('a stop is answered with the state; a wrong signal is refused', async () => {
    const stops: unknown[] = [];
    const server = await serve({
      stop: (...asked) => {
        stops.push(asked);
        return 'running';
      },
    });
    const client = runsClient(server.address);
    expect(await client.stop('run-7', 'SIGTERM', true)).toBe('running');
    expect(stops).toEqual([['run-7', 'SIGTERM', true]]);
    await expect(client.stop('run-7', 'SIGHUP' as 'stop', false)).rejects.toMatchObject({ code: 'protocol' });
  });

  it('is defined from its descriptor', () => {
    expect(serviceDefinition(Runs)).toMatchObject({
      submit: { path: '/loadfleet.v1.Runs/Submit', requestStream: true, responseStream: false },
      watch: { path: '/loadfleet.v1.Runs/Watch', requestStream: false, responseStream: true },
      stop: { path: '/loadfleet.v1.Runs/Stop', requestStream: false, responseStream: false },
    });
  });
});
