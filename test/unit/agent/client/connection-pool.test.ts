import { describe, expect, it, vi } from 'vitest';
import { FakePool, type FakeRequest } from '../../../support/fake-pool.ts';

/** Attempts are ready at once. */
const poolOf = (connectionsMax: number): FakePool => new FakePool({ connectionsMax, isReadyAtOnce: true });

/** Attempts stay under way until the test ends them. */
const slowPoolOf = (connectionsMax: number): FakePool => new FakePool({ connectionsMax, isReadyAtOnce: false });

/** Lets the loop go round `count` times. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

const isSent = ({ state }: FakeRequest): boolean => state === 'sent';

describe('who waits for a connection', () => {
  it('R017 is not failed by an attempt that was begun for others, and has one of its own', async () => {
    const fake = slowPoolOf(10);
    const first = fake.submit();
    await turns(3);
    const second = fake.submit();
    await turns(3);
    expect(fake.underWay).toBe(2);
    fake.ready();
    await turns(3);
    expect(isSent(first)).toBe(true);
    fake.connections[0]?.answer();
    await turns(3);
    expect(isSent(second)).toBe(true);
    const third = fake.submit();
    await turns(3);
    fake.fail();
    expect(third.failure).toBeNull();
    await turns(3);
    expect(fake.underWay).toBe(1);
    fake.fail();
    expect(third.failure).toBe('connect-refused');
  });

  it('R017 is failed by an attempt that was begun ahead where there is no connection to wait for', async () => {
    const fake = slowPoolOf(10);
    void fake.pool.openAhead(1);
    const request = fake.submit();
    await turns(3);
    expect(fake.underWay).toBe(1);
    fake.fail();
    expect(request.failure).toBe('connect-refused');
  });

  it('R033 has one made where the target is silent, for every request up to the limit', async () => {
    const fake = poolOf(5);
    const requests = fake.submitMany(8);
    await turns(20);
    expect(fake.connections).toHaveLength(5);
    expect(requests.map(isSent)).toEqual([true, true, true, true, true, false, false, false]);
  });

  it('has none made while the reads of each turn set one free', async () => {
    const fake = poolOf(100);
    await fake.pool.openAhead(2);
    fake.submitMany(60);
    for (let turn = 0; turn < 40; turn += 1) {
      await turns(1);
      fake.connections[0]?.answer();
    }
    expect(fake.connections).toHaveLength(2);
  });

  it('has one made in a turn, so that a target which answers then is not left waiting for a hundred handshakes', async () => {
    const fake = poolOf(100);
    await fake.pool.openAhead(1);
    fake.submitMany(50);
    await turns(4);
    expect(fake.connections.length).toBeGreaterThan(1);
    expect(fake.connections.length).toBeLessThanOrEqual(5);
  });

  it('has one made at once where there is none at all', () => {
    const fake = slowPoolOf(10);
    fake.submitMany(3);
    expect(fake.underWay).toBe(1);
  });

  it('has one made, though more than one went', async () => {
    const fake = poolOf(10);
    await fake.pool.openAhead(5);
    fake.submitMany(6);
    for (const connection of fake.connections.slice(0, 5)) connection.close();
    await turns(5);
    expect(fake.connections).toHaveLength(6);
  });

  it('R016 has one made in the place of one that rests, where there may be no more', async () => {
    const fake = poolOf(1);
    for (let closes = 1; closes <= 3; closes += 1) {
      fake.submit();
      await turns(3);
      fake.nowNs += 1e6;
      fake.connections.at(-1)?.answerAndClose();
    }
    fake.submit();
    await turns(3);
    fake.connections.at(-1)?.answer();
    const request = fake.submit();
    await turns(5);
    expect(fake.connections).toHaveLength(5);
    expect(fake.connections.at(-1)?.request).toBe(request);
  });

  it('gets one in the place of each that went, at most 16 in a turn', async () => {
    const fake = slowPoolOf(30);
    void fake.pool.openAhead(30);
    while (fake.underWay > 0) fake.ready();
    fake.submitMany(30);
    for (const connection of fake.connections) connection.close();
    fake.submitMany(30);
    const begun: number[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      await turns(1);
      begun.push(fake.underWay);
    }
    expect(begun.slice(1)).toEqual([17, 30, 30]);
  });

  it('is sent in order, behind who waits already, though a connection is idle', async () => {
    const fake = poolOf(1);
    await fake.pool.openAhead(1);
    const [only] = fake.connections;
    const [, second, third] = fake.submitMany(3);
    only?.answer();
    const fourth = fake.submit();
    expect(only?.request).toBeNull();
    for (const expected of [second, third, fourth]) {
      await turns(2);
      expect(only?.request).toBe(expected);
      only?.answer();
    }
  });

  it('goes with 63 others in one turn at most', async () => {
    const fake = poolOf(400);
    await fake.pool.openAhead(200);
    const waiting = fake.submitMany(400).slice(200);
    for (const connection of [...fake.connections]) connection.answer();
    await turns(1);
    expect(waiting.filter(isSent)).toEqual(waiting.slice(0, 64));
    await turns(3);
    expect(waiting.every(isSent)).toBe(true);
    expect(fake.connections).toHaveLength(200);
  });

  it('R033 waits for others, not for a connection of its own, where the limit leaves it none', async () => {
    const fake = slowPoolOf(2);
    const requests = fake.submitMany(3);
    await turns(5);
    expect(fake.underWay).toBe(2);
    expect(requests.map(({ waits }) => waits)).toEqual([['connect'], ['connect'], ['queue']]);
  });

  it('is told nothing once it is given up', async () => {
    const fake = poolOf(100);
    await fake.pool.openAhead(1);
    const givenUp = fake.submitMany(4).slice(1);
    for (const request of givenUp) request.abandoned = true;
    await turns(10);
    for (const connection of fake.connections) connection.answer();
    await turns(10);
    expect(givenUp.map(({ waits }) => waits)).toEqual([['connect'], ['connect'], ['connect']]);
    expect(givenUp.some(isSent)).toBe(false);
  });

  it('fails with its attempt; the others have theirs', async () => {
    const fake = slowPoolOf(2);
    const requests = fake.submitMany(4);
    for (let failed = 0; failed < 4; failed += 1) {
      await turns(3);
      fake.fail();
    }
    expect(requests.map(({ failure }) => failure)).toEqual(Array(4).fill('connect-refused'));
  });

  it('has another attempt made in the place of each that failed', async () => {
    const fake = slowPoolOf(10);
    fake.submitMany(30);
    await turns(12);
    for (let failed = 0; failed < 10; failed += 1) fake.fail();
    await turns(2);
    expect(fake.underWay).toBe(10);
  });

  it('leaves the connection to the next one where it is given up', async () => {
    const fake = poolOf(1);
    await fake.pool.openAhead(1);
    const [only] = fake.connections;
    fake.submit();
    fake.submit().abandoned = true;
    only?.answer();
    await turns(3);
    const third = fake.submit();
    await turns(3);
    expect(only?.request).toBe(third);
  });

  it('is told nothing of another wait where it was given up unsent', async () => {
    const fake = poolOf(1);
    await fake.pool.openAhead(1);
    const request = fake.submit();
    request.abandoned = true;
    fake.connections[0]?.giveBack();
    expect(request.waits).toEqual([]);
  });

  it('has no connection made after the end', async () => {
    const fake = slowPoolOf(10);
    fake.submitMany(8);
    await turns(3);
    const before = fake.underWay;
    fake.pool.close();
    await turns(5);
    expect(before).toBeLessThan(8);
    expect(fake.underWay).toBe(before);
  });

  it('leaves nothing open after the end, what was being made included', async () => {
    const fake = slowPoolOf(10);
    fake.submit();
    fake.pool.close();
    fake.ready();
    await turns(1);
    expect(fake.connections.map(({ isOpen, request }) => [isOpen, request])).toEqual([[false, null]]);
  });

  it('keeps no turn going where nothing can be done before an answer', async () => {
    const fake = poolOf(1);
    await fake.pool.openAhead(1);
    fake.submitMany(2);
    await turns(3);
    const immediates = vi.spyOn(globalThis, 'setImmediate');
    await turns(5);
    // Those of `turns` only.
    expect(immediates).toHaveBeenCalledTimes(5);
    immediates.mockRestore();
  });
});
