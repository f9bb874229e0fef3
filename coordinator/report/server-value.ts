/** The server's own numbers as `result.json` has them: per page and phase, gauges, counters' growth, quantiles of histograms. */

import { hideSecretsOfUrl } from '../../shared/plan/find-secrets.ts';
import type { Phase } from '../../shared/plan/plan.ts';
import { REDACTED } from '../../shared/plan/redact-secrets.ts';
import { bucketQuantile } from '../scrape/bucket-quantile.ts';
import type { HistogramCell, ServerCell, ServerSeries } from '../scrape/server-books.ts';
import { type ServerRole, serverRoleOf } from '../scrape/server-roles.ts';
import type { ServerRecord } from '../scrape/server-scrape.ts';

/** Quantiles that are shown, as keys of `quantiles`. */
export const SERVER_QUANTILES = ['50', '90', '99'] as const;

/** One page that was read during the run. */
export interface ServerValue {
  readonly name: string;
  readonly url: string;
  readonly intervalNs: number;
  /** Pages read, and pages that could not be had, with why. */
  readonly pages: number;
  readonly failed: number;
  readonly reasons: readonly string[];
  /** Lines that could not be read; series beyond the limit. */
  readonly unreadable: number;
  readonly seriesLeftOut: number;
  readonly phases: readonly ServerPhaseValue[];
}

/** What the page told of one phase. */
export interface ServerPhaseValue {
  readonly phase: string;
  /** Run times of the first and last page that counters and histograms grew between; null without two pages. */
  readonly fromNs: number | null;
  readonly toNs: number | null;
  readonly gauges: readonly (SeriesValue & {
    readonly min: number;
    readonly max: number;
    readonly mean: number;
    readonly last: number;
    readonly samples: number;
  })[];
  readonly counters: readonly (SeriesValue & { readonly delta: number; readonly resets: number })[];
  readonly histograms: readonly ServerHistogramValue[];
}

/** Which series; `role` = what it tells, where the name is known. */
interface SeriesValue {
  readonly series: string;
  readonly role: ServerRole | null;
}

/** Growth of a histogram, in the server's own unit. */
export interface ServerHistogramValue extends SeriesValue {
  readonly count: number;
  readonly mean: number | null;
  readonly resets: number;
  /** Each between the bounds of its bucket; null without a sample. */
  readonly quantiles: Readonly<Record<string, ServerQuantileValue | null>>;
}

/** A quantile read from the server's own histogram, in its unit, with the bounds of its bucket. */
export interface ServerQuantileValue {
  /** On a straight line through the bucket; null in the last one. */
  readonly value: number | null;
  readonly low: number;
  readonly high: number | null;
}

/** The pages' values. */
export function serverValues(servers: readonly ServerRecord[], phases: readonly Phase[]): readonly ServerValue[] {
  return servers.map(({ scrape, books, pages, failed, reasons }) => ({
    name: scrape.name,
    url: hideSecretsOfUrl(scrape.url, REDACTED),
    intervalNs: scrape.intervalNs,
    pages,
    failed,
    reasons,
    unreadable: books.unreadable,
    seriesLeftOut: books.seriesLeftOut,
    phases: phases.map(({ name }, index) => {
      const span = books.spanOf(index);
      return { phase: name, fromNs: span?.fromNs ?? null, toNs: span?.toNs ?? null, ...cellsOf(books.series(), index) };
    }),
  }));
}

/** What is worth a word about pages that could not be had. */
export function serverWarnings(servers: readonly ServerRecord[]): readonly string[] {
  return servers.flatMap(({ scrape, books, pages, failed, reasons }) => [
    ...(failed === 0
      ? []
      : [`scrape ${scrape.name}: ${failed} of ${pages + failed} pages could not be had (${reasons.join(', ')})`]),
    ...(books.unreadable === 0 ? [] : [`scrape ${scrape.name}: ${books.unreadable} lines could not be read`]),
    ...(books.seriesLeftOut === 0
      ? []
      : [`scrape ${scrape.name}: ${books.seriesLeftOut} series above the limit were left out; name some by include`]),
  ]);
}

function cellsOf(
  series: readonly ServerSeries[],
  phase: number,
): Pick<ServerPhaseValue, 'gauges' | 'counters' | 'histograms'> {
  const withCells = series.flatMap(({ id, name, cells }) => {
    const cell: ServerCell | null = cells[phase] ?? null;
    return cell === null ? [] : [{ key: { series: id, role: serverRoleOf(name) }, cell }];
  });
  return {
    gauges: withCells.flatMap(({ key, cell }) =>
      cell.kind === 'gauge'
        ? [
            {
              ...key,
              min: cell.min,
              max: cell.max,
              mean: cell.sum / cell.samples,
              last: cell.last,
              samples: cell.samples,
            },
          ]
        : [],
    ),
    counters: withCells.flatMap(({ key, cell }) =>
      cell.kind === 'counter' ? [{ ...key, delta: cell.delta, resets: cell.resets }] : [],
    ),
    histograms: withCells.flatMap(({ key, cell }) =>
      cell.kind === 'histogram' ? [{ ...key, ...histogramValue(cell) }] : [],
    ),
  };
}

function histogramValue(cell: HistogramCell): Omit<ServerHistogramValue, 'series' | 'role'> {
  const count = cell.counts.reduce((sum, each) => sum + each, 0);
  const quantiles = SERVER_QUANTILES.map((key) => [
    key,
    bucketQuantile(cell.upperBounds, cell.counts, Number(key) / 100),
  ]);
  const mean = cell.sum / count;
  return {
    count,
    mean: Number.isFinite(mean) ? mean : null,
    resets: cell.resets,
    quantiles: Object.fromEntries(quantiles) as ServerHistogramValue['quantiles'],
  };
}
