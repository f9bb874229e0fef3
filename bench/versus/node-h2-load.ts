/**
 * The HTTP/2 clients that Node offers, each as its users would drive it hardest: CONNECTIONS sessions with STREAMS requests always open on
 * each. Prints one JSON line for the requests after the first fifth: how many, CPU and wall seconds.
 * Arguments: `undici` | `node:http2`, URL, COUNT, CONNECTIONS, STREAMS.
 */
import { connect } from 'node:http2';
import { Client } from 'undici';

/** What the process prints. */
export interface NodeH2Result {
  readonly ok: number;
  readonly cpuSeconds: number;
  readonly seconds: number;
}

const [engine, url = '', ...numbers] = process.argv.slice(2);
const [count = 0, connections = 0, streams = 0] = numbers.map(Number);
const warmup = Math.floor(count / 5);

let started = 0;
let ended = 0;
let cpuBefore = process.cpuUsage();
let before = performance.now();

/** Counts an end; true when one more request is to be sent. */
function noteEnd(): boolean {
  ended += 1;
  if (ended === warmup) {
    cpuBefore = process.cpuUsage();
    before = performance.now();
  }
  if (ended === count) {
    const { user, system } = process.cpuUsage(cpuBefore);
    const seconds = (performance.now() - before) / 1e3;
    const result: NodeH2Result = { ok: count - warmup, cpuSeconds: (user + system) / 1e6, seconds };
    process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
  }
  started += 1;
  return started <= count;
}

/** A function that sends one request over the `index`-th connection, and another when it has ended. */
function sender(): () => void {
  const { origin, pathname } = new URL(url);
  if (engine === 'undici') {
    const client = new Client(origin, {
      allowH2: true,
      pipelining: streams,
      h2Options: { maxConcurrentStreams: streams, useH2c: origin.startsWith('http:') },
      connect: { rejectUnauthorized: false },
    });
    const send = (): void =>
      void client.dispatch(
        { path: pathname, method: 'GET' },
        {
          onRequestStart: () => undefined,
          onResponseStart: () => undefined,
          onResponseData: () => undefined,
          onResponseEnd: () => {
            if (noteEnd()) send();
          },
          onResponseError: (_controller, error) => {
            throw error;
          },
        },
      );
    return send;
  }
  const session = connect(origin, { rejectUnauthorized: false });
  const send = (): void => {
    const stream = session.request({ ':path': pathname });
    stream.on('data', () => undefined);
    stream.on('end', () => {
      if (noteEnd()) send();
    });
    stream.end();
  };
  return send;
}

for (let connection = 0; connection < connections; connection += 1) {
  const send = sender();
  for (let stream = 0; stream < streams; stream += 1) {
    started += 1;
    send();
  }
}
