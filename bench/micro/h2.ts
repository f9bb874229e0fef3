/**
 * What one request costs in the HTTP/2 client without its socket: its frames written, its answer read, its stream gone; five to a read, as
 * a server at saturation sends them. Run: `node bench/micro/h2.ts [name] [--smoke]`.
 */
import type { Socket } from 'node:net';
import { FLAG, FRAME_HEADER_BYTES, FRAME_TYPE, frameHead, settingsFrame } from '../../agent/client/h2/frame.ts';
import { H2Connection } from '../../agent/client/h2/h2-connection.ts';
import { H2Exchange } from '../../agent/client/h2/h2-exchange.ts';
import { encodeFields } from '../../agent/client/hpack/hpack-encoder.ts';
import { OutputTurn } from '../../agent/client/h2/output-turn.ts';
import { renderRequestBlock } from '../../agent/client/h2/request-block.ts';
import { createClientCounters, type ResponseSink } from '../../agent/client/protocol-client.ts';
import { splitUrl } from '../../agent/client/wire/request-head.ts';
import { type MicroBench, runFromCommandLine } from './runner.ts';

const STREAMS_PER_READ = 5;
const URL = 'http://127.0.0.1:80/';
const BODY = 'hello world';

/** The head of an answer of that second. */
function headBlock(second: number): string {
  return encodeFields([
    [':status', '200'],
    ['server', 'nginx/1.22.1'],
    ['date', `Sun, 29 Nov 2026 21:00:${String(second % 60).padStart(2, '0')} GMT`],
    ['content-type', 'application/octet-stream'],
    ['content-length', String(BODY.length)],
  ]).toString('latin1');
}

/** HEADERS and DATA for `STREAMS_PER_READ` streams whose ids are still to be filled in, and where they go. */
function answers(second: number): { readonly bytes: Buffer; readonly idAts: readonly number[] } {
  const block = headBlock(second);
  const head = frameHead(block.length, FRAME_TYPE.headers, FLAG.endHeaders, 0) + block;
  const one = head + frameHead(BODY.length, FRAME_TYPE.data, FLAG.endStream, 0) + BODY;
  const idAts = Array.from({ length: STREAMS_PER_READ }, (_unused, index) => {
    const start = index * one.length;
    return [start + FRAME_HEADER_BYTES - 4, start + head.length + FRAME_HEADER_BYTES - 4];
  }).flat();
  return { bytes: Buffer.from(one.repeat(STREAMS_PER_READ), 'latin1'), idAts };
}

/**
 * `count` requests on one connection whose socket is a stub; every `changeEvery`th read brings another head. Returns how many ended well.
 */
function runClient(count: number, changeEvery: number): string {
  const nothing = (): undefined => undefined;
  const socket = { on: nothing, resume: nothing, write: () => true, _write: nothing, writableLength: 1 };
  let ok = 0;
  const sink: ResponseSink = {
    onWait: () => undefined,
    onSend: () => undefined,
    onFirstByte: () => undefined,
    wantsBytes: false,
    onBytes: () => undefined,
    onEnd: (outcome) => {
      if (outcome.kind === 'ok') ok += 1;
    },
  };
  const owner = {
    counters: createClientCounters(),
    encrypted: false,
    turn: new OutputTurn(),
    nowNs: () => Math.floor(performance.now() * 1e6),
    onFree: () => undefined,
    onLeaving: () => undefined,
    onClosed: () => undefined,
    onRefused: () => undefined,
  };
  const handshake = { onReady: () => undefined, onFailed: () => undefined };
  const use = { host: '127.0.0.1', connections: 0, requests: 0 };
  const connection = new H2Connection(owner, socket as unknown as Socket, use, 1000, handshake);
  const settings = Buffer.from(settingsFrame([]), 'latin1');
  connection.takeRead(settings, settings.length);
  const request = { template: 0, method: 'GET', url: URL, headers: [], body: null, identity: null };
  const parts = splitUrl(URL);
  if (parts === null) throw new Error(`no URL: ${URL}`);
  const block = renderRequestBlock(request, parts);
  const seconds = Array.from({ length: 60 }, (_unused, second) => answers(second));
  for (let sent = 0, reads = 0; sent < count; sent += STREAMS_PER_READ, reads += 1) {
    const { bytes, idAts } = seconds[Math.floor(reads / changeEvery) % seconds.length] as ReturnType<typeof answers>;
    for (let index = 0; index < STREAMS_PER_READ; index += 1) {
      connection.dispatch(new H2Exchange(request, sink, block, false));
      const id = 2 * (sent + index) + 1;
      bytes.writeUInt32BE(id, idAts[2 * index]);
      bytes.writeUInt32BE(id, idAts[2 * index + 1]);
    }
    connection.takeRead(bytes, bytes.length);
  }
  return `${ok} ok`;
}

export const h2Benches: readonly MicroBench[] = [
  {
    name: 'h2/request-without-socket',
    unit: 'requests',
    count: 1_000_000,
    smokeCount: 2_000,
    run: (count) => runClient(count, 10_000),
  },
  {
    name: 'h2/request-with-new-head',
    unit: 'requests',
    count: 1_000_000,
    smokeCount: 2_000,
    run: (count) => runClient(count, 1),
  },
];

if (import.meta.main) runFromCommandLine(h2Benches, process.argv.slice(2), (line) => process.stdout.write(`${line}\n`));
