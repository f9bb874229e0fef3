import { describe, expect, it } from 'vitest';
import { createClientCounters } from '../../../../agent/client/protocol-client.ts';
import { ClientTraffic } from '../../../../agent/worker/client-traffic.ts';
import { windowOf } from '../../../../shared/metrics/window.ts';

const MS = 1e6;
const PHASES = [{ startNs: 0 }, { startNs: 1_500 * MS }];

/** Traffic of a client, and what was booked of it as [phase, window, counter, count]. */
function traffic() {
  const counters = createClientCounters();
  const booked: [number, number, string, number][] = [];
  const books = new ClientTraffic(counters, PHASES, (phase, tNs, counter, by) =>
    booked.push([phase, windowOf(tNs), counter, by]),
  );
  return { counters, booked, books };
}

describe('traffic of a client', () => {
  it('is asked for where a window or a phase ends', () => {
    const { books } = traffic();
    const edgesNs = [-5, 1_000, 1_500, 2_003, 3_000].map((ms) => {
      books.book(ms * MS);
      return books.edgeNs;
    });
    expect(edgesNs).toEqual([1_000, 1_500, 2_000, 3_000, 4_000].map((ms) => ms * MS));
  });

  it('is booked for the phase and window in which it was, and once', () => {
    const { counters, booked, books } = traffic();
    books.begin();
    counters.bytesSent += 10;
    books.book(1_000 * MS);
    counters.bytesSent += 20;
    books.book(1_200 * MS);
    counters.bytesReceived += 3;
    books.book(1_500.1 * MS);
    counters.bytesSent += 40;
    books.book(2_000 * MS);
    books.book(3_000 * MS);
    expect(booked).toEqual([
      [0, 0, 'bytes-sent', 10],
      [0, 1, 'bytes-sent', 20],
      [0, 1, 'bytes-received', 3],
      [1, 1, 'bytes-sent', 40],
    ]);
  });

  it('before the trial is in no book', () => {
    const { counters, booked, books } = traffic();
    counters.connectionsOpened = 4;
    books.begin();
    counters.connectionsOpened += 1;
    books.book(1_000 * MS);
    expect(booked).toEqual([[0, 0, 'connections-opened', 1]]);
  });
});
