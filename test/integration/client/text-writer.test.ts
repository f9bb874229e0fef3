/** Texts written on a socket's handle: the same bytes in the same order as Node's own `write`, and errors as the socket's. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { TextWriter } from '../../../agent/client/text-writer.ts';

/** More than the kernel's buffers of a loopback connection hold. */
const LARGE = 'é'.repeat(24 * 2 ** 20);

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A connected pair. */
async function pair(): Promise<{ near: Socket; far: Socket }> {
  const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const near = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [far] = (await once(server, 'connection')) as [Socket];
  if (near.connecting) await once(near, 'connect');
  return { near, far };
}

async function readAll(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('latin1');
  for await (const piece of socket) text += piece as string;
  return text;
}

describe('TextWriter', () => {
  it.each([
    ['on the handle', false],
    ['through the stream, as for TLS', true],
  ])('keeps bytes and order when the kernel takes them later, bodies in between: %s', async (_how, encrypted) => {
    const { near, far } = await pair();
    const writer = new TextWriter(near, encrypted);
    writer.write('first\xff');
    writer.write(LARGE);
    near.write(Buffer.from('body'));
    writer.write('second');
    writer.write('third');
    near.end();
    const got = await readAll(far);
    expect(got.length).toBe(6 + LARGE.length + 4 + 6 + 5);
    expect(got === `first\xff${LARGE}bodysecondthird`).toBe(true);
  });

  it('tells of a connection that was reset by an error of the socket, not by a throw', async () => {
    const { near, far } = await pair();
    const writer = new TextWriter(near, false);
    const failed = once(near, 'error') as Promise<[NodeJS.ErrnoException]>;
    near.pause();
    far.resetAndDestroy();
    const writing = setInterval(() => writer.write('more'), 5);
    try {
      const [error] = await failed;
      expect(['EPIPE', 'ECONNRESET']).toContain(error.code);
    } finally {
      clearInterval(writing);
    }
    expect(near.destroyed).toBe(true);
  });

  it('writes nothing on a socket that was destroyed', async () => {
    const { near, far } = await pair();
    const writer = new TextWriter(near, false);
    near.destroy();
    await once(near, 'close');
    near.on('error', () => undefined);
    expect(() => writer.write('late')).not.toThrow();
    expect(await readAll(far)).toBe('');
  });
});
