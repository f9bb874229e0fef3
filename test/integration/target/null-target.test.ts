import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { type RunningNullTarget, startNullTarget } from '../../../target/null-target.ts';
import { RawClient } from '../../support/raw-client.ts';

let target: RunningNullTarget | null = null;
const clients: RawClient[] = [];

async function connect(bodyBytes?: number): Promise<RawClient> {
  target ??= await startNullTarget(bodyBytes === undefined ? {} : { bodyBytes });
  const client = await RawClient.connect(target.port);
  clients.push(client);
  return client;
}

afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await target?.close();
  target = null;
});

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nxx';
const HEAD_ANSWER = ANSWER.slice(0, -2);

/** Requests of all kinds, with what they are answered. */
const REQUESTS = [
  { text: 'GET / HTTP/1.1\r\nHost: test\r\n\r\n', answer: ANSWER },
  { text: 'GET /other HTTP/1.1\r\nHost: test\r\nLoadfleet-Id: 0.0.1\r\n\r\n', answer: ANSWER },
  { text: 'HEAD / HTTP/1.1\r\nHost: test\r\n\r\n', answer: HEAD_ANSWER },
  { text: 'POST / HTTP/1.1\r\ncontent-length: 25\r\n\r\nGET / HTTP/1.1\r\n\r\nGET / H', answer: ANSWER },
  { text: 'PUT / HTTP/1.1\r\nContent-Length: 0\r\nX: close\r\n\r\n', answer: ANSWER },
];

describe('the null target', () => {
  it('answers and counts whatever the pipelining and the splits of reads', async () => {
    await connect();
    let expected = 0;
    const requests = fc.array(fc.constantFrom(...REQUESTS), { minLength: 1, maxLength: 12 });
    const cuts = fc.array(fc.nat(), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(requests, cuts, async (sent, cutAt) => {
        const client = await connect();
        const text = sent.map((request) => request.text).join('');
        const places = [...new Set(cutAt.map((cut) => cut % text.length))].sort((a, b) => a - b);
        for (const [i, from] of [0, ...places].entries()) {
          client.send(text.slice(from, places[i] ?? text.length));
          // A turn of the loop, so that the pieces are apart on the wire at least now and then.
          await new Promise((resolve) => setImmediate(resolve));
        }
        const answer = sent.map((request) => request.answer).join('');
        while (client.text.length < answer.length) await client.until(new RegExp(`^[^]{${client.text.length + 1}}`));
        expect(client.text).toBe(answer);
        expected += sent.length;
        expect(target?.counts().requests).toBe(expected);
        client.close();
      }),
      { numRuns: 60 },
    );
  });

  it('answers more pipelined requests than it keeps ready answers for', async () => {
    const client = await connect();
    client.send(REQUESTS[0]!.text.repeat(1_000));
    while (client.text.length < 1_000 * ANSWER.length)
      await client.until(new RegExp(`^[^]{${client.text.length + 1}}`));
    expect(client.text).toBe(ANSWER.repeat(1_000));
    expect(target?.counts().requests).toBe(1_000);
  });

  it.each([
    ['GET / HTTP/1.1\r\nConnection: close\r\n\r\nGET / HTTP/1.1\r\n\r\n', ANSWER],
    ['HEAD / HTTP/1.1\r\nConnection: close\r\n\r\n', HEAD_ANSWER],
    ['GET / HTTP/1.0\r\n\r\n', ANSWER],
  ])('closes when asked to: %j', async (text, answer) => {
    const client = await connect();
    client.send(text);
    expect(await client.untilEnd()).toBe('closed');
    expect([client.text, target?.counts().requests]).toEqual([answer, 1]);
  });

  it('refuses chunked bodies and heads without end', async () => {
    const chunked = await connect();
    chunked.send('POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n');
    expect(await chunked.untilEnd()).toBe('closed');
    expect(chunked.text).toMatch(/^HTTP\/1\.1 411 /);
    const endless = await connect();
    endless.send(`GET / HTTP/1.1\r\nX: ${'y'.repeat(70_000)}`);
    await endless.untilEnd();
    expect(target?.counts()).toMatchObject({ requests: 0, malformed: 2 });
  });

  it('gives the body length asked for, and counts connections', async () => {
    const client = await connect(5_000);
    client.get('/');
    await client.until(/\r\n\r\nx{5000}$/);
    client.close();
    await expect.poll(() => target?.counts().connections).toEqual({ opened: 1, open: 0 });
  });

  it('listens on loopback only', async () => {
    await expect(startNullTarget({ listen: '0.0.0.0:0' })).rejects.toThrow(/not a loopback address/);
  });
});
