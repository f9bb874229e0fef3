/** What every client does with the requests that it still has, or gets, when it is closed. */
import { afterEach, describe, expect, it } from 'vitest';
import type { ProtocolClient } from '../../../agent/client/protocol-client.ts';
import type { WireClientOptions } from '../../../agent/client/wire/wire-client.ts';
import { FRAME, okHead, SETTING, settings } from '../../support/h2-frames.ts';
import { closeOpened, h2For, keepOpened, serve, undiciFor, wireFor } from '../../support/opened.ts';
import { startRawH2Server } from '../../support/raw-h2-server.ts';
import { type RecordingSink, sendRecorded } from '../../support/recording-sink.ts';

afterEach(closeOpened);

/** A server that begins an answer to the path `/begun`, and says nothing to others. */
interface SilentServer {
  readonly url: string;
  requests(): number;
}

async function silentHttp1(): Promise<SilentServer> {
  let requests = 0;
  const { url } = await serve((request, socket) => {
    requests += 1;
    if (request.startsWith('GET /begun')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nso');
  });
  return { url, requests: () => requests };
}

async function silentH2(): Promise<SilentServer> {
  const begun = Buffer.from('/begun');
  const server = keepOpened(
    await startRawH2Server(
      (stream, _socket, _requests, connection) => {
        const isBegun = connection.framesOf(FRAME.headers, stream)[0]?.payload.includes(begun);
        if (isBegun === true) connection.write(okHead(stream, 9));
      },
      { greeting: settings([SETTING.maxConcurrentStreams, 1]) },
    ),
  );
  return {
    url: server.url,
    requests: () => server.connections.reduce((sum, { streams }) => sum + streams.length, 0),
  };
}

type MakeClient = (url: string, options: Partial<WireClientOptions>) => ProtocolClient;

describe.each<[string, MakeClient, () => Promise<SilentServer>]>([
  ['wire', wireFor, silentHttp1],
  ['undici', undiciFor, silentHttp1],
  ['h2', h2For, silentH2],
])('a client that is closed: %s', (_name, clientFor, silent) => {
  const closed = { kind: 'failed', class: 'generator', status: null, detail: 'the client is closed' };

  it('has failed what is on its way, what waits, and what is sent from then on', async () => {
    const server = await silent();
    const client = clientFor(server.url, { connectionsMax: 2 });
    const begun = sendRecorded(client, { url: `${server.url}/begun` }).sink;
    await expect.poll(() => begun.firstByteNs).not.toBeNull();
    const sent = sendRecorded(client, { url: server.url, template: 1 }).sink;
    await expect.poll(() => server.requests()).toBe(2);
    const waiting = sendRecorded(client, { url: server.url, template: 1 }).sink;
    const sentBy: RecordingSink[] = [];
    const again = (): void => void sentBy.push(sendRecorded(client, { url: server.url, template: 2 }).sink);
    await expect.poll(() => waiting.waits.length).toBeGreaterThan(0);
    void sent.done.then(again);
    await client.close();
    const late = sendRecorded(client, { url: server.url, template: 3 }).sink;
    expect(await begun.done).toEqual({ ...closed, status: 200 });
    for (const sink of [sent, waiting, late]) expect(await sink.done).toEqual(closed);
    await expect.poll(() => sentBy.length).toBe(1);
    expect(await sentBy[0]?.done).toEqual(closed);
    expect(server.requests()).toBe(2);
  });

  it('has failed what waits for a connection that is being made', async () => {
    const server = await silent();
    const client = clientFor(server.url, { connectionsMax: 2 });
    const sinks = [1, 2, 3].map(() => sendRecorded(client, { url: server.url }).sink);
    await client.close();
    for (const sink of sinks) expect(await sink.done).toEqual(closed);
  });
});
