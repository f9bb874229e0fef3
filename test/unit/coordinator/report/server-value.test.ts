import { describe, expect, it } from 'vitest';
import { serverValues } from '../../../../coordinator/report/server-value.ts';
import { parseMetricPage } from '../../../../coordinator/scrape/prometheus-text.ts';
import { ServerBooks } from '../../../../coordinator/scrape/server-books.ts';
import { createPlan } from '../../../support/plan-fixture.ts';

/** The mean of a histogram of five samples between two pages, whose lines of the sum are given. */
function meanOf(first: string, second: string): number | null | undefined {
  const books = new ServerBooks([0], () => true);
  const page = (count: number, sum: string) =>
    parseMetricPage(`# TYPE h histogram\nh_bucket{le="1"} ${count}\nh_bucket{le="+Inf"} ${count}\n${sum}\n`);
  books.take(page(10, first), 0);
  books.take(page(15, second), 1);
  const scrape = { name: 'server', url: 'http://127.0.0.1:9/metrics', intervalNs: 1e9, include: [] };
  const [server] = serverValues([{ scrape, books, pages: 2, failed: 0, reasons: [] }], createPlan().phases);
  return server?.phases[0]?.histograms[0]?.mean;
}

describe('the mean of a server’s histogram', () => {
  it('is that of what came between the pages', () => {
    expect(meanOf('h_sum 100', 'h_sum 110')).toBe(2);
  });

  it.each([
    ['is not told', '', ''],
    ['is told by one page only', '', 'h_sum 110'],
    ['is no number', 'h_sum NaN', 'h_sum NaN'],
  ])('R093 is null where the sum %s', (_what, first, second) => {
    expect(meanOf(first, second)).toBeNull();
  });
});
