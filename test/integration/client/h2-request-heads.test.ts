/** Heads that the HTTP/2 client sends: which fields they hold, and the frames that carry them. Node's own server reads them. */
import { afterEach, describe, expect, it } from 'vitest';
import { H2Client, type H2ClientOptions } from '../../../agent/client/h2/h2-client.ts';
import { DEFAULT_FRAME_MAX, END_STREAM, FLAG, FRAME, okHead, SETTING, settings } from '../../support/h2-frames.ts';
import { requestFieldsOf, type RequestFields } from '../../support/h2-request-fields.ts';
import { clientOptions, closeOpened, keepOpened } from '../../support/opened.ts';
import { type RawH2Connection, type RawH2Options, startRawH2Server } from '../../support/raw-h2-server.ts';
import { sendRecorded } from '../../support/recording-sink.ts';
import type { OutboundRequest } from '../../../agent/client/protocol-client.ts';

afterEach(closeOpened);

/** Sends `requests` one after the other, each answered with 200; gives the connection they went over and its host. */
async function sendAll(
  requests: readonly Partial<OutboundRequest>[],
  serverOptions: RawH2Options = {},
  options: Partial<H2ClientOptions> = {},
): Promise<{ connection: RawH2Connection; host: string }> {
  const server = keepOpened(
    await startRawH2Server((stream, _socket, _requests, connection) => {
      connection.write(okHead(stream, null, END_STREAM));
    }, serverOptions),
  );
  const client = keepOpened(new H2Client(clientOptions(server.url, { connectionsMax: 1, ...options })));
  for (const [template, request] of requests.entries()) {
    const { sink } = sendRecorded(client, { template, ...request, url: request.url ?? server.url });
    expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
  }
  return { connection: server.connections[0] as RawH2Connection, host: server.url.slice('http://'.length) };
}

async function fieldsOf(request: Partial<OutboundRequest>): Promise<{ fields: RequestFields; host: string }> {
  const { connection, host } = await sendAll([request]);
  const [fields] = await requestFieldsOf(connection);
  return { fields: fields ?? [], host };
}

