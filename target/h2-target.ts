/**
 * An HTTP/2 server in clear whose every request takes the same known time: what calibration climbs against for plans with `http: 2`. It
 * answers a fixed 200 and counts; it knows no paths, faults, laws or identities (see reference-target.ts).
 */

import { createServer, type Http2Session, type ServerHttp2Stream } from 'node:http2';
import { FleetError } from '../shared/fleet-error.ts';
import { parseLoopbackListen } from '../shared/listen-address.ts';
import { hostClock } from '../shared/time/monotonic-clock.ts';
import { DueLoop } from './due-loop.ts';
import { LoopbackListener } from './loopback-listener.ts';
import { parseServiceLaw } from './service-law.ts';

/** How it answers. */
export interface H2TargetOptions {
  /** `HOST:PORT`, loopback only; port 0 = a free one. Default `127.0.0.1:0`. */
  readonly listen?: string;
  /** From the end of a request to its answer: `instant` (default) or `constant:TIME`. */
  readonly service?: string;
}

/** What it counts. */
export interface H2TargetCounts {
  /** Requests that arrived in full and were answered. */
  readonly requests: number;
  readonly sessions: { readonly opened: number; readonly open: number };
}

/** An HTTP/2 target that listens. */
export interface RunningH2Target {
  /** `http://HOST:PORT`, without a slash at the end. */
  readonly url: string;
  counts(): H2TargetCounts;
  close(): Promise<void>;
}

/** Concurrent streams of a session: more than any client of ours has in flight. */
const STREAMS_MAX = 100_000;

/**
 * Starts one.
 * @throws FleetError code `usage` for an address that is not loopback or a service that is not constant, `plan` for one that is no
 * law, `io` when the port cannot be had.
 */
export async function startH2Target(options: H2TargetOptions = {}): Promise<RunningH2Target> {
  const { listen = '127.0.0.1:0', service = 'instant' } = options;
  const serviceNs = constantNs(service);
  const due = new DueLoop(hostClock);
  const open = new Set<Http2Session>();
  let requests = 0;
  let opened = 0;
  const answer = (stream: ServerHttp2Stream): void => {
    if (stream.destroyed) return;
    requests += 1;
    stream.respond({ ':status': 200, 'content-type': 'text/plain', 'content-length': 2 });
    stream.end('ok');
  };
  const server = createServer({ settings: { maxConcurrentStreams: STREAMS_MAX } });
  server.on('session', (session) => {
    opened += 1;
    open.add(session);
    session.on('close', () => open.delete(session));
    // A client's reset is an ordinary end here.
    session.on('error', () => session.destroy());
  });
  server.on('stream', (stream: ServerHttp2Stream) => {
    stream.on('error', () => stream.destroy());
    stream.resume();
    stream.once('end', () => {
      if (serviceNs === 0) answer(stream);
      else due.at(hostClock.nowNs() + serviceNs, () => answer(stream));
    });
  });
  const listener = new LoopbackListener(
    (socket) => server.emit('connection', socket),
    () => undefined,
  );
  await listener.listen(parseLoopbackListen(listen));
  return {
    url: listener.url,
    counts: () => ({ requests, sessions: { opened, open: open.size } }),
    close: async () => {
      await listener.close(() => {
        for (const session of open) session.destroy();
      });
    },
  };
}

function constantNs(text: string): number {
  const law = parseServiceLaw(text);
  if (law.kind === 'instant') return 0;
  if (law.kind === 'constant') return law.serviceNs;
  throw new FleetError('usage', `service "${text}": this target has one time for all; write instant or constant:20ms`);
}
