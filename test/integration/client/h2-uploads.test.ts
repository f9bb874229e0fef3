/** Bodies that the HTTP/2 client sends: never more than the server grants, in frames that it takes. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it } from 'vitest';
import { H2Client } from '../../../agent/client/h2/h2-client.ts';
import { hostClock } from '../../../shared/time/monotonic-clock.ts';
import { CODE, DEFAULT_FRAME_MAX, DEFAULT_WINDOW, END_STREAM, FLAG, FRAME } from '../../support/h2-frames.ts';
import { frame, type H2Frame, okHead, rstStream, SETTING, settings, windowUpdate } from '../../support/h2-frames.ts';
import { clientOptions, closeOpened, keepOpened } from '../../support/opened.ts';
import { type RawH2Connection, startRawH2Server } from '../../support/raw-h2-server.ts';
import { sendRecorded } from '../../support/recording-sink.ts';

afterEach(closeOpened);

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes that differ from place to place, so that a piece that is lost, doubled or moved shows. */
function bodyOf(bytes: number): Buffer {
  return Buffer.from(Array.from({ length: bytes }, (_, index) => (index * 7 + (index >> 8)) & 0xff));
}

/** One connection with a POST for each of `bodies`; the server's first SETTINGS hold `values`. */
async function upload(bodies: readonly Buffer[], ...values: readonly (readonly [number, number])[]) {
  const server = keepOpened(await startRawH2Server(() => undefined, { greeting: settings(...values) }));
  const client = keepOpened(new H2Client(clientOptions(server.url, { connectionsMax: 1 })));
  await client.prepare(1);
  const sent = bodies.map((body) => sendRecorded(client, { url: server.url, method: 'POST', body }));
  await expect.poll(() => server.connections[0]?.streams.length).toBe(bodies.length);
  return { server, client, connection: server.connections[0] as RawH2Connection, sent };
}

function received(connection: RawH2Connection, stream: number): Buffer {
  return Buffer.concat(connection.framesOf(FRAME.data, stream).map(({ payload }) => payload));
}

/** Resolves when the client has read all that was written so far and has had a turn to act on it. */
async function settled(connection: RawH2Connection): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    const before = connection.framesOf(FRAME.ping).length;
    connection.write(frame(FRAME.ping, 0, 0, Buffer.alloc(8)));
    await expect.poll(() => connection.framesOf(FRAME.ping).length).toBe(before + 1);
  }
}

/** Exactly `bytes` of the body on `stream` come, and no more. */
async function expectReceived(connection: RawH2Connection, stream: number, bytes: number): Promise<void> {
  await expect.poll(() => received(connection, stream).length).toBe(bytes);
  await settled(connection);
  expect(received(connection, stream).length).toBe(bytes);
}

function endsStream({ type, flags }: H2Frame): boolean {
  return (type === FRAME.data || type === FRAME.headers) && (flags & FLAG.endStream) !== 0;
}

