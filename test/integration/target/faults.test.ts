import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { hostMonotonicNs } from '../../../shared/time/monotonic-clock.ts';
import { type RunningTarget, startTarget, type TargetOptions } from '../../../target/reference-target.ts';
import { RawClient } from '../../support/raw-client.ts';

const running: RunningTarget[] = [];
const clients: RawClient[] = [];

async function start(options: TargetOptions = {}): Promise<RunningTarget> {
  const target = await startTarget(options);
  running.push(target);
  return target;
}

async function connect(target: { port: number }): Promise<RawClient> {
  const client = await RawClient.connect(target.port);
  clients.push(client);
  return client;
}

/** One GET under one fault, on a connection of its own, as far as it comes. */
async function getUnder(fault: string, bytes = 100): Promise<{ client: RawClient; target: RunningTarget }> {
  const target = await start({ faults: [fault], bodyBytes: String(bytes) });
  const client = await connect(target);
  client.get('/');
  return { client, target };
}

const bodyOf = (text: string): string => text.slice(text.indexOf('\r\n\r\n') + 4);

afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await Promise.all(running.splice(0).map((target) => target.close()));
});

describe('faults of one answer', () => {
  it('R020 truncate: fewer bytes than Content-Length says, then an orderly end', async () => {
    const { client, target } = await getUnder('truncate:length,sent=5');
    expect(await client.untilEnd()).toBe('closed');
    expect(client.text).toMatch(/Content-Length: 100\r\n/);
    expect(bodyOf(client.text)).toHaveLength(5);
    expect(target.counts()).toMatchObject({ requests: 1, answered: 0, cutShort: 1, open: 0, byFault: { truncate: 1 } });
  });

  it('R020 truncate chunked: a chunk, but never the last one', async () => {
    const { client } = await getUnder('truncate:chunked,sent=7');
    expect(await client.untilEnd()).toBe('closed');
    expect(client.text).toMatch(/Transfer-Encoding: chunked\r\n/);
    expect(bodyOf(client.text)).toMatch(/^7\r\n.{7}\r\n$/s);
  });

  it('R020 truncate without any byte of the body, and of an answer that had no body', async () => {
    const { client } = await getUnder('truncate:length,sent=0', 0);
    await client.untilEnd();
    expect(client.text).toMatch(/Content-Length: 100\r\n[^]*\r\n\r\n$/);
  });

  it('reset before the answer: RST and no byte', async () => {
    const { client, target } = await getUnder('reset');
    expect(await client.untilEnd()).toBe('reset');
    expect(client.text).toBe('');
    expect(target.counts()).toMatchObject({ cutShort: 1, open: 0 });
  });

  it('reset in the body: RST after half of it', async () => {
    const { client } = await getUnder('reset:in-body');
    expect(await client.untilEnd()).toBe('reset');
    expect(bodyOf(client.text)).toHaveLength(50);
  });

  it('R020 reset after the body: all bytes are there, and the answer counts', async () => {
    const { client, target } = await getUnder('reset:after-body');
    expect(await client.untilEnd()).toBe('reset');
    expect(bodyOf(client.text)).toHaveLength(100);
    expect(target.counts()).toMatchObject({ answered: 1, cutShort: 0 });
  });

  it('never: no byte, connection open, later requests on it wait as well', async () => {
    const { client, target } = await getUnder('never,count=1');
    client.get('/after');
    const other = await connect(target);
    other.get('/other');
    await other.until(/\r\n\r\n.{100}$/s);
    await expect.poll(() => target.counts().requests).toBe(3);
    expect([client.text, client.end]).toEqual(['', 'open']);
  });

  it('garbage: bytes that are no HTTP', async () => {
    const { client } = await getUnder('garbage');
    expect(await client.untilEnd()).toBe('closed');
    expect(client.text).toMatch(/^SSH-2\.0-/);
  });

  it.each([
    [40, 140],
    [-40, 60],
  ])('wrong-length by %d: Content-Length is %d for 100 bytes, connection kept', async (by, declared) => {
    const { client } = await getUnder(`wrong-length:${by}`);
    await client.until(/\r\n\r\n.{100}$/s);
    expect(client.text).toMatch(new RegExp(`Content-Length: ${declared}\r\n`));
    expect(client.end).toBe('open');
  });

  it('status and redirect', async () => {
    const busy = await getUnder('status:429');
    expect(await busy.client.until(/\r\n\r\n.{100}$/s)).toMatch(/^HTTP\/1.1 429 /);
    expect(busy.target.counts().byStatus).toEqual({ 429: 1 });
    const moved = await getUnder('redirect:/elsewhere,status=307');
    expect(await moved.client.until(/\r\n\r\n.{100}$/s)).toMatch(/^HTTP\/1.1 307 [^]*Location: \/elsewhere\r\n/);
  });

  it('R058 an error may be quicker than the service: it passes the queue', async () => {
    const target = await start({
      service: 'constant:400ms',
      servers: 1,
      faults: ['status:429,service=instant,from=2'],
    });
    const [slow, quick] = [await connect(target), await connect(target)];
    slow.get('/');
    await expect.poll(() => target.counts().requests).toBe(1);
    quick.get('/');
    await quick.until(/ 429 [^]*lo$/);
    expect(slow.text).toBe('');
    await slow.until(/ 200 [^]*lo$/);
  });

  it('close: says so and does so', async () => {
    const { client } = await getUnder('close');
    expect(await client.untilEnd()).toBe('closed');
    expect(client.text).toMatch(/Connection: close\r\n/);
    expect(bodyOf(client.text)).toHaveLength(100);
  });

  it.each([
    ['interim:100,times=2', /^(HTTP\/1\.1 100 Continue\r\n\r\n){2}HTTP\/1\.1 200 /],
    ['interim:102', /^HTTP\/1\.1 102 Processing\r\n\r\nHTTP\/1\.1 200 /],
    ['interim:103', /^HTTP\/1\.1 103 Early Hints\r\nLink: .*\r\n\r\nHTTP\/1\.1 200 /],
  ])('%s comes before the answer', async (fault, text) => {
    const { client } = await getUnder(fault);
    expect(await client.until(/ 200 [^]*\r\n\r\n.{100}$/s)).toMatch(text);
  });

  it('R030 gzip, whole and corrupt', async () => {
    const whole = await getUnder('gzip', 5_000);
    const text = await whole.client.until(/\r\n\r\n/);
    const length = Number(/Content-Length: (\d+)/.exec(text)?.[1]);
    expect(length).toBeLessThan(1_000);
    await whole.client.until(new RegExp(`\r\n\r\n[^]{${length}}$`));
    expect(gunzipSync(Buffer.from(bodyOf(whole.client.text), 'latin1'))).toHaveLength(5_000);
    const corrupt = await getUnder('gzip,corrupt', 5_000);
    await corrupt.client.until(new RegExp(`\r\n\r\n[^]{${length}}$`));
    expect(() => gunzipSync(Buffer.from(bodyOf(corrupt.client.text), 'latin1'))).toThrow(/incorrect data check/);
  });

  it('framing: chunked, or told by the end of the connection', async () => {
    const chunked = await getUnder('framing:chunked');
    expect(bodyOf(await chunked.client.until(/0\r\n\r\n$/))).toMatch(/^64\r\n[^]{100}\r\n0\r\n\r\n$/);
    const close = await getUnder('framing:close');
    expect(await close.client.untilEnd()).toBe('closed');
    expect(close.client.text).not.toMatch(/Content-Length|Transfer-Encoding/);
    expect(bodyOf(close.client.text)).toHaveLength(100);
  });

  it('slow-body: the first piece at once, the last one after the time asked for', async () => {
    const { client } = await getUnder('slow-body:300ms,pieces=4');
    await client.until(/\r\n\r\n./s);
    const firstNs = hostMonotonicNs();
    expect(bodyOf(client.text).length).toBeLessThan(100);
    await client.until(/\r\n\r\n.{100}$/s);
    // The first piece may be seen late, the last one not early: half the time is certain on any machine that is not frozen.
    expect(hostMonotonicNs() - firstNs).toBeGreaterThan(150e6);
  });

  it('acts on the share asked for, the same requests each time', async () => {
    const statuses: string[] = [];
    for (const seed of [5n, 5n, 6n]) {
      const target = await start({ seed, faults: ['status:503,share=0.5'] });
      const client = await connect(target);
      for (let i = 0; i < 40; i++) client.get('/');
      const text = await client.untilAnswers(40, '\r\n\r\nlo');
      statuses.push([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map((match) => match[1]).join(' '));
    }
    expect(statuses[1]).toBe(statuses[0]);
    expect(statuses[2]).not.toBe(statuses[0]);
    expect(statuses[0]).toMatch(/503/);
    expect(statuses[0]).toMatch(/200/);
  });
});

describe('faults of the whole target', () => {
  it('R056 stall: accepts and reads, answers nothing, then everything', async () => {
    const target = await start();
    target.command('stall:600ms');
    const stalledNs = hostMonotonicNs();
    const held = await Promise.all(Array.from({ length: 5 }, () => connect(target)));
    for (const client of held) client.get('/held');
    await expect.poll(() => target.counts()).toMatchObject({ requests: 5, answered: 0, open: 5 });
    await Promise.all(held.map((client) => client.until(/\r\n\r\nlo$/)));
    expect(hostMonotonicNs() - stalledNs).toBeGreaterThanOrEqual(600e6);
    expect(target.counts()).toMatchObject({ answered: 5, open: 0, byFault: { stall: 1 } });
  });

  it('stall from the k-th request, and released on command', async () => {
    const target = await start({ faults: ['stall:1h,from=3'] });
    const client = await connect(target);
    for (let i = 0; i < 5; i++) client.get('/');
    await expect.poll(() => target.counts()).toMatchObject({ requests: 5, answered: 2 });
    const answer = await fetch(`${target.url}/__target/fault`, { method: 'DELETE' });
    expect(await answer.json()).toEqual([]);
    await client.untilAnswers(5, '\r\n\r\nlo');
    client.get('/after');
    await client.untilAnswers(6, '\r\n\r\nlo');
  });

  it('refuse: new connections are refused for a while, old ones go on', async () => {
    const target = await start();
    const old = await connect(target);
    target.command('refuse:400ms');
    await expect(RawClient.connect(target.port)).rejects.toThrow('ECONNREFUSED');
    old.get('/');
    await old.until(/\r\n\r\nlo$/);
    await expect
      .poll(
        async () =>
          RawClient.connect(target.port).then(
            (client) => clients.push(client) > 0,
            () => false,
          ),
        { timeout: 10_000 },
      )
      .toBe(true);
  });

  it('R016 idle-close: with its hint, after the idle time and never during an answer', async () => {
    const target = await start({ faults: ['idle-close:1s,hint'] });
    const [idle, busy] = [await connect(target), await connect(target)];
    const idleSinceNs = hostMonotonicNs();
    idle.get('/');
    busy.get('/?service=constant:1500ms');
    expect(await idle.until(/\r\n\r\nlo$/)).toMatch(/Connection: keep-alive\r\nKeep-Alive: timeout=1\r\n/);
    expect(await idle.untilEnd()).toBe('closed');
    expect(hostMonotonicNs() - idleSinceNs).toBeGreaterThan(900e6);
    await busy.until(/\r\n\r\nlo$/);
    expect(await busy.untilEnd()).toBe('closed');
    expect(target.counts()).toMatchObject({ answered: 2, byFault: { 'idle-close': 2 } });
  });
});

describe('faults on command over HTTP', () => {
  const post = async (target: RunningTarget, body: string): Promise<[number, unknown]> => {
    const answer = await fetch(`${target.url}/__target/fault`, { method: 'POST', body });
    return [answer.status, await answer.json()];
  };

  it('takes JSON and text, and lists what is in force', async () => {
    const target = await start();
    expect(await post(target, '{"kind":"status","status":503,"count":1}')).toMatchObject([200, [{ kind: 'break' }]]);
    expect(await post(target, 'close,from=2')).toMatchObject([200, [{ kind: 'break' }, { kind: 'twist' }]]);
    const client = await connect(target);
    client.get('/');
    client.get('/');
    await client.untilEnd();
    expect(client.text).toMatch(/^HTTP\/1\.1 503 [^]*HTTP\/1\.1 200 [^]*Connection: close/);
  });

  it.each([
    ['{"kind":"stahl","for":"5s"}', /fault \\?"stahl\\?" is unknown, did you mean \\?"stall/],
    ['{"kind":"stall"', /no JSON/],
    ['stall:5', /has no unit/],
    ['[]', /expected a JSON object/],
  ])('refuses %s with a reason', async (body, reason) => {
    const [status, answer] = await post(await start(), body);
    expect(status).toBe(400);
    expect(JSON.stringify(answer)).toMatch(reason);
  });

  it('names the admin paths when one is misspelt', async () => {
    const target = await start();
    const answer = await fetch(`${target.url}/__target/count`);
    expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('did you mean')]);
    expect((await fetch(`${target.url}/__target/counts`, { method: 'POST' })).status).toBe(405);
    expect((await post(target, 'x'.repeat(70_000)))[0]).toBe(400);
  });
});
