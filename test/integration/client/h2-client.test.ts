/** The HTTP/2 client against node:http2 servers: streams, limits, what is sent. Its sibling is `h2-moves.test.ts`. */
import type { ServerHttp2Stream } from 'node:http2';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Outcome } from '../../../shared/metrics/outcome.ts';
import { hostClock } from '../../../shared/time/monotonic-clock.ts';
import { answer, serve } from '../../support/h2-test-server.ts';
import { closeOpened, h2For } from '../../support/opened.ts';
import { RecordingSink, sendRecorded } from '../../support/recording-sink.ts';

/** Does something when its request is sent, as the dispatcher does. */
class SendingSink extends RecordingSink {
  readonly #then: () => void;

  constructor(then: () => void) {
    super();
    this.#then = then;
  }

  override onSend(tNs: number): void {
    super.onSend(tNs);
    this.#then();
  }
}

/** Does something when its request has ended, as a closed loop does. */
class EndingSink extends RecordingSink {
  readonly #then: () => void;

  constructor(then: () => void) {
    super();
    this.#then = then;
  }

  override onEnd(outcome: Outcome, tNs: number): void {
    super.onEnd(outcome, tNs);
    this.#then();
  }
}

afterEach(closeOpened);

describe('HTTP/2 in clear', () => {
  it('sends many requests over few connections', async () => {
    const seen: string[] = [];
    const server = await serve((stream, headers) => {
      seen.push(
        `${headers[':method']} ${headers[':path']} ${headers[':authority']} ${String(headers['loadfleet-id'])}`,
      );
      answer(stream);
    });
    const client = h2For(server.url, { connectionsMax: 2 });
    await client.prepare(2);
    const sent = Array.from({ length: 200 }, (_, index) =>
      sendRecorded(client, { url: `${server.url}/a%2Fb?n=${index}`, identity: `0.0.${index}` }),
    );
    for (const { sink } of sent) expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
    expect(sent[7]?.sink.body).toBe('ok');
    expect(server.sessions).toHaveLength(2);
    expect(seen).toHaveLength(200);
    expect(seen).toContain(`GET /a%2Fb?n=7 ${server.url.slice(7)} 0.0.7`);
  });

  it('keeps the order of streams when being sent makes a request send others', async () => {
    const server = await serve((stream) => answer(stream));
    const client = h2For(server.url, { connectionsMax: 1 });
    const sinks: RecordingSink[] = [];
    const sendOne = (): void => {
      const sink = new SendingSink(() => {
        if (sinks.length < 500) sendOne();
      });
      sinks.push(sink);
      client.send({ template: 0, method: 'GET', url: server.url, headers: [], body: null, identity: null }, sink);
    };
    for (let lane = 0; lane < 5; lane += 1) sendOne();
    await expect.poll(() => sinks.length).toBe(500);
    for (const sink of sinks) expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
    expect(server.sessions).toHaveLength(1);
    expect(client.counters.retries).toBe(0);
  });

  it('shares requests out evenly over its connections', async () => {
    const perSession = new Map<unknown, number>();
    const server = await serve((stream) => {
      perSession.set(stream.session, (perSession.get(stream.session) ?? 0) + 1);
      answer(stream);
    });
    const client = h2For(server.url, { connectionsMax: 4 });
    await client.prepare(4);
    for (const { sink } of Array.from({ length: 20 }, () => sendRecorded(client, { url: server.url })))
      expect(await sink.done).toMatchObject({ kind: 'ok' });
    expect([...perSession.values()]).toEqual([5, 5, 5, 5]);
  });

  it('is read by a server that allows no table of fields', async () => {
    const server = await serve((stream) => answer(stream), { settings: { headerTableSize: 0 } });
    const client = h2For(server.url, { connectionsMax: 1 });
    await client.prepare(1);
    for (let index = 0; index < 3; index += 1)
      expect(await sendRecorded(client, { url: server.url }).sink.done).toEqual({ kind: 'ok', status: 200 });
  });

  it('sends bodies', async () => {
    const server = await serve((stream) => {
      let text = '';
      stream.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      stream.on('end', () => answer(stream, text.toUpperCase()));
    });
    const { sink } = sendRecorded(h2For(server.url), {
      url: server.url,
      method: 'POST',
      body: Buffer.from('hello'),
    });
    expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
    expect(sink.body).toBe('HELLO');
  });

  it('R022 R033 keeps to the server limit, says that requests wait for a stream, and opens more connections up to the limit', async () => {
    const held: ServerHttp2Stream[] = [];
    const server = await serve((stream) => void held.push(stream), { settings: { maxConcurrentStreams: 10 } });
    const client = h2For(server.url, { connectionsMax: 1 });
    await client.prepare(1);
    const sent = Array.from({ length: 11 }, () => sendRecorded(client, { url: server.url }).sink);
    await expect.poll(() => held.length).toBe(10);
    expect(sent.filter((sink) => sink.sendNs !== null)).toHaveLength(10);
    expect(sent[10]?.waits).toEqual(['stream']);
    expect(client.streamsPeak).toBe(10);
    answer(held[0] as ServerHttp2Stream);
    await expect.poll(() => held.length).toBe(11);
    for (const stream of held.slice(1)) answer(stream);
    for (const sink of sent) expect(await sink.done).toMatchObject({ kind: 'ok' });

    const wide = h2For(server.url, { connectionsMax: 3 });
    await wide.prepare(1);
    held.length = 0;
    const more = Array.from({ length: 25 }, () => sendRecorded(wide, { url: server.url }).sink);
    await expect.poll(() => held.length).toBe(25);
    for (let served = 0; served < 25; served += 1) {
      await expect.poll(() => held.length).toBeGreaterThan(served);
      answer(held[served] as ServerHttp2Stream);
    }
    for (const sink of more) expect(await sink.done).toMatchObject({ kind: 'ok' });
  });

  it.each([
    ['is answered', answer, { kind: 'ok' }],
    ['is reset', (stream: ServerHttp2Stream) => stream.close(0x2), { class: 'reset' }],
    [
      'is malformed',
      (stream: ServerHttp2Stream) => stream.respond({ ':status': 200, 'content-length': '5x' }, { endStream: true }),
      { class: 'protocol' },
    ],
  ])('R022 who waits for a stream goes before who is sent when another one %s', async (_how, end, outcome) => {
    const paths: unknown[] = [];
    const server = await serve(
      (stream, headers) => {
        paths.push(headers[':path']);
        if (paths.length === 1) end(stream);
        else answer(stream);
      },
      { settings: { maxConcurrentStreams: 1 } },
    );
    const client = h2For(server.url, { connectionsMax: 1 });
    await client.prepare(1);
    const sinks: RecordingSink[] = [];
    const first = new EndingSink(() => sinks.push(sendRecorded(client, { url: `${server.url}/last` }).sink));
    client.send({ template: 0, method: 'GET', url: server.url, headers: [], body: null, identity: null }, first);
    for (let index = 1; index <= 2; index += 1)
      sinks.push(sendRecorded(client, { url: `${server.url}/${index}`, template: index }).sink);
    expect(await first.done).toMatchObject(outcome);
    for (const sink of sinks) expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
    expect(paths).toEqual(['/', '/1', '/2', '/last']);
  });

  it('R022 learns from SETTINGS in the middle of a run: a lower limit holds, a higher one lets waiting requests go', async () => {
    const held: ServerHttp2Stream[] = [];
    const server = await serve((stream) => void held.push(stream), { settings: { maxConcurrentStreams: 0 } });
    const client = h2For(server.url, { connectionsMax: 1 });
    await client.prepare(1);
    const sent = Array.from({ length: 6 }, () => sendRecorded(client, { url: server.url }).sink);
    expect(sent.map((sink) => sink.waits)).toEqual(Array.from({ length: 6 }, () => ['stream']));
    server.sessions[0]?.settings({ maxConcurrentStreams: 4 });
    await expect.poll(() => held.length).toBe(4);
    server.sessions[0]?.settings({ maxConcurrentStreams: 2 });
    await new Promise((resolve) => setTimeout(resolve, 50));
    for (const stream of held.splice(0, 2)) answer(stream);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(server.streams).toBe(4);
    for (const stream of held.splice(0, 2)) answer(stream);
    await expect.poll(() => server.streams).toBe(6);
    for (const stream of held) answer(stream);
    for (const sink of sent) expect(await sink.done).toMatchObject({ kind: 'ok' });
  });

  it.each([
    ['learnt before the requests came', 1],
    ['learnt while they wait', 0],
  ])(
    'R022 opens four connections, not all, to a server that takes no streams, until it takes some: %s',
    async (_when, ahead) => {
      const held: ServerHttp2Stream[] = [];
      const server = await serve((stream) => void held.push(stream), { settings: { maxConcurrentStreams: 0 } });
      const client = h2For(server.url, { connectionsMax: 20 });
      await client.prepare(ahead);
      const sent = Array.from({ length: 15 }, () => sendRecorded(client, { url: server.url }).sink);
      await expect.poll(() => client.counters.connectionsOpened).toBe(4);
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(client.counters.connectionsTried).toBe(4);
      server.sessions[0]?.settings({ maxConcurrentStreams: 2 });
      await expect.poll(() => held.length).toBe(2);
      await expect.poll(() => client.counters.connectionsOpened).toBeGreaterThan(4);
      for (let served = 0; served < 15; served += 1) {
        await expect.poll(() => held.length).toBeGreaterThan(served);
        answer(held[served] as ServerHttp2Stream);
      }
      for (const sink of sent) expect(await sink.done).toMatchObject({ kind: 'ok' });
    },
  );

  it('R022 one stream per connection: as many connections as requests, up to the limit', async () => {
    const held: ServerHttp2Stream[] = [];
    const server = await serve((stream) => void held.push(stream), { settings: { maxConcurrentStreams: 1 } });
    const client = h2For(server.url, { connectionsMax: 5 });
    const sent = Array.from({ length: 7 }, () => sendRecorded(client, { url: server.url }).sink);
    await expect.poll(() => held.length).toBe(5);
    for (let served = 0; served < 7; served += 1) {
      await expect.poll(() => held.length).toBeGreaterThan(served);
      answer(held[served] as ServerHttp2Stream);
    }
    for (const sink of sent) expect(await sink.done).toMatchObject({ kind: 'ok' });
    expect(server.sessions).toHaveLength(5);
  });

  it('a connection too many that is refused fails no request that can wait for a stream', async () => {
    const held: ServerHttp2Stream[] = [];
    const server = await serve((stream) => void held.push(stream), { settings: { maxConcurrentStreams: 3 } });
    const client = h2For(server.url, { connectionsMax: 2 });
    const first = [1, 2, 3].map(() => sendRecorded(client, { url: server.url }).sink);
    await expect.poll(() => held.length).toBe(3);
    server.server.maxConnections = 1;
    const more = [1, 2, 3].map(() => sendRecorded(client, { url: server.url }).sink);
    await expect.poll(() => client.counters.connectionsTried).toBeGreaterThan(1);
    for (let served = 0; served < 6; served += 1) {
      await expect.poll(() => held.length).toBeGreaterThan(served);
      answer(held[served] as ServerHttp2Stream);
    }
    for (const sink of [...first, ...more]) expect(await sink.done).toMatchObject({ kind: 'ok' });
  });

  it('R024 skips dead addresses from the first request on', async () => {
    const server = await serve((stream) => answer(stream));
    const url = `http://many.test:${new URL(server.url).port}/`;
    const resolveAll = (): Promise<string[]> => Promise.resolve(['127.0.0.8', '127.0.0.9', '127.0.0.1']);
    const client = h2For(url, { resolveAll });
    for (const { sink } of [1, 2, 3].map(() => sendRecorded(client, { url })))
      expect(await sink.done).toMatchObject({ kind: 'ok' });
    const gauges = new Map(client.gauges().map(({ name, value }) => [name, value]));
    expect(gauges.get('requestsTo 127.0.0.1')).toBe(3);
    expect(gauges.get('requestsTo 127.0.0.8')).toBe(0);
    expect(gauges.get('connectionsTo 127.0.0.1')).toBe(1);
  });

  it.each([
    ['R017 an unknown host is a dns failure', 'ENOTFOUND', 'dns'],
    ['R032 running out of handles is our fault, not the target', 'EMFILE', 'generator'],
  ])('%s, every time', async (_name, code, failure) => {
    const resolveAll = (): Promise<string[]> => Promise.reject(Object.assign(new Error('no address'), { code }));
    const client = h2For('http://nowhere.test/', { resolveAll });
    const sinks = Array.from({ length: 500 }, () => sendRecorded(client, { url: 'http://nowhere.test/' }).sink);
    for (const sink of sinks) expect(await sink.done).toMatchObject({ kind: 'failed', class: failure });
  });

  it('R035 takes no notice of proxy variables', async () => {
    vi.stubEnv('HTTP_PROXY', 'http://127.0.0.1:9');
    try {
      const server = await serve((stream) => answer(stream));
      expect(await sendRecorded(h2For(server.url), { url: server.url }).sink.done).toMatchObject({ kind: 'ok' });
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('R028 sends a field twice where the plan has it twice, and no request to another origin', async () => {
    const seen: string[][] = [];
    const server = await serve((stream, _headers, raw) => {
      seen.push(raw.filter((_text, index) => raw[index - 1] === 'x-tag'));
      answer(stream);
    });
    const client = h2For(server.url);
    const headers = [
      ['X-Tag', 'one'],
      ['X-Tag', 'two'],
    ] as const;
    expect(await sendRecorded(client, { url: server.url, headers }).sink.done).toMatchObject({ kind: 'ok' });
    expect(await sendRecorded(client, { url: 'http://elsewhere.test/', template: 1 }).sink.done).toMatchObject({
      class: 'generator',
    });
    expect(await sendRecorded(client, { url: server.url, template: 2 }).sink.done).toMatchObject({ kind: 'ok' });
    expect(seen).toEqual([['one', 'two'], []]);
    expect(server.sessions).toHaveLength(1);
  });

  it('sends large bodies, many at once on one connection', async () => {
    const server = await serve((stream) => {
      let bytes = 0;
      stream.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      stream.on('end', () => answer(stream, String(bytes)));
    });
    const client = h2For(server.url, { connectionsMax: 1 });
    const body = Buffer.alloc(6_000_000);
    for (const { sink } of [1, 2, 3].map(() => sendRecorded(client, { url: server.url, method: 'POST', body }))) {
      expect(await sink.done).toMatchObject({ kind: 'ok' });
      expect(sink.body).toBe('6000000');
    }
  });

  it('R028 sends text beyond ASCII as its UTF-8 bytes', async () => {
    let seen = '';
    const server = await serve((stream, headers) => {
      seen = Buffer.from(`${headers[':path']} ${String(headers['x-name'])}`, 'latin1').toString();
      answer(stream);
    });
    const { sink } = sendRecorded(h2For(server.url), { url: `${server.url}/é€`, headers: [['X-Name', 'ü€']] });
    await sink.done;
    expect(seen).toBe('/é€ ü€');
  });

  it('a connection on which nothing was heard before a request was given up takes no further one', async () => {
    const server = await serve((stream) => {
      if (server.sessions.length > 1) answer(stream);
    });
    const client = h2For(server.url);
    await client.prepare(1);
    const { exchange } = sendRecorded(client, { url: server.url });
    await expect.poll(() => server.streams).toBe(1);
    exchange.abort({ kind: 'failed', class: 'timeout', status: null, detail: 'given up' }, hostClock.nowNs());
    expect(await sendRecorded(client, { url: server.url }).sink.done).toMatchObject({ kind: 'ok' });
    expect(server.sessions).toHaveLength(2);
  });

  it('a request given up inside its answer ends with the status that had come', async () => {
    const server = await serve((stream) => {
      stream.respond({ ':status': 503 });
      stream.write('ok');
    });
    const client = h2For(server.url);
    const { sink, exchange } = sendRecorded(client, { url: server.url });
    await expect.poll(() => sink.firstByteNs).not.toBeNull();
    exchange.abort({ kind: 'failed', class: 'timeout', status: null, detail: 'given up' }, sink.firstByteNs ?? 0);
    expect(sink.outcome).toEqual({ kind: 'failed', class: 'timeout', status: 503, detail: 'given up' });
  });

  it('a server that is not there refuses every waiting request, a connection full for each attempt', async () => {
    const server = await serve(() => undefined);
    await server.close();
    const client = h2For(server.url, { connectionsMax: 1 });
    for (const { sink } of Array.from({ length: 150 }, () => sendRecorded(client, { url: server.url })))
      expect(await sink.done).toMatchObject({ class: 'connect-refused' });
    // A hundred would have ridden on the first connection: the others got an attempt of their own.
    expect(client.counters.connectionsTried).toBe(2);
  });
});
