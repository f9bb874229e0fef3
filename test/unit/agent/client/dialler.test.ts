import { describe, expect, it } from 'vitest';
import { type Attempt, Dialler } from '../../../../agent/client/dialler.ts';
import { createClientCounters } from '../../../../agent/client/protocol-client.ts';
import { TargetAddress } from '../../../../agent/client/target-address.ts';

const REFUSED = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });

function diallerTo(hosts: readonly string[] | Error) {
  const attempts: (Attempt<string> & { readonly host: string })[] = [];
  const ready: string[] = [];
  const failed: unknown[] = [];
  /** What `underWay` was when the end of an attempt was told. */
  const underWayAtEnds: number[] = [];
  const clock = { ns: 0 };
  const counters = createClientCounters();
  const address = new TargetAddress(new URL('http://many.test/'), null, () =>
    hosts instanceof Error ? Promise.reject(hosts) : Promise.resolve(hosts),
  );
  const dialler = new Dialler<string>({
    address,
    connectTimeoutNs: 30e9,
    steadyClock: { nowNs: () => clock.ns },
    counters,
    followsName: false,
    open: (attempt) =>
      void attempts.push({ ...attempt, host: attempt.address.kind === 'tcp' ? attempt.address.host : '' }),
    onReady: (connection) => {
      ready.push(connection);
      underWayAtEnds.push(dialler.underWay);
    },
    onFailed: (error) => {
      failed.push(error);
      underWayAtEnds.push(dialler.underWay);
    },
  });
  return { dialler, attempts, ready, failed, counters, address, underWayAtEnds, clock };
}

async function resolved(): Promise<void> {
  for (let step = 0; step < 5; step += 1) await Promise.resolve();
}

