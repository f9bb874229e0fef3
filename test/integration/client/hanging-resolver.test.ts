/** A resolver that never answers: a request ends by the limit on making its connection, as a failure of the name, not of the target (R017). */
import { afterEach, describe, expect, it } from 'vitest';
import type { ResolveAll } from '../../../agent/client/target-address.ts';
import { CLIENT_CLOSED } from '../../../agent/client/protocol-client.ts';
import { closeOpened, h2For, OK, serve, undiciFor, wireFor } from '../../support/opened.ts';
import { sendRecorded } from '../../support/recording-sink.ts';

afterEach(closeOpened);

const hangs: ResolveAll = () => new Promise(() => undefined);
const url = 'http://many.test/';

describe.each([
  ['the wire client', wireFor],
  ['undici', undiciFor],
  ['the HTTP/2 client', h2For],
])('%s and a resolver that hangs', (_name, clientFor) => {
  it('R017 every request fails as dns within the limit on connecting', async () => {
    const client = clientFor(url, { connectTimeoutNs: 100e6, connectionsMax: 2, resolveAll: hangs });
    await client.prepare(1);
    const sinks = [1, 2, 3].map(() => sendRecorded(client, { url }).sink);
    for (const sink of sinks) expect(await sink.done).toMatchObject({ class: 'dns', status: null, detail: 'ETIMEOUT' });
  });

  it('a client that is closed meanwhile has failed its requests itself', async () => {
    const client = clientFor(url, { connectTimeoutNs: 1e15, resolveAll: hangs });
    const prepared = client.prepare(1);
    const { sink } = sendRecorded(client, { url });
    await client.close();
    expect(await sink.done).toEqual(CLIENT_CLOSED);
    await prepared;
  });
});

describe('a resolver that hangs', () => {
  it('R024 is not waited for where only the renewal of an answer hangs', async () => {
    const server = await serve((_request, socket) => socket.write(OK));
    const target = `http://many.test:${server.port}/`;
    let lookups = 0;
    const resolveAll: ResolveAll = (host) => {
      lookups += 1;
      return lookups === 1 ? Promise.resolve(['127.0.0.1']) : hangs(host);
    };
    const clock = { hostNs: 1e15 };
    const steadyClock = { nowNs: () => clock.hostNs };
    const client = wireFor(target, { connectTimeoutNs: 100e6, connectionAgeNs: 50e9, steadyClock, resolveAll });
    for (let index = 0; index < 3; index += 1) {
      expect(await sendRecorded(client, { url: target }).sink.done).toEqual({ kind: 'ok', status: 200 });
      clock.hostNs += 60e9;
    }
    expect([lookups, server.sockets.length]).toEqual([2, 3]);
  });
});
