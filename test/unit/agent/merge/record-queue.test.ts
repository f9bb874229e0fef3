import { describe, expect, it } from 'vitest';
import { RecordQueue } from '../../../../agent/merge/record-queue.ts';
import { decodeRecords, encodeRecords } from '../../../../shared/metrics/record-codec.ts';
import { rowsOf } from '../../../support/request-rows.ts';

const rows = rowsOf({ index: 1 }, { index: 2 });

describe('RecordQueue', () => {
  it('gives every row once, by slot', () => {
    const queue = new RecordQueue();
    queue.add(3, { blocks: [{ rows, count: 2 }], leftOut: 5 });
    queue.add(4, { blocks: [{ rows, count: 1 }], leftOut: 0 });
    const taken = queue.take();
    expect(taken.map(({ slot, count, leftOut }) => [slot, count, leftOut])).toEqual([
      [3, 2, 0],
      [4, 1, 0],
      [3, 0, 5],
    ]);
    expect(decodeRecords(taken[0]?.bytes as Uint8Array, 2)).toEqual(rows);
    expect(queue.take()).toEqual([]);
  });

  it('counts what does not fit while no report goes', () => {
    const queue = new RecordQueue(encodeRecords(rows, 2).length);
    queue.add(0, { blocks: [{ rows, count: 2 }], leftOut: 0 });
    queue.add(0, { blocks: [{ rows, count: 2 }], leftOut: 1 });
    expect(queue.take().map(({ count, leftOut }) => [count, leftOut])).toEqual([
      [2, 0],
      [0, 3],
    ]);
    queue.add(0, { blocks: [{ rows, count: 2 }], leftOut: 0 });
    expect(queue.take().map(({ count }) => count)).toEqual([2]);
  });
});
