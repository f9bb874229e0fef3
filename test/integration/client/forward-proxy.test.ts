/** The wire client through forward proxies, where the plan asks for one (R035). */
import { createServer } from 'node:https';
import { afterEach, describe, expect, it } from 'vitest';
import { certificateFor, hasOpenssl } from '../../support/certificate.ts';
import { startForwardProxy } from '../../support/forward-proxy.ts';
import { closeOpened, listenOpened, OK, serve, wireFor } from '../../support/opened.ts';
import { sendRecorded } from '../../support/recording-sink.ts';

afterEach(closeOpened);

/** An https server whose answers tell the SNI that it saw. */
async function serveTls(): Promise<string> {
  const server = createServer(certificateFor('DNS:secure.test'), (request, response) => {
    response.end(`${String((request.socket as { servername?: string }).servername)} ${String(request.url)}`);
  });
  return `https://${await listenOpened(server)}`;
}

describe('R035 requests to an http URL through a proxy', () => {
  it('name the whole URL as it is written, on connections to the proxy that are used again', async () => {
    const raw = await serve((_request, socket) => socket.write(OK));
    const client = wireFor('http://origin.test:81', { proxy: raw.url });
    for (const target of ['/a%2Fb//e/../f?x=%7B%7D&y=a+b', '']) {
      const { sink } = sendRecorded(client, { url: `http://origin.test:81${target}`, identity: '1.2' });
      expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
    }
    const [first = '', second = ''] = raw.requests;
    expect(first).toBe(
      'GET http://origin.test:81/a%2Fb//e/../f?x=%7B%7D&y=a+b HTTP/1.1\r\nHost: origin.test:81\r\nloadfleet-id: 1.2\r\n\r\n',
    );
    expect(second.split('\r\n')[0]).toBe('GET http://origin.test:81/ HTTP/1.1');
    expect(raw.sockets).toHaveLength(1);
  });

  it('reach their server through it, with the credentials of the proxy', async () => {
    const server = await serve((_request, socket) => socket.write(OK));
    const proxy = await startForwardProxy();
    const client = wireFor(server.url, { proxy: `http://user:pa%40ss@${proxy.place}` });
    const { sink } = sendRecorded(client, { url: `${server.url}/x?y=1` });
    expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
    const authorization = `Basic ${Buffer.from('user:pa@ss').toString('base64')}`;
    expect(proxy.asked).toEqual([{ line: `GET ${server.url}/x?y=1`, authorization }]);
    expect(server.requests[0]).not.toMatch(/proxy-authorization/i);
  });

  it('fail as the proxy says, and as connect-refused where it is not there', async () => {
    const proxy = await serve((_request, socket) =>
      socket.write('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n'),
    );
    const client = wireFor('http://origin.test', { proxy: proxy.url });
    // What is ok is the plan's to say: a client knows the status.
    expect(await sendRecorded(client, { url: 'http://origin.test/' }).sink.done).toEqual({ kind: 'ok', status: 407 });
    await closeOpened();
    const nobody = wireFor('http://origin.test', { proxy: proxy.url });
    expect(await sendRecorded(nobody, { url: 'http://origin.test/' }).sink.done).toMatchObject({
      class: 'connect-refused',
    });
  });
});

describe.runIf(hasOpenssl)('R035 requests to an https URL through a proxy', () => {
  it('go through one tunnel for a connection, TLS with the name of the URL inside', async () => {
    const url = await serveTls();
    const proxy = await startForwardProxy();
    const client = wireFor(url, { proxy: `http://u:p@${proxy.place}`, insecure: true, tlsServerName: 'secure.test' });
    for (let index = 0; index < 3; index += 1) {
      const { sink } = sendRecorded(client, { url: `${url}/n?${index}` });
      expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
      expect(sink.body).toBe(`secure.test /n?${index}`);
    }
    const authority = url.slice('https://'.length);
    const authorization = `Basic ${Buffer.from('u:p').toString('base64')}`;
    expect(proxy.asked).toEqual([{ line: `CONNECT ${authority} ${authority}`, authorization }]);
    expect(client.counters.connectionsOpened).toBe(1);
  });

  it('many at once have a tunnel each, and a large body comes whole', async () => {
    const url = await serveTls();
    const proxy = await startForwardProxy();
    const client = wireFor(url, { proxy: `http://${proxy.place}`, insecure: true, connectionsMax: 8 });
    await client.prepare(8);
    const path = `/${'x'.repeat(60_000)}`;
    const sent = Array.from({ length: 40 }, (_, index) =>
      sendRecorded(client, { url: `${url}${index < 4 ? path.slice(0, 8000) : '/'}` }),
    );
    for (const { sink } of sent) expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
    expect(proxy.asked).toHaveLength(8);
  });

  it.each([
    ['HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n', 'connect-refused', 'PROXY_STATUS_407'],
    ['HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 502 Bad Gateway\r\n\r\n', 'connect-refused', 'PROXY_STATUS_502'],
    ['SSH-2.0-other\r\n\r\n', 'protocol', 'PROXY_ANSWER'],
    ['HTTP/1.1 200 OK\r\n\r\nhello', 'protocol', 'PROXY_ANSWER'],
    [`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(70_000)}`, 'protocol', 'PROXY_ANSWER'],
  ])('a proxy that answers CONNECT with %j: %s, %s', async (answer, failure, detail) => {
    const proxy = await startForwardProxy(answer);
    const client = wireFor('https://secure.test', { proxy: `http://${proxy.place}`, insecure: true });
    const { sink } = sendRecorded(client, { url: 'https://secure.test/' });
    expect(await sink.done).toEqual({ kind: 'failed', class: failure, status: null, detail });
    expect(proxy.asked[0]?.line).toBe('CONNECT secure.test:443 secure.test:443');
  });

  it('a proxy that never answers is a connect timeout', async () => {
    const proxy = await startForwardProxy('');
    const client = wireFor('https://secure.test', { proxy: `http://${proxy.place}`, connectTimeoutNs: 200e6 });
    expect(await sendRecorded(client, { url: 'https://secure.test/' }).sink.done).toMatchObject({
      class: 'connect-timeout',
    });
  });

  it('a certificate for another name is refused inside a tunnel too', async () => {
    const url = await serveTls();
    const proxy = await startForwardProxy();
    const client = wireFor(url, { proxy: `http://${proxy.place}` });
    expect(await sendRecorded(client, { url }).sink.done).toMatchObject({ class: 'tls' });
  });

  it('a client that is closed ends a request whose tunnel is being made', async () => {
    const proxy = await startForwardProxy('');
    const client = wireFor('https://secure.test', { proxy: `http://${proxy.place}` });
    const { sink } = sendRecorded(client, { url: 'https://secure.test/' });
    await expect.poll(() => proxy.asked.length).toBe(1);
    await client.close();
    expect(await sink.done).toMatchObject({ class: 'generator' });
  });
});
