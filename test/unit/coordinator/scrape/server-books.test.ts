import { describe, expect, it } from 'vitest';
import { parseMetricPage } from '../../../../coordinator/scrape/prometheus-text.ts';
import { SERIES_MAX, ServerBooks } from '../../../../coordinator/scrape/server-books.ts';

const all = (): boolean => true;

function page(counter: number, gauge: number, buckets: readonly [number, number] = [0, 0]) {
  return parseMetricPage(
    [
      '# TYPE c counter',
      `c ${counter}`,
      `g ${gauge}`,
      '# TYPE h histogram',
      `h_bucket{le="1"} ${buckets[0]}`,
      `h_bucket{le="+Inf"} ${buckets[1]}`,
      `h_sum ${buckets[1] * 2}`,
    ].join('\n'),
  );
}

describe('the books of a server', () => {
  it('give growth to the phase in which the earlier page was read, none of it twice', () => {
    const books = new ServerBooks([0, 10], all);
    books.take(page(100, 1), -1);
    books.take(page(105, 2, [1, 2]), 5);
    books.take(page(107, 3, [1, 3]), 10);
    books.take(page(127, 9, [3, 9]), 30);
    const [counter, gauge, histogram] = books.series();
    expect(counter?.cells).toMatchObject([{ delta: 7 }, { delta: 20 }]);
    expect(gauge?.cells).toMatchObject([
      { samples: 2, min: 1, max: 2, last: 2 },
      { samples: 2, min: 3, max: 9, last: 9 },
    ]);
    expect(histogram?.cells).toMatchObject([
      { counts: [1, 2], sum: 6 },
      { counts: [2, 4], sum: 12 },
    ]);
    expect([books.spanOf(0), books.spanOf(1)]).toEqual([
      { fromNs: -1, toNs: 10 },
      { fromNs: 10, toNs: 30 },
    ]);
  });

  it('count on from 0 after the server was started anew, and say so', () => {
    const books = new ServerBooks([0], all);
    books.take(page(100, 1, [5, 10]), 0);
    books.take(page(4, 1, [1, 3]), 1);
    books.take(page(6, 1, [1, 4]), 2);
    expect(books.series()[0]?.cells).toMatchObject([{ delta: 6, resets: 1 }]);
    expect(books.series()[2]?.cells).toMatchObject([{ counts: [1, 3], resets: 1 }]);
  });

  it('notice that a busy server was started anew by any bucket, though its total is above the old one', () => {
    const books = new ServerBooks([0], all);
    books.take(page(100, 1, [90, 100]), 0);
    books.take(page(130, 1, [20, 130]), 1);
    expect(books.series()[2]?.cells).toMatchObject([{ counts: [20, 110], sum: 260, resets: 1 }]);
  });

  it('match buckets by their bounds: some servers show one only once it holds something', () => {
    const books = new ServerBooks([0, 10], all);
    const at = (...buckets: readonly (readonly [string, number])[]) =>
      parseMetricPage(
        ['# TYPE h histogram', ...buckets.map(([le, count]) => `h_bucket{le="${le}"} ${count}`), 'h_sum 0'].join('\n'),
      );
    books.take(at(['1', 1000], ['+Inf', 1000]), 0);
    books.take(at(['1', 1002], ['4', 1005], ['+Inf', 1005]), 5);
    books.take(at(['1', 1002], ['2', 1003], ['4', 1006], ['+Inf', 1007]), 10);
    expect(books.series()[0]?.cells).toMatchObject([
      { upperBounds: [1, 2, 4, Infinity], counts: [2, 1, 3, 1], resets: 0 },
      null,
    ]);
    // Others than before are those of a server with another configuration.
    books.take(at(['3', 5], ['+Inf', 2000]), 15);
    expect(books.series()[0]?.cells[1]).toMatchObject({
      upperBounds: [3, Infinity],
      counts: [5, 1995],
      resets: 1,
    });
  });

  it('R093 lose no growth over a page that says NaN', () => {
    const books = new ServerBooks([0], all);
    for (const [place, value] of ['10', 'NaN', '17', '+Inf', '20'].entries())
      books.take(parseMetricPage(`a_total ${value}`), place);
    expect(books.series()[0]?.cells).toEqual([{ kind: 'counter', delta: 10, resets: 0 }]);
  });

  it('take a counter that appears late for grown from nothing, and what one page shows for no growth', () => {
    const books = new ServerBooks([0], all);
    books.take(parseMetricPage('a_total 50'), 0);
    expect(books.series()[0]?.cells).toEqual([null]);
    books.take(parseMetricPage('a_total 50\nb_total 3'), 1);
    expect(books.series().map(({ cells }) => cells[0])).toMatchObject([{ delta: 0 }, { delta: 3 }]);
  });

  it('keep the wanted names, at most so many series, and count the others', () => {
    const books = new ServerBooks([0], (name) => name.startsWith('a'));
    const lines = Array.from({ length: SERIES_MAX + 5 }, (_, index) => `a{x="${index}"} 1`);
    books.take(parseMetricPage([...lines, 'b 1'].join('\n')), 0);
    expect([books.series().length, books.seriesLeftOut]).toEqual([SERIES_MAX, 5]);
  });
});
