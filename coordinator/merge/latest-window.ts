/** What the fleet did in the newest windows that are complete, read from the merge for the progress line. */
import { Histogram } from '../../shared/histogram/histogram.ts';
import { COUNTER, type CounterCell, createCounterCell, addCounterCell } from '../../shared/metrics/counters.ts';
import { DROP_REASONS, FAILURE_CLASSES } from '../../shared/metrics/outcome.ts';
import type { ProgressStretch } from '../../shared/rpc/runs-message.ts';
import type { SenderSums } from './sender-sums.ts';
import type { WindowRows } from './window-rows.ts';

/** The newest complete stretch of the fleet, one window in a run of up to an hour; what is still open and what failed is since T0. */
export type LatestWindow = ProgressStretch;

/** Windows after which a silent sender no longer holds the line back. */
const SILENT_WINDOWS = 4;

/** Reads the newest stretch that every sender heard of lately has reported whole. */
export function latestWindow(senders: readonly SenderSums[], rows: WindowRows, phaseCount: number): LatestWindow {
  const newest = Math.max(-1, ...senders.map((sender) => sender.lastWindow));
  const awaited = senders.filter((sender) => sender.final === null && sender.lastWindow > newest - SILENT_WINDOWS);
  // A report may hold the beginning of its last window; the windows before that are closed.
  const complete = awaited.length === 0 ? newest : Math.min(...awaited.map((sender) => sender.lastWindow)) - 1;
  // A row is whole when its last window is.
  const row = Math.floor((complete + 1) / rows.width) - 1;
  const cell = createCounterCell();
  const response = new Histogram();
  const wakeLag = new Histogram();
  for (let phase = 0; row >= 0 && phase < phaseCount; phase += 1) {
    const totals = rows.find(phase, row * rows.width);
    if (totals === undefined) continue;
    addCounterCell(cell, totals.cell);
    totals.addSeriesTo('response', 'ok', response);
    totals.addSeriesTo('wakeLag', 'ok', wakeLag);
    totals.addSeriesTo('wakeLag', 'failed', wakeLag);
  }
  const soFar = createCounterCell();
  for (const sender of senders) addCounterCell(soFar, sender.total());
  return {
    startNs: row < 0 ? null : row * rows.lengthNs,
    lengthNs: rows.lengthNs,
    scheduled: cell[COUNTER.decided] as number,
    sent: cell[COUNTER.sent] as number,
    ok: cell[COUNTER.ok] as number,
    failed: failedIn(cell),
    dropped: droppedIn(cell),
    wakeLagP99Ns: wakeLag.percentile(99),
    responseP50Ns: response.percentile(50),
    responseP99Ns: response.percentile(99),
    inFlight:
      (soFar[COUNTER.attempted] as number) -
      (soFar[COUNTER.ok] as number) -
      failedIn(soFar) -
      (soFar[COUNTER.unfinished] as number),
    failedSoFar: failedIn(soFar),
    droppedSoFar: droppedIn(soFar),
  };
}

function failedIn(cell: CounterCell): number {
  return FAILURE_CLASSES.reduce((sum, failure) => sum + (cell[COUNTER[`failed:${failure}`]] as number), 0);
}

function droppedIn(cell: CounterCell): number {
  return DROP_REASONS.reduce((sum, reason) => sum + (cell[COUNTER[`dropped:${reason}`]] as number), 0);
}
