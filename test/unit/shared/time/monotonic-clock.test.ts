import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { alignClock, hostClock, hostClockErrorNs, hostMonotonicNs } from '../../../../shared/time/monotonic-clock.ts';

describe('R067 one monotonic clock for every duration', () => {
  it('stays between two readings of the host clock, within its own error bound', () => {
    for (let i = 0; i < 1_000; i++) {
      const before = Number(process.hrtime.bigint());
      const nowNs = hostMonotonicNs();
      const after = Number(process.hrtime.bigint());
      expect(nowNs).toBeGreaterThanOrEqual(before - hostClockErrorNs - 2);
      expect(nowNs).toBeLessThanOrEqual(after + hostClockErrorNs + 2);
    }
  });

  it('gives integers that never go back', () => {
    let lastNs = hostClock.nowNs();
    for (let i = 0; i < 10_000; i++) {
      const nowNs = hostClock.nowNs();
      expect(Number.isSafeInteger(nowNs)).toBe(true);
      expect(nowNs).toBeGreaterThanOrEqual(lastNs);
      lastNs = nowNs;
    }
  });

  it('has one origin for all threads: a stamp of a worker lies between two of ours', async () => {
    const clockUrl = new URL('../../../../shared/time/monotonic-clock.ts', import.meta.url).href;
    const source = `
      import(${JSON.stringify(clockUrl)}).then((clock) => {
        const { parentPort } = require('node:worker_threads');
        parentPort.on('message', () => parentPort.postMessage([clock.hostMonotonicNs(), clock.hostClockErrorNs]));
        parentPort.postMessage('ready');
      });`;
    const worker = new Worker(source, { eval: true });
    const nextMessage = (): Promise<unknown> =>
      new Promise((resolve, reject) => {
        worker.once('message', resolve);
        worker.once('error', reject);
      });
    try {
      await nextMessage();
      const beforeNs = hostMonotonicNs();
      worker.postMessage('read');
      const [workerNs, workerErrorNs] = (await nextMessage()) as [number, number];
      const afterNs = hostMonotonicNs();
      const slackNs = hostClockErrorNs + workerErrorNs + 2;
      expect(workerNs).toBeGreaterThanOrEqual(beforeNs - slackNs);
      expect(workerNs).toBeLessThanOrEqual(afterNs + slackNs);
    } finally {
      await worker.terminate();
    }
  });
});

describe('alignClock', () => {
  it('takes the tightest sample and bounds its error by half the width', () => {
    // The true offset is 1000 s. The host is read late inside each sample; only the third sample is tight.
    const samples = [
      { own: [0, 10], hostAtMs: 9 },
      { own: [20, 24], hostAtMs: 21 },
      { own: [30, 30.002], hostAtMs: 30.002 },
      { own: [40, 45], hostAtMs: 40 },
    ];
    const ownReadings = samples.flatMap((sample) => sample.own);
    const hostReadings = samples.map((sample) => BigInt(Math.round((sample.hostAtMs + 1e6) * 1e6)));
    const { offsetNs, errorNs } = alignClock(
      () => ownReadings.shift() ?? NaN,
      () => hostReadings.shift() ?? 0n,
      samples.length,
    );
    expect(errorNs).toBeCloseTo(1_000, 3);
    expect(Math.abs(offsetNs - 1e12)).toBeLessThanOrEqual(1_001);
  });
});