describe('windows of the server', () => {
  it('the stream and the connection each hold a body back, until both let it go', async () => {
    const body = bodyOf(200_000);
    const { connection, sent } = await upload([body]);
    await expectReceived(connection, 1, DEFAULT_WINDOW);
    connection.write(windowUpdate(1, 1_000_000));
    await expectReceived(connection, 1, DEFAULT_WINDOW);
    connection.write(windowUpdate(0, 1000));
    await expectReceived(connection, 1, DEFAULT_WINDOW + 1000);
    connection.write(windowUpdate(0, 1_000_000));
    await expect.poll(() => connection.frames.some(endsStream)).toBe(true);
    expect(received(connection, 1).equals(body)).toBe(true);
    expect(connection.framesOf(FRAME.data).every(({ payload }) => payload.length <= DEFAULT_FRAME_MAX)).toBe(true);
    connection.write(okHead(1, null, END_STREAM));
    expect(await sent[0]?.sink.done).toEqual({ kind: 'ok', status: 200 });
  });

  it('INITIAL_WINDOW_SIZE holds from the first SETTINGS on, and each change of it moves the windows of open streams', async () => {
    const body = bodyOf(20_000);
    const { connection, sent } = await upload([body], [SETTING.initialWindowSize, 1000]);
    await expectReceived(connection, 1, 1000);
    connection.write(settings([SETTING.initialWindowSize, 5000]));
    await expectReceived(connection, 1, 5000);
    // Below what has been sent: the window is -4,000.
    connection.write(settings([SETTING.initialWindowSize, 1000]));
    await expectReceived(connection, 1, 5000);
    connection.write(windowUpdate(1, 4000));
    await expectReceived(connection, 1, 5000);
    connection.write(windowUpdate(1, 1));
    await expectReceived(connection, 1, 5001);
    connection.write(settings([SETTING.initialWindowSize, 0]), settings([SETTING.initialWindowSize, 1500]));
    await expectReceived(connection, 1, 5501);
    connection.write(windowUpdate(1, 100_000));
    await expect.poll(() => connection.frames.some(endsStream)).toBe(true);
    expect(received(connection, 1).equals(body)).toBe(true);
    connection.write(okHead(1, null, END_STREAM));
    expect(await sent[0]?.sink.done).toEqual({ kind: 'ok', status: 200 });
  });

  it('a window of nothing lets only the head go; a request without a body goes by', async () => {
    const { server, client, connection, sent } = await upload([bodyOf(10)], [SETTING.initialWindowSize, 0]);
    await expectReceived(connection, 1, 0);
    const { sink } = sendRecorded(client, { url: server.url });
    await expect.poll(() => connection.streams).toEqual([1, 3]);
    connection.write(okHead(3, null, END_STREAM));
    expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
    connection.write(windowUpdate(1, 10));
    await expectReceived(connection, 1, 10);
    connection.write(okHead(1, null, END_STREAM));
    expect(await sent[0]?.sink.done).toEqual({ kind: 'ok', status: 200 });
  });

  it('bodies share the window of the connection, and each comes whole', async () => {
    const bodies = [bodyOf(60_000), bodyOf(60_001), bodyOf(60_002)];
    const { connection, sent } = await upload(bodies);
    const total = (): number => connection.framesOf(FRAME.data).reduce((sum, { payload }) => sum + payload.length, 0);
    await expect.poll(total).toBe(DEFAULT_WINDOW);
    await settled(connection);
    expect(total()).toBe(DEFAULT_WINDOW);
    for (let grant = 0; grant < 120; grant += 1) connection.write(windowUpdate(0, 1000));
    await expect.poll(() => connection.frames.filter(endsStream).length).toBe(3);
    for (const [index, body] of bodies.entries())
      expect(received(connection, 2 * index + 1).equals(body), `body ${index}`).toBe(true);
    connection.write(...[1, 3, 5].map((stream) => okHead(stream, null, END_STREAM)));
    for (const { sink } of sent) expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
  });
});

describe('frames of a body', () => {
  it('are never above MAX_FRAME_SIZE, also where it is raised and lowered again', async () => {
    const body = bodyOf(300_000);
    const { connection } = await upload([body], [SETTING.maxFrameSize, 40_000], [SETTING.initialWindowSize, 1_000_000]);
    await expectReceived(connection, 1, DEFAULT_WINDOW);
    expect(connection.framesOf(FRAME.data).every(({ payload }) => payload.length <= 40_000)).toBe(true);
    const before = connection.frames.length;
    connection.write(settings([SETTING.maxFrameSize, DEFAULT_FRAME_MAX]), windowUpdate(0, 1_000_000));
    await expect.poll(() => connection.frames.some(endsStream)).toBe(true);
    const later = connection.frames.slice(before).filter(({ type }) => type === FRAME.data);
    expect(later.every(({ payload }) => payload.length <= DEFAULT_FRAME_MAX)).toBe(true);
    expect(received(connection, 1).equals(body)).toBe(true);
  });

  it.each([0, 1, 16_383, 16_384, 16_385, 65_535])('a body of %i bytes ends its stream once', async (bytes) => {
    const { connection, sent } = await upload([bodyOf(bytes)]);
    await expect.poll(() => connection.frames.filter(endsStream).length).toBe(1);
    await settled(connection);
    expect(received(connection, 1).equals(bodyOf(bytes))).toBe(true);
    const own = connection.frames.filter(({ stream }) => stream === 1);
    expect(own.map(endsStream)).toEqual(own.map((_, index) => index === own.length - 1));
    connection.write(okHead(1, null, END_STREAM));
    expect(await sent[0]?.sink.done).toEqual({ kind: 'ok', status: 200 });
  });
});

