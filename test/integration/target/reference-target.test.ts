import { afterEach, describe, expect, it } from 'vitest';
import { hostMonotonicNs } from '../../../shared/time/monotonic-clock.ts';
import { type RunningTarget, startTarget, type TargetOptions } from '../../../target/reference-target.ts';
import { serviceTimeNs } from '../../../target/request-draw.ts';
import { MAX_PATHS } from '../../../target/target-counts.ts';
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

afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await Promise.all(running.splice(0).map((target) => target.close()));
});

/** How many answers, counted by their status lines. */
const answersIn = (text: string): number => text.split('HTTP/1.1 ').length - 1;

describe('an answer of the reference target', () => {
  it('is exactly known and carries identity and true service time only when the request has one', async () => {
    const target = await start({ service: 'exponential:5ms', seed: 9n });
    const client = await connect(target);
    client.get('/');
    expect(await client.until(/\r\n\r\n.{2}$/s)).toBe(
      'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nlo',
    );
    client.text = '';
    client.get('/', 'Loadfleet-Id: 0.1.17.3.5');
    const identity = { kind: 'lanes', trial: 0, phase: 1, lane: 17, block: 3, rank: 5 } as const;
    const serviceNs = serviceTimeNs(9n, identity, { kind: 'exponential', meanNs: 5e6 });
    expect(await client.until(/\r\n\r\n../s)).toContain(
      `loadfleet-id: 0.1.17.3.5\r\nloadfleet-service-ns: ${serviceNs}\r\n`,
    );
    client.text = '';
    client.get('/', 'Loadfleet-Id: not.an.identity');
    expect(await client.until(/\r\n\r\n../s)).not.toContain('loadfleet-');
    expect(target.counts()).toMatchObject({ requests: 3, identified: 1 });
  });

  it('follows the query of each request', async () => {
    const client = await connect(await start());
    client.get('/?status=503&bytes=30');
    expect(await client.until(/\n\r\n.{30}$/s)).toMatch(/^HTTP\/1.1 503 .*Content-Length: 30\r\n/s);
    client.text = '';
    client.get('/?service=constant:30ms&other=x%zz');
    const sentNs = hostMonotonicNs();
    await client.until(/\r\n\r\nlo$/);
    expect(hostMonotonicNs() - sentNs).toBeGreaterThanOrEqual(30e6);
    client.text = '';
    client.get('/?fault=trunkate');
    expect(await client.until(/\)$/)).toMatch(
      /^HTTP\/1.1 400 .*fault "trunkate" is unknown, did you mean "truncate"\?/s,
    );
    client.text = '';
    client.get('/?fault=stall:5s');
    expect(await client.until(/request$/)).toMatch(/^HTTP\/1.1 400 .*stall: is for the whole target/s);
  });

  it.each([204, 304])('has no body with status %d and keeps the connection', async (status) => {
    const client = await connect(await start());
    client.get(`/?status=${status}&bytes=10`);
    client.get('/after');
    const [head = '', next = ''] = (await client.until(/\r\n\r\nlo$/)).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head).not.toMatch(/Content-Length|close/);
    expect(next).toMatch(/^HTTP\/1.1 200 /);
  });

  it('has no body to HEAD, and comes after the whole body of a POST', async () => {
    const target = await start();
    const client = await connect(target);
    client.send('HEAD /h HTTP/1.1\r\nHost: test\r\n\r\nPOST /p HTTP/1.1\r\nHost: test\r\nContent-Length: 6\r\n\r\nabc');
    await client.until(/Content-Length: 2\r\n.*\r\n\r\n$/s);
    expect(answersIn(client.text)).toBe(1);
    client.send('def');
    await client.until(/\r\n\r\nlo$/);
    expect(target.counts()).toMatchObject({ requests: 2, answered: 2, byPath: { '/h': 1, '/p': 1 } });
  });
});

