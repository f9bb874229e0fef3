/** Ends of TLS connections: with close_notify, and by TCP alone, which anyone on the way can end (RFC 9112 §9.8). */
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { certificateFor, hasOpenssl } from '../../support/certificate.ts';
import { startForwardProxy } from '../../support/forward-proxy.ts';
import { closeOpened, keepOpened, undiciFor, wireFor } from '../../support/opened.ts';
import { sendRecorded } from '../../support/recording-sink.ts';

afterEach(closeOpened);

const certificate = hasOpenssl ? certificateFor('IP:127.0.0.1') : { key: '', cert: '' };
const UNTIL_CLOSE = 'HTTP/1.1 200 OK\r\n\r\nsome of it';
/** More than a reader takes at once, so that it stops reading meanwhile. */
const LARGE = `${UNTIL_CLOSE}${'x'.repeat(3_000_000)}`;
const OK = { kind: 'ok', status: 200 };
const CUT_OFF = {
  kind: 'failed',
  class: 'truncated',
  status: 200,
  detail: 'the connection ended without close_notify',
};

/** Answers the first request of each connection with `answer`, then ends as it is told. Gives its URL. */
async function start(answer: string, end: 'close_notify' | 'TCP', version: 'TLSv1.2' | 'TLSv1.3'): Promise<string> {
  const sockets: Socket[] = [];
  const server = createServer((below) => {
    sockets.push(below);
    const socket = new TLSSocket(below, { ...certificate, isServer: true, minVersion: version, maxVersion: version });
    for (const one of [below, socket]) one.on('error', () => undefined);
    socket.once('data', () => {
      if (end === 'close_notify') socket.end(answer);
      else socket.write(answer, () => below.end());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  keepOpened({
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe.skipIf(!hasOpenssl).each([
  ['the wire client', wireFor],
  ['undici', undiciFor],
])('%s (skipped where openssl is not installed)', (_name, clientFor) => {
  describe.each(['TLSv1.2', 'TLSv1.3'] as const)('%s', (version) => {
    it.each([
      ['close_notify', UNTIL_CLOSE, OK],
      ['TCP', UNTIL_CLOSE, CUT_OFF],
      ['close_notify', LARGE, OK],
      ['TCP', LARGE, CUT_OFF],
      ['TCP', 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nsome', OK],
      ['TCP', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n', OK],
      ['TCP', 'HTTP/1.1 204 No Content\r\n\r\n', { kind: 'ok', status: 204 }],
    ] as const)('R020 %s ends %.60s', async (end, answer, outcome) => {
      const url = await start(answer, end, version);
      expect(await sendRecorded(clientFor(url, { insecure: true }), { url }).sink.done).toEqual(outcome);
    });
  });

  it('R020 an answer to HEAD is whole however its connection ends', async () => {
    const url = await start('HTTP/1.1 200 OK\r\n\r\n', 'TCP', 'TLSv1.3');
    const client = clientFor(url, { insecure: true });
    expect(await sendRecorded(client, { url, method: 'HEAD' }).sink.done).toEqual(OK);
  });
});

describe.skipIf(!hasOpenssl)('through a tunnel (skipped where openssl is not installed)', () => {
  it.each([
    ['close_notify', OK],
    ['TCP', CUT_OFF],
  ] as const)('R020 %s ends an answer', async (end, outcome) => {
    const url = await start(UNTIL_CLOSE, end, 'TLSv1.3');
    const proxy = await startForwardProxy();
    const client = wireFor(url, { insecure: true, proxy: `http://${proxy.place}` });
    expect(await sendRecorded(client, { url }).sink.done).toEqual(outcome);
  });
});
