import { describe, expect, it } from 'vitest';
import type { FetchedPage } from '../../../../coordinator/scrape/fetch-page.ts';
import { ServerScrape } from '../../../../coordinator/scrape/server-scrape.ts';
import { FakeTimekeeper } from '../../../support/fake-timekeeper.ts';

const scrape = { name: 'server', url: 'http://127.0.0.1:1/metrics', intervalNs: 4e9, include: [] };

async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

function start(fetchPage: () => Promise<FetchedPage>, timekeeper = new FakeTimekeeper()) {
  const t0Ns = timekeeper.nowNs() + 1e9;
  const reading = new ServerScrape({ scrape, phaseStarts: [0, 5e9], planEndNs: 10e9, t0Ns, timekeeper, fetchPage });
  return { timekeeper, t0Ns, reading };
}

describe('reading a page during a run', () => {
  it('reads before the start, at each interval and boundary, and at the end', async () => {
    const readAtNs: number[] = [];
    const timekeeper = new FakeTimekeeper();
    const { t0Ns, reading } = start(() => {
      readAtNs.push(timekeeper.nowNs());
      return Promise.resolve({ kind: 'page', text: 'a 1' });
    }, timekeeper);
    for (let step = 0; step < 120; step += 1) {
      timekeeper.advance(0.1e9);
      await settle();
    }
    const record = await reading.end(false);
    expect(readAtNs.map((ns) => Math.round((ns - t0Ns) / 1e8) / 10)).toEqual([-1, 0, 4, 5, 8, 10, 11]);
    expect([record.pages, record.failed]).toEqual([7, 0]);
  });

  it('counts what could not be had, with each reason once, and does not fail', async () => {
    const { timekeeper, reading } = start(() => Promise.resolve({ kind: 'failed', reason: 'ECONNREFUSED' }));
    timekeeper.advance(1e9);
    await settle();
    const record = await reading.end(false);
    expect(record).toMatchObject({ pages: 0, failed: 3, reasons: ['ECONNREFUSED'] });
  });

  it('reads no last page when it is hasty', async () => {
    const { reading } = start(() => Promise.resolve({ kind: 'page', text: 'a 1' }));
    expect((await reading.end(true)).pages).toBe(1);
  });
});