describe('the books of the target', () => {
  it('count exactly what came: paths, statuses, connections, bytes', async () => {
    const target = await start();
    const [first, second] = [await connect(target), await connect(target)];
    first.get('/a?x=1');
    first.get('/a?x=2');
    first.get('/b');
    second.get('/a?status=404');
    await first.untilAnswers(3, '\r\n\r\nlo');
    await second.until(/\r\n\r\nlo$/);
    first.close();
    await expect.poll(() => target.counts().connections.open).toBe(1);
    expect(target.counts()).toMatchObject({
      requests: 4,
      answered: 4,
      cutShort: 0,
      abandoned: 0,
      open: 0,
      byPath: { '/a': 3, '/b': 1 },
      byStatus: { 200: 3, 404: 1 },
      connections: { opened: 2, closed: 1, open: 1 },
      bytes: {
        received: first.socket.bytesWritten + second.socket.bytesWritten,
        sent: first.text.length + second.text.length,
      },
    });
  });

  it('leave admin requests and their connections out', async () => {
    const target = await start();
    const client = await connect(target);
    client.get('/x');
    await client.until(/\r\n\r\nlo$/);
    const counts = (await (await fetch(`${target.url}/__target/counts`)).json()) as object;
    expect(counts).toMatchObject({ requests: 1, byPath: { '/x': 1 }, connections: { opened: 1, open: 1 } });
    expect(target.counts().connections).toEqual({ opened: 1, closed: 0, open: 1 });
  });

  it('find identities that came twice, when they are kept, and give the records as JSONL', async () => {
    const target = await start({ keepIdentities: true, service: 'constant:2ms' });
    const client = await connect(target);
    for (const identity of ['0.0.1', '0.0.2', '0.0.1']) client.get('/i', `loadfleet-id: ${identity}`);
    client.get('/i');
    await client.untilAnswers(4, '\r\n\r\nlo');
    expect(target.counts()).toMatchObject({ requests: 4, identified: 3, duplicates: 1 });
    const lines = (await (await fetch(`${target.url}/__target/identities`)).text()).trim().split('\n');
    const records = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(records.map(({ identity }) => identity)).toEqual(['0.0.1', '0.0.2', '0.0.1', null]);
    for (const record of records)
      expect(record).toMatchObject({ path: '/i', serviceNs: 2e6, end: 'answered', status: 200 });
  });

  it('say so when identities are not kept', async () => {
    const target = await start();
    const answer = await fetch(`${target.url}/__target/identities`);
    expect([answer.status, await answer.text()]).toEqual([409, expect.stringContaining('--keep-identities')]);
    expect(target.counts().duplicates).toBeNull();
  });

  it('stay bounded however many paths come', async () => {
    const target = await start();
    const client = await connect(target);
    for (let i = 0; i < MAX_PATHS + 100; i++) client.get(`/p${i}`);
    await client.untilAnswers(MAX_PATHS + 100, '\r\n\r\nlo');
    const { byPath } = target.counts();
    expect([Object.keys(byPath).length, byPath['(other)']]).toEqual([MAX_PATHS + 1, 100]);
  });

  it('count what is no HTTP, and clients that leave before their answer', async () => {
    const target = await start({ service: 'constant:500ms' });
    const garbage = await connect(target);
    garbage.send('\0\u0001nonsense\r\n\r\n');
    await garbage.untilEnd();
    const leaver = await connect(target);
    leaver.get('/left');
    await expect.poll(() => target.counts().requests).toBe(1);
    leaver.close();
    await expect
      .poll(() => target.counts())
      .toMatchObject({ malformed: 1, requests: 1, abandoned: 1, answered: 0, open: 0 });
  });
});

describe('listening', () => {
  it.each(['0.0.0.0:0', '[::]:0', '10.1.2.3:80'])('refuses %s: not loopback', async (listen) => {
    await expect(startTarget({ listen })).rejects.toThrow(/not a loopback address/);
  });

  it('says when a port is taken', async () => {
    const target = await start();
    await expect(startTarget({ listen: `127.0.0.1:${target.port}` })).rejects.toMatchObject({
      code: 'io',
      message: expect.stringMatching(/^listen: 127\.0\.0\.1:\d+ cannot be had: .*EADDRINUSE/) as string,
    });
  });

  it.each<[TargetOptions, RegExp]>([
    [{ servers: 0 }, /servers: 0 is not an integer in 1\.\.1000000/],
    [{ service: 'constant' }, /service "constant" is not a service law/],
    [{ bodyBytes: '1kB' }, /body bytes "1kB"/],
    [{ faults: ['stall:5'] }, /duration "5" has no unit/],
    [{ seed: -1n }, /seed/],
  ])('refuses wrong options %o', async (options, reason) => {
    await expect(startTarget(options)).rejects.toThrow(reason);
  });
});
