/**
 * Which samples a request leaves in a scope's books: its times by what happened to it. What never happened has none (P8). Nothing here
 * allocates but for requests that never left.
 */
import type { SeriesStatus } from '../../shared/metrics/metric.ts';
import type { OpenRequest } from './open-request.ts';
import { type ScopeBooks, seriesIndexOf } from './scope-books.ts';

/** Series positions of one status. */
function seriesOfStatus(status: SeriesStatus) {
  return {
    response: seriesIndexOf('response', status),
    service: seriesIndexOf('service', status),
    lag: seriesIndexOf('lag', status),
    wakeLag: seriesIndexOf('wakeLag', status),
    wait: seriesIndexOf('wait', status),
    waitQueue: seriesIndexOf('waitQueue', status),
    waitConnect: seriesIndexOf('waitConnect', status),
    waitStream: seriesIndexOf('waitStream', status),
    firstByte: seriesIndexOf('firstByte', status),
    firstByteSend: seriesIndexOf('firstByteSend', status),
  };
}

const OK_SERIES = seriesOfStatus('ok');
const FAILED_SERIES = seriesOfStatus('failed');
const UNFINISHED_AGE = seriesIndexOf('unfinishedAge', 'failed');

/** The times of an ended request; returns the number of samples. What never happened has none: no send, no service (P8). */
export function recordEnd(books: ScopeBooks, request: OpenRequest, status: SeriesStatus): number {
  const series = status === 'ok' ? OK_SERIES : FAILED_SERIES;
  const { intendedNs, sendNs, endNs } = request;
  books.record(series.response, endNs - intendedNs);
  books.record(series.wakeLag, request.releasedNs - intendedNs);
  if (!request.wasSent) return 2 + recordWaits(books, request, series);
  books.record(series.service, endNs - sendNs);
  const samples = 3 + recordSend(books, request, series);
  if (request.stage !== 'answered') return samples;
  books.record(series.firstByte, request.firstByteNs - intendedNs);
  books.record(series.firstByteSend, request.firstByteNs - sendNs);
  return samples + 2 + (request.reader?.record(books) ?? 0);
}

/** What is known of a request without an end: its age, which is a lower bound of its response (R059), and how it was sent. */
export function recordUnfinished(books: ScopeBooks, request: OpenRequest): number {
  books.record(UNFINISHED_AGE, request.endNs - request.intendedNs);
  books.record(FAILED_SERIES.wakeLag, request.releasedNs - request.intendedNs);
  const record = request.wasSent ? recordSend : recordWaits;
  return 2 + record(books, request, FAILED_SERIES);
}

/** The waits of a request that ended before a byte left: they are known, its wait until the send is not. */
function recordWaits(books: ScopeBooks, request: OpenRequest, series: typeof OK_SERIES): number {
  const waits = [
    [series.waitQueue, request.waitQueueNs],
    [series.waitConnect, request.waitConnectNs],
    [series.waitStream, request.waitStreamNs],
  ] as const;
  let samples = 0;
  for (const [index, ns] of waits) {
    if (ns === 0) continue;
    books.record(index, ns);
    samples += 1;
  }
  return samples;
}

/** How it was sent. */
function recordSend(books: ScopeBooks, request: OpenRequest, series: typeof OK_SERIES): number {
  books.record(series.lag, request.sendNs - request.intendedNs);
  books.record(series.wait, request.sendNs - request.releasedNs);
  books.record(series.waitQueue, request.waitQueueNs);
  books.record(series.waitConnect, request.waitConnectNs);
  // Only protocols with streams can wait for one; the others have no such series.
  if (request.waitStreamNs === 0) return 4;
  books.record(series.waitStream, request.waitStreamNs);
  return 5;
}
