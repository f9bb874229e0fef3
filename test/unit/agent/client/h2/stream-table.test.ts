/** Which streams there are and were, and whether the server was heard (RFC 9113 §5.1.1; R016). */
import { expect, it } from 'vitest';
import { MAX_31_BITS } from '../../../../../agent/client/h2/frame.ts';
import { H2Exchange } from '../../../../../agent/client/h2/h2-exchange.ts';
import { StreamTable } from '../../../../../agent/client/h2/stream-table.ts';
import { RecordingSink } from '../../../../support/recording-sink.ts';

function exchange(): H2Exchange {
  const request = { template: 0, method: 'GET', url: '', headers: [], body: null, identity: null };
  return new H2Exchange(request, new RecordingSink(), '', false);
}

it('streams are odd and ascend; those that are over were opened, even and later ones never', () => {
  const table = new StreamTable();
  const [first, second] = [table.add(exchange(), 0), table.add(exchange(), 0)];
  table.remove(first);
  expect([first.id, second.id]).toEqual([1, 3]);
  expect([0, 1, 2, 3, 4, 5, 7].map((id) => table.wasOpened(id))).toEqual([
    false,
    true,
    false,
    true,
    false,
    false,
    false,
  ]);
  expect([table.get(1), table.get(3), table.size, table.peak]).toEqual([undefined, second, 1, 2]);
});

it('a connection was idle until it is heard on a stream that it still has', () => {
  const table = new StreamTable();
  const first = table.add(exchange(), 0);
  expect(table.wasIdle).toBe(false);
  table.hear(1, 5);
  table.remove(first);
  table.add(exchange(), 0);
  table.hear(1, 6);
  expect([table.wasIdle, table.heardNs]).toEqual([true, 5]);
  table.hear(3, 7);
  expect([table.wasIdle, table.heardNs]).toEqual([false, 7]);
});

it('ids end with 31 bits', () => {
  const table = new StreamTable();
  expect(table.isExhausted).toBe(false);
  // As after a billion requests.
  Object.assign(table, { nextId: MAX_31_BITS });
  expect([table.add(exchange(), 0).id, table.isExhausted]).toEqual([MAX_31_BITS, true]);
});
