/** When texts go to the socket, and which instant requests get for it. */
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { ConnectionOutput } from '../../../../../agent/client/h2/connection-output.ts';
import { H2Exchange } from '../../../../../agent/client/h2/h2-exchange.ts';
import type { H2ConnectionOwner } from '../../../../../agent/client/h2/h2-owner.ts';
import { H2Stream } from '../../../../../agent/client/h2/h2-stream.ts';
import { OutputTurn } from '../../../../../agent/client/h2/output-turn.ts';
import { createClientCounters } from '../../../../../agent/client/protocol-client.ts';
import { RecordingSink } from '../../../../support/recording-sink.ts';

function streamOf(exchange: H2Exchange): H2Stream {
  return new H2Stream(1, exchange, 0);
}

/** One connection's output; `log` has what happened, in order. */
function start() {
  const log: string[] = [];
  let nowNs = 0;
  const owner: H2ConnectionOwner<unknown> = {
    counters: createClientCounters(),
    encrypted: true,
    turn: new OutputTurn(),
    nowNs: () => {
      nowNs += 1;
      log.push(`clock ${nowNs}`);
      return nowNs;
    },
    onFree: () => undefined,
    onLeaving: () => undefined,
    onClosed: () => undefined,
    onRefused: () => undefined,
  };
  const socket = Object.assign(new EventEmitter(), {
    write: (text: string) => log.push(`write ${text.length}`),
    _write: () => undefined,
    cork: () => undefined,
    uncork: () => undefined,
  });
  const output = new ConnectionOutput(owner, socket as unknown as Socket, () => 16_384);
  const request = { template: 0, method: 'GET', url: '', headers: [], body: null, identity: null };
  const exchange = (): H2Exchange => new H2Exchange(request, new RecordingSink(), '', false);
  return { log, owner, output, exchange };
}

it('the clock is read before the bytes go, and all requests in them get its instant', () => {
  const { log, owner, output, exchange } = start();
  const sent = [exchange(), exchange()];
  owner.turn.during(() => {
    for (const each of sent) {
      output.writeRequest(streamOf(each), 'head');
    }
    expect(log).toEqual([]);
  });
  expect(log).toEqual(['clock 1', 'write 8']);
  expect(sent.map(({ dispatchedNs, sink }) => [dispatchedNs, (sink as RecordingSink).sendNs])).toEqual([
    [1, 1],
    [1, 1],
  ]);
  expect(owner.counters.bytesSent).toBe(8);
});

it('a request that was given up unsent is not said to be sent; one that was moved keeps its first instant', () => {
  const { owner, output, exchange } = start();
  const [given, moved] = [exchange(), exchange()];
  output.writeRequest(streamOf(moved), 'head');
  owner.turn.during(() => {
    for (const each of [given, moved]) output.writeRequest(streamOf(each), 'head');
    given.end({ kind: 'failed', class: 'timeout', status: null, detail: 'given up' }, 0);
  });
  expect([moved.dispatchedNs, (moved.sink as RecordingSink).sendNs]).toEqual([2, 1]);
  expect((given.sink as RecordingSink).sendNs).toBeNull();
});

it('much to send does not wait for the end of a read', () => {
  const { log, owner, output } = start();
  owner.turn.during(() => {
    output.write('x'.repeat(4095));
    expect(log).toEqual([]);
    output.write('x');
    expect(log).toEqual(['write 4096']);
  });
  expect(log).toEqual(['write 4096']);
});

it('a request that is taken back unsent leaves nothing, nor does its end; the rest goes in order', () => {
  const { log, owner, output, exchange } = start();
  const [sent, ended, back] = [streamOf(exchange()), streamOf(exchange()), streamOf(exchange())];
  output.writeRequest(sent, 'head');
  owner.turn.during(() => {
    output.write('ack');
    output.writeRequest(ended, 'head');
    output.writeRequest(back, 'head');
    output.writeEnd(ended, 'end');
    output.writeEnd(sent, 'the end');
    expect(output.withdraw()).toEqual([ended, back]);
    expect(output.withdraw()).toEqual([]);
  });
  expect(log).toEqual(['clock 1', 'write 4', 'write 10']);
  expect((back.exchange.sink as RecordingSink).sendNs).toBeNull();
});

it('a request that ends before it has left takes its end with it', () => {
  const { log, owner, output, exchange } = start();
  const ended = streamOf(exchange());
  owner.turn.during(() => {
    output.writeRequest(ended, 'head');
    output.writeEnd(ended, 'end');
  });
  expect(log).toEqual(['clock 1', 'write 7']);
});
