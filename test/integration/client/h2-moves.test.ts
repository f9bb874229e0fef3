/** The HTTP/2 client against node:http2 servers that say goodbye, refuse, reset or die: what moves, what ends, and how. */
import type { ServerHttp2Stream } from 'node:http2';
import { afterEach, describe, expect, it } from 'vitest';
import { answer, serve } from '../../support/h2-test-server.ts';
import { closeOpened, h2For } from '../../support/opened.ts';
import { sendRecorded } from '../../support/recording-sink.ts';

afterEach(closeOpened);

describe('HTTP/2 requests whose connection or stream ends early', () => {
  it('R021 a GOAWAY with an error code: what is above last-stream-id moves, the rest has failed by it', async () => {
    let seen = 0;
    const server = await serve((stream) => {
      seen += 1;
      if (seen === 10) server.sessions[0]?.goaway(2, 1);
      else if (seen > 10) answer(stream);
    });
    const client = h2For(server.url);
    await client.prepare(1);
    const sent = Array.from({ length: 10 }, () => sendRecorded(client, { url: server.url }).sink);
    expect(await sent[0]?.done).toMatchObject({ class: 'reset', detail: 'GOAWAY 2' });
    for (const sink of sent.slice(1)) expect(await sink.done).toMatchObject({ kind: 'ok' });
    expect(client.counters.retries).toBe(9);
  });

  it('R021a moves requests above last-stream-id to a new connection', async () => {
    let first: ServerHttp2Stream | null = null;
    let moving = false;
    const server = await serve((stream) => {
      if (moving) answer(stream);
      else first ??= stream;
    });
    const client = h2For(server.url, { connectionsMax: 2 });
    await client.prepare(1);
    const sent = Array.from({ length: 40 }, () => sendRecorded(client, { url: server.url }).sink);
    await expect.poll(() => server.streams).toBe(40);
    moving = true;
    server.sessions[0]?.goaway(0, 1);
    for (const sink of sent.slice(1)) expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
    answer(first as unknown as ServerHttp2Stream);
    expect(await sent[0]?.done).toEqual({ kind: 'ok', status: 200 });
    expect(client.counters.retries).toBe(39);
    expect(server.streams).toBe(79);
  });

  it('R021b lets streams below last-stream-id finish after a graceful GOAWAY, and opens no new one on it', async () => {
    const held: ServerHttp2Stream[] = [];
    const server = await serve((stream) => {
      if (held.length < 3) held.push(stream);
      else answer(stream);
    });
    const client = h2For(server.url);
    await client.prepare(1);
    const first = Array.from({ length: 3 }, () => sendRecorded(client, { url: server.url }).sink);
    await expect.poll(() => held.length).toBe(3);
    const late = held[2] as ServerHttp2Stream;
    server.sessions[0]?.goaway(0, late.id ?? 0);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await sendRecorded(client, { url: server.url }).sink.done).toMatchObject({ kind: 'ok' });
    for (const stream of held) answer(stream);
    for (const sink of first) expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
    expect(server.sessions).toHaveLength(2);
  });

  it('R021c survives a GOAWAY every 97 requests without an error', async () => {
    let count = 0;
    const server = await serve((stream) => {
      count += 1;
      if (count % 97 === 0) stream.session?.goaway(0, stream.id);
      answer(stream);
    });
    const client = h2For(server.url, { connectionsMax: 4 });
    let failures = 0;
    for (let round = 0; round < 40; round += 1) {
      const sinks = Array.from({ length: 25 }, () => sendRecorded(client, { url: server.url }).sink);
      for (const sink of sinks) if ((await sink.done).kind !== 'ok') failures += 1;
    }
    expect(failures).toBe(0);
    expect(server.sessions.length).toBeGreaterThan(5);
  });

  it('R022 gives every reset stream a result', async () => {
    const server = await serve((stream, headers) => {
      if (headers[':path'] === '/refused') stream.close(0x7);
      else if (headers[':path'] === '/half') {
        stream.respond({ ':status': 200 });
        stream.write('some');
        setTimeout(() => stream.destroy(new Error('broken on purpose')), 20);
      } else stream.close(0x2);
    });
    const client = h2For(server.url);
    expect(await sendRecorded(client, { url: server.url }).sink.done).toMatchObject({ class: 'reset' });
    expect(await sendRecorded(client, { url: `${server.url}/half` }).sink.done).toMatchObject({
      class: 'truncated',
      status: 200,
    });
    expect(await sendRecorded(client, { url: `${server.url}/refused` }).sink.done).toMatchObject({ class: 'reset' });
  });

  it('R020 fewer DATA bytes than declared are a truncated answer', async () => {
    const server = await serve((stream) => {
      stream.respond({ ':status': 200, 'content-length': 100 });
      stream.end('hello');
    });
    expect(await sendRecorded(h2For(server.url), { url: server.url }).sink.done).toMatchObject({
      class: 'truncated',
      status: 200,
    });
  });

  it('a connection that dies ends its requests, and the next one goes to a new connection', async () => {
    const server = await serve((stream, headers) => {
      if (headers[':path'] === '/die') stream.session?.destroy();
      else answer(stream);
    });
    const client = h2For(server.url);
    expect(await sendRecorded(client, { url: `${server.url}/die` }).sink.done).toMatchObject({
      kind: 'failed',
      class: 'reset',
    });
    expect(await sendRecorded(client, { url: server.url }).sink.done).toMatchObject({ kind: 'ok' });
  });
});
