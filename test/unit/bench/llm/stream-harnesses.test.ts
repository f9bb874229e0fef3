import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { STREAM_HARNESSES, toldFigures } from '../../../../bench/llm/stream-harnesses.ts';

it('reads what a harness told from its own file, in ms, and knows what is not there', () => {
  const folder = mkdtempSync(join(tmpdir(), 'loadfleet-harnesses-'));
  try {
    const aiperf = STREAM_HARNESSES.find(({ name }) => name === 'AIPerf');
    if (aiperf === undefined) throw new Error('not in the list');
    const file = { request_count: { avg: 50 }, time_to_first_token: { p50: 6.5, p99: 9 }, inter_token_latency: {} };
    writeFileSync(join(folder, aiperf.figures.file), JSON.stringify(file));
    expect(toldFigures(aiperf, folder)).toEqual({ ok: 50, ttftP50Ms: 6.5, ttftP99Ms: 9, gapMeanMs: Number.NaN });
    const inSeconds = { ...aiperf, figures: { ...aiperf.figures, unitMs: 1000 } };
    expect(toldFigures(inSeconds, folder).ttftP50Ms).toBe(6500);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