describe('a body that is cut off', () => {
  it('by the server: nothing of it follows, and the other bodies go on', async () => {
    const { connection, sent } = await upload([bodyOf(100_000), bodyOf(100_000)], [SETTING.initialWindowSize, 10_000]);
    await expectReceived(connection, 1, 10_000);
    connection.write(rstStream(1, 2), windowUpdate(1, 1000), windowUpdate(0, 1_000_000));
    expect(await sent[0]?.sink.done).toMatchObject({ kind: 'failed', class: 'reset', status: null });
    connection.write(windowUpdate(3, 1_000_000));
    await expect.poll(() => connection.frames.some(endsStream)).toBe(true);
    expect(received(connection, 1).length).toBe(10_000);
    expect(received(connection, 3).equals(bodyOf(100_000))).toBe(true);
  });

  it('by a whole answer: RST_STREAM is the last of its stream, and the request is ok', async () => {
    const { connection, sent } = await upload([bodyOf(20_000)], [SETTING.initialWindowSize, 10_000]);
    await expectReceived(connection, 1, 10_000);
    connection.write(okHead(1, null, END_STREAM), windowUpdate(1, 1_000_000));
    expect(await sent[0]?.sink.done).toEqual({ kind: 'ok', status: 200 });
    await expect.poll(() => connection.resetCode(1)).toBe(CODE.cancel);
    await expectReceived(connection, 1, 10_000);
    expect(connection.frames.filter(({ stream }) => stream === 1).at(-1)?.type).toBe(FRAME.rstStream);
  });

  it('by us: RST_STREAM is the last of its stream, and what it did not use is left to the others', async () => {
    const { connection, sent } = await upload([bodyOf(100_000), bodyOf(55_535)], [SETTING.initialWindowSize, 10_000]);
    await expectReceived(connection, 1, 10_000);
    await expectReceived(connection, 3, 10_000);
    connection.write(okHead(3, null));
    await expect.poll(() => sent[1]?.sink.firstByteNs).not.toBeNull();
    sent[0]?.exchange.abort({ kind: 'failed', class: 'timeout', status: null, detail: 'given up' }, hostClock.nowNs());
    await expect.poll(() => connection.resetCode(1)).toBe(CODE.cancel);
    connection.write(windowUpdate(1, 1_000_000), windowUpdate(3, 1_000_000));
    await expectReceived(connection, 3, 55_535);
    expect(connection.frames.filter(({ stream }) => stream === 1).at(-1)?.type).toBe(FRAME.rstStream);
    expect(received(connection, 1).length).toBe(10_000);
  });

  it('R004 by early answers of a server that gives its window no more room: what is left of it is not kept', async () => {
    const { server, client, connection, sent } = await upload([bodyOf(DEFAULT_WINDOW)]);
    connection.write(okHead(1, null, END_STREAM));
    expect(await sent[0]?.sink.done).toEqual({ kind: 'ok', status: 200 });
    const kept: WeakRef<Buffer>[] = [];
    for (let index = 1; index <= 50; index += 1) {
      const body = Buffer.alloc(10_000);
      kept.push(new WeakRef(body));
      const { sink } = sendRecorded(client, { url: server.url, method: 'POST', body });
      await expect.poll(() => connection.streams.length).toBe(index + 1);
      connection.write(okHead(2 * index + 1, null, END_STREAM));
      expect(await sink.done).toEqual({ kind: 'ok', status: 200 });
    }
    await settled(connection);
    collectGarbage();
    // The client keeps the last request of a template.
    expect(kept.filter((body) => body.deref() !== undefined).length).toBeLessThan(10);
  });
});