describe('fields of a request', () => {
  it('are the four pseudo fields first, then those of the plan, lower case, in order, and no other', async () => {
    const { fields, host } = await fieldsOf({
      headers: [
        ['X-First', 'One'],
        ['accept', '*/*'],
        ['X-Second', 'TWO'],
      ],
      identity: '0.0.7',
    });
    expect([...fields.slice(0, 4)].sort()).toEqual([
      `:authority: ${host}`,
      ':method: GET',
      ':path: /',
      ':scheme: http',
    ]);
    expect(fields.slice(4)).toEqual(['x-first: One', 'accept: */*', 'x-second: TWO', 'loadfleet-id: 0.0.7']);
  });

  it('hold none of those that belong to a connection of HTTP/1.1', async () => {
    const { fields } = await fieldsOf({
      method: 'POST',
      body: Buffer.from('hello'),
      headers: [
        ['Connection', 'keep-alive'],
        ['Keep-Alive', 'timeout=5'],
        ['Proxy-Connection', 'close'],
        ['Transfer-Encoding', 'chunked'],
        ['Upgrade', 'h2c'],
        ['X-Kept', 'yes'],
      ],
    });
    expect(fields.slice(4).filter((field) => !field.startsWith('content-length'))).toEqual(['x-kept: yes']);
  });

  it.each([
    ['application/grpc+proto', ['te: trailers']],
    ['application/json', []],
  ])('R036 say that trailers are read where the type is %s: only calls of gRPC need it', async (type, expected) => {
    const server = keepOpened(await startRawH2Server((stream, _socket, _n, at) => at.write(okHead(stream, null, 1))));
    const client = keepOpened(new H2Client(clientOptions(server.url)));
    const request = { url: server.url, method: 'POST', headers: [['Content-Type', type]] as const };
    await sendRecorded(client, request).sink.done;
    const [fields = []] = await requestFieldsOf(server.connections[0] as RawH2Connection);
    expect(fields.filter((field) => field.startsWith('te:'))).toEqual(expected);
  });

  it('name the host of the plan in :authority alone', async () => {
    const { fields } = await fieldsOf({ headers: [['Host', 'other.test:81']] });
    expect(fields.filter((field) => field.includes('other.test'))).toEqual([':authority: other.test:81']);
  });

  it('R028 leave the path as it is written', async () => {
    const server = keepOpened(await startRawH2Server((stream, _socket, _n, at) => at.write(okHead(stream, null, 1))));
    const client = keepOpened(new H2Client(clientOptions(server.url)));
    const paths = ['/a%2Fb/../c?x=%20&y=a+b', '/?', '/%zz', '/*', '/a//b;c'];
    for (const [template, path] of paths.entries())
      await sendRecorded(client, { url: `${server.url}${path}`, template }).sink.done;
    const found = await requestFieldsOf(server.connections[0] as RawH2Connection);
    expect(found.map((fields) => fields.find((field) => field.startsWith(':path')))).toEqual(
      paths.map((path) => `:path: ${path}`),
    );
  });

  it('are the same again when a template is sent again, with identities of their own', async () => {
    const headers = [['x-name', 'value']] as const;
    const same = { headers, template: 0 };
    const { connection } = await sendAll([1, 2, 3].map((index) => ({ ...same, identity: `0.0.${index}` })));
    const found = await requestFieldsOf(connection);
    const without = found.map((fields) => fields.filter((field) => !field.startsWith('loadfleet-id')));
    expect(without).toEqual([without[0], without[0], without[0]]);
    expect(found.map((fields) => fields.at(-1))).toEqual([1, 2, 3].map((index) => `loadfleet-id: 0.0.${index}`));
  });

  it('are written anew when a template comes with another method, other headers or a body of another length', async () => {
    const headers = [['x-name', 'value']] as const;
    const { connection } = await sendAll(
      [
        { headers, method: 'POST', body: Buffer.from('hello') },
        { headers, method: 'POST', body: Buffer.from('HELLO') },
        { headers, method: 'POST', body: Buffer.from('hello again') },
        { headers, method: 'PUT', body: Buffer.from('hello again') },
        { headers: [['x-name', 'other']] as const, method: 'PUT', body: Buffer.from('hello again') },
      ].map((request) => ({ ...request, template: 0 })),
    );
    const found = await requestFieldsOf(connection);
    const own = (fields: RequestFields): string[] => fields.filter((field) => !/^:(authority|path|scheme)/.test(field));
    expect(found.map(own)).toEqual([
      [':method: POST', 'x-name: value', 'content-length: 5'],
      [':method: POST', 'x-name: value', 'content-length: 5'],
      [':method: POST', 'x-name: value', 'content-length: 11'],
      [':method: PUT', 'x-name: value', 'content-length: 11'],
      [':method: PUT', 'x-name: other', 'content-length: 11'],
    ]);
  });

  it.each([0, 100, 4096, 65_536])('are read right by a server whose table holds %i bytes', async (tableBytes) => {
    const requests = Array.from({ length: 8 }, (_, index) => ({
      headers: [
        ['x-same', 'v'.repeat(60)],
        [`x-other-${index % 3}`, `value ${index}`],
      ] as const,
    }));
    const { connection } = await sendAll(requests, { greeting: settings([SETTING.headerTableSize, tableBytes]) });
    // Node as the reader has a table of 4,096 bytes: where the server allows less, ours must use less.
    const found = await requestFieldsOf(connection);
    expect(found.map((fields) => fields.slice(4))).toEqual(
      requests.map(({ headers }) => headers.map(([name, value]) => `${name}: ${value}`)),
    );
  });
});

describe('frames of a head', () => {
  it.each([
    ['GET', null],
    ['POST', Buffer.from('hello')],
  ])('%s: one that is too large for a frame goes on in CONTINUATION, with nothing between', async (method, body) => {
    const headers = Array.from({ length: 5 }, (_, index) => [`x-large-${index}`, '~'.repeat(9000)] as const);
    const { connection } = await sendAll([{ method, body, headers }]);
    const start = connection.frames.findIndex(({ type }) => type === FRAME.headers);
    const parts = connection.frames.slice(start);
    const end = parts.findIndex(({ flags }) => (flags & FLAG.endHeaders) !== 0);
    const head = parts.slice(0, end + 1);
    expect(head.length).toBeGreaterThan(2);
    expect(head.map(({ type, stream }) => [type, stream])).toEqual(
      head.map((_, index) => [index === 0 ? FRAME.headers : FRAME.continuation, 1]),
    );
    expect(head.every(({ payload }) => payload.length <= DEFAULT_FRAME_MAX)).toBe(true);
    expect((head[0]?.flags ?? 0) & FLAG.endStream).toBe(body === null ? FLAG.endStream : 0);
    const [fields] = await requestFieldsOf(connection);
    expect(fields?.slice(4).filter((field) => field.startsWith('x-large'))).toEqual(
      headers.map(([name, value]) => `${name}: ${value}`),
    );
  });

  it('a head of many fields is one frame while it fits', async () => {
    const headers = Array.from({ length: 200 }, (_, index) => [`x-field-${index}`, `value ${index}`] as const);
    const { connection } = await sendAll([{ headers }]);
    expect(connection.framesOf(FRAME.headers)).toHaveLength(1);
    expect(connection.framesOf(FRAME.continuation)).toHaveLength(0);
    const [fields] = await requestFieldsOf(connection);
    expect(fields?.slice(4)).toEqual(headers.map(([name, value]) => `${name}: ${value}`));
  });
});
