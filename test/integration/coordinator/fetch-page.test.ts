import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { fetchPage } from '../../../coordinator/scrape/fetch-page.ts';

const servers: Server[] = [];

async function serve(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status, headers).end(body));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`;
}

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

describe('fetching a page of metrics', () => {
  it('gives its text', async () => {
    expect(await fetchPage(await serve(200, 'a 1\n'), 5000)).toEqual({ kind: 'page', text: 'a 1\n' });
  });

  it('follows no redirect and takes no other status', async () => {
    expect(await fetchPage(await serve(302, '', { location: '/elsewhere' }), 5000)).toEqual({
      kind: 'failed',
      reason: 'status 302',
    });
  });

  it('tells why there is no page', async () => {
    const url = await serve(200, '');
    await new Promise((resolve) => servers.pop()?.close(resolve));
    expect(await fetchPage(url, 5000)).toEqual({ kind: 'failed', reason: 'ECONNREFUSED' });
    const silent = createServer(() => undefined);
    servers.push(silent);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const silentUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
    expect(await fetchPage(silentUrl, 50)).toEqual({ kind: 'failed', reason: 'no answer in time' });
    silent.closeAllConnections();
  });
});
