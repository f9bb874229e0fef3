/**
 * What one request costs in the HTTP/1.1 client without its socket: head completed, answer parsed, connection back in the pool.
 * Run: `node bench/micro/wire.ts [name] [--smoke]`.
 */
import type { Socket } from 'node:net';
import { ConnectionPool } from '../../agent/client/connection-pool.ts';
import type { ConnectionOwner } from '../../agent/client/pooled-connection.ts';
import { createClientCounters, type ResponseSink } from '../../agent/client/protocol-client.ts';
import { TargetAddress } from '../../agent/client/target-address.ts';
import { renderRequestHead, splitUrl } from '../../agent/client/wire/request-head.ts';
import { type FramingEvents, ResponseParser } from '../../agent/client/wire/response-parser.ts';
import { WireConnection } from '../../agent/client/wire/wire-connection.ts';
import { WireExchange } from '../../agent/client/wire/wire-exchange.ts';
import { type MicroBench, runFromCommandLine } from './runner.ts';

const HEAD = [
  'HTTP/1.1 200 OK',
  'Server: nginx/1.22.1',
  'Date: Sun, 29 Nov 2026 21:00:00 GMT',
  'Content-Type: application/octet-stream',
  'Connection: keep-alive',
];
const PLAIN = Buffer.from([...HEAD, 'Content-Length: 11', '', 'hello world'].join('\r\n'), 'latin1');
const CHUNKED = Buffer.from(
  [...HEAD, 'Transfer-Encoding: chunked', '', '5', 'hello', '6', ' world', '0', '', ''].join('\r\n'),
  'latin1',
);

/** Parses `answer` `count` times; returns the ends and body bytes found. */
function runParser(answer: Uint8Array, count: number): string {
  let bodyBytes = 0;
  let ends = 0;
  const events: FramingEvents = {
    onHead: () => undefined,
    onBody: (_bytes, start, end) => {
      bodyBytes += end - start;
    },
    onComplete: () => {
      ends += 1;
    },
    onRefused: (reason) => {
      throw new Error(reason);
    },
  };
  const parser = new ResponseParser(events);
  for (let index = 0; index < count; index += 1) {
    parser.expect(false);
    parser.feed(answer, 0, answer.length);
  }
  return `${ends} ends, ${bodyBytes} bytes`;
}

/** `count` requests one after the other on one connection whose socket is a stub; returns how many ended well. */
function runClient(count: number): string {
  const counters = createClientCounters();
  const url = 'http://127.0.0.1:80/';
  const socket = { on: () => undefined, resume: () => undefined, destroy: () => undefined, write: () => true };
  let connection: WireConnection | null = null;
  const clock = { nowNs: () => Math.floor(performance.now() * 1e6) };
  const pool = new ConnectionPool<WireExchange, WireConnection>({
    connectionAgeNs: null,
    connectionsMax: 1,
    connectTimeoutNs: 1e9,
    clock,
    steadyClock: clock,
    counters,
    encrypted: false,
    address: new TargetAddress(new URL(url), null, () => Promise.resolve([])),
    origin: url,
    open: ({ use, events }, owner: ConnectionOwner<WireExchange, WireConnection>) => {
      connection = new WireConnection(owner, socket as unknown as Socket, use);
      events.onReady(connection);
    },
  });
  void pool.openAhead(1);
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
  const request = { template: 0, method: 'GET', url, headers: [], body: null, identity: null };
  const parts = splitUrl(url);
  if (parts === null) throw new Error(`no URL: ${url}`);
  const head = renderRequestHead(request, parts);
  for (let index = 0; index < count; index += 1) {
    pool.submit(new WireExchange(request, sink, head));
    (connection as WireConnection | null)?.takeRead(PLAIN, PLAIN.length);
  }
  return `${ok} ok`;
}

export const wireBenches: readonly MicroBench[] = [
  {
    name: 'wire/parse-length',
    unit: 'answers',
    count: 1_000_000,
    smokeCount: 2_000,
    run: (count) => runParser(PLAIN, count),
  },
  {
    name: 'wire/parse-chunked',
    unit: 'answers',
    count: 1_000_000,
    smokeCount: 2_000,
    run: (count) => runParser(CHUNKED, count),
  },
  {
    name: 'wire/request-without-socket',
    unit: 'requests',
    count: 1_000_000,
    smokeCount: 2_000,
    run: runClient,
  },
];

if (import.meta.main)
  runFromCommandLine(wireBenches, process.argv.slice(2), (line) => process.stdout.write(`${line}\n`));
