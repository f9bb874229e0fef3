/**
 * The reference target's own queue, request by request, over real connections: it serves in the order of arrival, each for as long as
 * drawn. How late its answers leave is held against a bound in time.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { type RunningTarget, startTarget } from '../../../target/reference-target.ts';
import { serviceTimeNs } from '../../../target/request-draw.ts';
import { RawClient } from '../../support/raw-client.ts';

let target: RunningTarget | null = null;
const clients: RawClient[] = [];

async function connect(port: number): Promise<RawClient> {
  const client = await RawClient.connect(port);
  clients.push(client);
  return client;
}

afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await target?.close();
  target = null;
});

describe('service times through real sockets', () => {
  it.each([
    ['M/M/1', 1, 'exponential:10ms', 60],
    ['M/M/4', 4, 'exponential:10ms', 250],
    ['M/D/1', 1, 'constant:10ms', 60],
  ] as const)('follow the queue of %s for each request', async (_name, servers, service, ratePerSecond) => {
    const running = await startTarget({ service, servers, seed: 3n, keepIdentities: true });
    target = running;
    const { port } = running;
    const connections = await Promise.all(Array.from({ length: 40 }, () => connect(port)));
    const count = 100;
    for (let index = 0; index < count; index++) {
      connections[index % connections.length]!.get('/', `loadfleet-id: 0.0.${index}`);
      if (index % 3 === 2) await new Promise((resolve) => setTimeout(resolve, 3_000 / ratePerSecond));
    }
    await expect.poll(() => running.counts().answered, { timeout: 20_000 }).toBe(count);

    // Lindley / Kiefer-Wolfowitz over the instants at which the target says it received each request.
    const records = [...running.keptRequests()].sort((a, b) => a.receivedNs - b.receivedNs || a.startNs - b.startNs);
    const freeAtNs = new Array<number>(servers).fill(-Infinity);
    const lateNs = records.map((record) => {
      const index = Number(record.identity?.split('.')[2]);
      const law = service.startsWith('constant')
        ? ({ kind: 'constant', serviceNs: 10e6 } as const)
        : ({ kind: 'exponential', meanNs: 10e6 } as const);
      const serviceNs = serviceTimeNs(3n, { kind: 'indexed', trial: 0, phase: 0, index }, law);
      freeAtNs.sort((a, b) => a - b);
      const startNs = Math.max(record.receivedNs, freeAtNs[0]!);
      freeAtNs[0] = startNs + serviceNs;
      expect(record).toMatchObject({ startNs, serviceNs });
      expect(record.endNs).toBeGreaterThanOrEqual(startNs + serviceNs);
      return record.endNs - (startNs + serviceNs);
    });
    // Microseconds on a quiet machine; the bound is for one that is full of other work.
    lateNs.sort((a, b) => a - b);
    expect(lateNs[count / 2]).toBeLessThan(5e6);
  });
});
