/** What a connection tells of a request, in which order. */
import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { createClientCounters } from '../../../../../agent/client/protocol-client.ts';
import { renderRequestHead } from '../../../../../agent/client/wire/request-head.ts';
import { WireConnection } from '../../../../../agent/client/wire/wire-connection.ts';
import { WireExchange } from '../../../../../agent/client/wire/wire-exchange.ts';
import { RecordingSink } from '../../../../support/recording-sink.ts';

it.each([
  ['without a body', null],
  ['with a body', Buffer.from('some')],
])('a request %s is sent before it is told that it was, stamped with the instant before', (_name, body) => {
  const order: string[] = [];
  let nowNs = 100;
  const socket = {
    on: () => undefined,
    resume: () => undefined,
    cork: () => undefined,
    uncork: () => undefined,
    write: () => {
      order.push('written');
      nowNs += 50;
      return true;
    },
  };
  const owner = {
    counters: createClientCounters(),
    encrypted: false,
    clock: { nowNs: () => nowNs },
    onIdle: () => undefined,
    onReused: () => undefined,
    onServerClosed: () => undefined,
    onUnsent: () => undefined,
    onGone: () => undefined,
  };
  const sink = new RecordingSink();
  sink.onSend = (tNs) => void order.push(`sent at ${tNs}`);
  const request = { template: 0, method: 'POST', url: 'http://a.test/', headers: [], body, identity: null };
  const head = renderRequestHead(request, { scheme: 'http', authority: 'a.test', requestTarget: '/' });
  const connection = new WireConnection(owner, socket as unknown as Socket, {
    host: '::1',
    connections: 1,
    requests: 0,
  });
  connection.dispatch(new WireExchange(request, sink, head));
  expect(order.at(-1)).toBe('sent at 100');
  expect(order.slice(0, -1).every((step) => step === 'written')).toBe(true);
  expect(order.length).toBeGreaterThan(1);
});