describe('an attempt to connect', () => {
  it('R024 goes to the next address where one fails, and fails when all have', async () => {
    const { dialler, attempts, failed, counters } = diallerTo(['10.0.0.1', '10.0.0.2', '10.0.0.3']);
    dialler.dial();
    await resolved();
    for (let tried = 0; tried < 3; tried += 1) attempts[tried]?.events.onFailed(REFUSED);
    expect(attempts.map(({ host }) => host)).toEqual(['10.0.0.1', '10.0.0.2', '10.0.0.3']);
    expect(failed).toEqual([REFUSED]);
    expect(dialler.underWay).toBe(0);
    expect([counters.connectionsTried, counters.connectionsOpened]).toEqual([3, 0]);
  });

  it('R017 has the time in its limit that the lookup took', async () => {
    const { dialler, attempts, clock } = diallerTo(['10.0.0.1']);
    dialler.dial();
    clock.ns = 4e9;
    await resolved();
    expect(attempts[0]?.limits.readyNs).toBe(26e9);
  });

  it('is in the books once it is ready', async () => {
    const { dialler, attempts, ready, counters, address } = diallerTo(['10.0.0.1', '10.0.0.2']);
    dialler.dial();
    await resolved();
    attempts[0]?.events.onFailed(REFUSED);
    attempts[1]?.events.onReady('second');
    expect(ready).toEqual(['second']);
    expect([counters.connectionsTried, counters.connectionsOpened]).toEqual([2, 1]);
    expect(address.uses.map(({ connections }) => connections)).toEqual([0, 1]);
  });

  it('is not under way any more when its end is told: whoever hears of it may need another', async () => {
    const { dialler, attempts, underWayAtEnds } = diallerTo(['10.0.0.1']);
    dialler.dial();
    dialler.dial();
    await resolved();
    attempts[0]?.events.onFailed(REFUSED);
    attempts[1]?.events.onReady('second');
    expect(underWayAtEnds).toEqual([1, 0]);
  });

  it('R024 passes over the address that refused, until all have', async () => {
    const { dialler, attempts } = diallerTo(['10.0.0.1', '10.0.0.2']);
    dialler.dial();
    await resolved();
    attempts[0]?.events.onFailed(REFUSED);
    for (let more = 0; more < 2; more += 1) dialler.dial();
    expect(attempts.map(({ host }) => host)).toEqual(['10.0.0.1', '10.0.0.2', '10.0.0.2', '10.0.0.2']);
  });

  it('R024 goes to the next address where one fails, though the name was known before', async () => {
    const { dialler, attempts } = diallerTo(['10.0.0.1', '10.0.0.2']);
    dialler.dial();
    await resolved();
    attempts[0]?.events.onReady('first');
    dialler.dial();
    attempts[1]?.events.onFailed(REFUSED);
    expect(attempts.map(({ host }) => host)).toEqual(['10.0.0.1', '10.0.0.2', '10.0.0.1']);
  });

  it('R024 leaves a silent address while there is another to be tried, and has the limit in all', async () => {
    const { dialler, attempts, clock } = diallerTo(['10.0.0.1', '10.0.0.2']);
    dialler.dial();
    await resolved();
    expect(attempts[0]?.limits).toEqual({ reachNs: 2e9, readyNs: 15e9 });
    clock.ns = 2e9;
    attempts[0]?.events.onFailed(Object.assign(new Error('silent'), { code: 'ETIMEDOUT' }));
    expect(attempts[1]).toMatchObject({ host: '10.0.0.2', limits: { reachNs: 28e9, readyNs: 28e9 } });
  });

  it('R024 one attempt tries whether a silent address is there again, the others do not wait for it', async () => {
    const { dialler, attempts, clock } = diallerTo(['10.0.0.1', '10.0.0.2']);
    dialler.dial();
    await resolved();
    attempts[0]?.events.onFailed(REFUSED);
    clock.ns = 6e9;
    for (let more = 0; more < 5; more += 1) dialler.dial();
    expect(attempts.slice(2).filter(({ host }) => host === '10.0.0.1')).toHaveLength(1);
    attempts.find(({ host }, index) => index > 1 && host === '10.0.0.1')?.events.onReady('again');
    for (let more = 0; more < 4; more += 1) dialler.dial();
    expect(attempts.slice(-4).filter(({ host }) => host === '10.0.0.1')).toHaveLength(2);
  });

  it('R024 goes to the one address that has answered, where all had refused', async () => {
    const { dialler, attempts } = diallerTo(['10.0.0.1', '10.0.0.2']);
    dialler.dial();
    await resolved();
    for (let tried = 0; tried < 2; tried += 1) attempts[tried]?.events.onFailed(REFUSED);
    for (let answered = 2; answered < 6; answered += 1) {
      dialler.dial();
      attempts[answered]?.events.onReady('alive');
    }
    expect(attempts.slice(2).map(({ host }) => host)).toEqual(['10.0.0.1', '10.0.0.1', '10.0.0.1', '10.0.0.1']);
  });

  it('does not hold against an address what this machine lacks', async () => {
    const { dialler, attempts } = diallerTo(['10.0.0.1', '10.0.0.2']);
    dialler.dial();
    await resolved();
    attempts[0]?.events.onFailed(Object.assign(new Error('no file left'), { code: 'EMFILE' }));
    for (let more = 0; more < 2; more += 1) dialler.dial();
    expect(attempts.map(({ host }) => host)).toEqual(['10.0.0.1', '10.0.0.2', '10.0.0.1', '10.0.0.2']);
  });

  it('fails where its name is not known', async () => {
    const unknown = Object.assign(new Error('not known'), { code: 'ENOTFOUND' });
    const { dialler, attempts, failed } = diallerTo(unknown);
    dialler.dial();
    await dialler.settled();
    expect([attempts, failed]).toEqual([[], [unknown]]);
  });

  it('is not followed by another after the end', async () => {
    const { dialler, attempts, failed } = diallerTo(['10.0.0.1', '10.0.0.2']);
    dialler.dial();
    await resolved();
    dialler.close();
    attempts[0]?.events.onFailed(REFUSED);
    expect(attempts).toHaveLength(1);
    expect(failed).toEqual([REFUSED]);
  });

  it('is waited for, and so is the one that its end begins', async () => {
    const { dialler, attempts, ready } = diallerTo(['10.0.0.1']);
    dialler.dial();
    dialler.dial();
    await resolved();
    let isSettled = false;
    const settled = dialler.settled().then(() => {
      isSettled = true;
    });
    attempts[0]?.events.onReady('first');
    await resolved();
    expect(isSettled).toBe(false);
    attempts[1]?.events.onReady('second');
    await settled;
    expect(ready).toEqual(['first', 'second']);
  });
});
