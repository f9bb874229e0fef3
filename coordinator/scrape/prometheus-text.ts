/**
 * Reads a page in the Prometheus text format (and what OpenMetrics adds to it) into series: gauges, counters and histograms put together
 * from their buckets. What cannot be read is counted and left out; nothing here throws for anything that a server sends. Pure.
 */

/** One series of a page. `id` is its name with its labels in order of their names: the same on every page. */
export type PageSeries =
  | {
      readonly kind: 'gauge' | 'counter';
      readonly id: string;
      readonly name: string;
      readonly value: number;
    }
  | {
      readonly kind: 'histogram';
      readonly id: string;
      readonly name: string;
      /** Ascending; the last is Infinity. */
      readonly upperBounds: readonly number[];
      /** Cumulative counts, one per bound. */
      readonly cumulative: readonly number[];
      /** NaN where the page does not say. */
      readonly sum: number;
    };

/** What a page says. */
export interface MetricPage {
  readonly series: readonly PageSeries[];
  /** Lines that are no sample or a second one of the same series, and histograms without an end or with a bucket twice. */
  readonly unreadable: number;
}

interface Sample {
  readonly name: string;
  /** Escapes taken out; in the order written. */
  readonly labels: readonly (readonly [name: string, value: string])[];
  readonly value: number;
}

interface HistogramParts {
  readonly name: string;
  readonly buckets: { readonly upperBound: number; readonly count: number }[];
  sum: number;
}

/** Name, labels (whose quoted values may hold braces and #), value, time, and behind them an exemplar of OpenMetrics. */
const SAMPLE =
  /^([A-Za-z_:][\w:]*)(?:[ \t]*\{((?:[^"}]|"(?:[^"\\]|\\.)*")*)\})?[ \t]+(\S+)(?:[ \t]+-?[\d.eE+-]+)?[ \t]*(?:[ \t]#[ \t]*\{.*)?$/s;
const LABEL = /([A-Za-z_]\w*)[ \t]*=[ \t]*"((?:[^"\\]|\\.)*)"[ \t]*(?:,[ \t]*|$)/gsy;
const TYPE = /^#[ \t]+TYPE[ \t]+(\S+)[ \t]+(\S+)[ \t]*$/;
const HISTOGRAM_PARTS = /_(bucket|sum|count)$/;

/** Reads a page. */
export function parseMetricPage(text: string): MetricPage {
  const types = new Map<string, string>();
  const series: PageSeries[] = [];
  const singles = new Set<string>();
  const histograms = new Map<string, HistogramParts>();
  let unreadable = 0;
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('#')) {
      const [, name, type] = TYPE.exec(line) ?? [];
      if (name !== undefined && type !== undefined) types.set(name, type);
      continue;
    }
    if (line.trim() === '') continue;
    const sample = sampleOf(line);
    if (sample === null) unreadable += 1;
    else if (isOfHistogram(sample.name, types)) addToHistogram(sample, histograms);
    else if (!sample.name.endsWith('_created')) {
      const single = singleOf(sample, types);
      // The first one counts. Taken for one series, two of them would fall and grow with every page.
      if (singles.has(single.id)) unreadable += 1;
      else {
        singles.add(single.id);
        series.push(single);
      }
    }
  }
  for (const [id, parts] of histograms) {
    const histogram = histogramOf(id, parts);
    if (histogram === null) unreadable += 1;
    else series.push(histogram);
  }
  return { series, unreadable };
}

function sampleOf(line: string): Sample | null {
  const [, name, labelText = '', valueText] = SAMPLE.exec(line) ?? [];
  if (name === undefined || valueText === undefined) return null;
  const labels: (readonly [string, string])[] = [];
  let end = 0;
  for (const match of labelText.matchAll(LABEL)) {
    labels.push([match[1] as string, unescaped(match[2] as string)]);
    end = match.index + match[0].length;
  }
  const value = numberOf(valueText);
  return end === labelText.length && value !== null ? { name, labels, value } : null;
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/gs, (_, character: string) => (character === 'n' ? '\n' : character));
}

function numberOf(text: string): number | null {
  switch (text) {
    case 'NaN':
      return Number.NaN;
    case '+Inf':
    case 'Inf':
      return Number.POSITIVE_INFINITY;
    case '-Inf':
      return Number.NEGATIVE_INFINITY;
    default:
      return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : null;
  }
}

function isOfHistogram(name: string, types: ReadonlyMap<string, string>): boolean {
  return HISTOGRAM_PARTS.test(name) && types.get(name.replace(HISTOGRAM_PARTS, '')) === 'histogram';
}

function addToHistogram({ name, labels, value }: Sample, histograms: Map<string, HistogramParts>): void {
  const family = name.replace(HISTOGRAM_PARTS, '');
  const id = idOf(
    family,
    labels.filter(([label]) => label !== 'le'),
  );
  let parts = histograms.get(id);
  if (parts === undefined) histograms.set(id, (parts = { name: family, buckets: [], sum: Number.NaN }));
  if (name.endsWith('_sum')) parts.sum = value;
  if (!name.endsWith('_bucket')) return;
  const upperBound = numberOf(labels.find(([label]) => label === 'le')?.[1] ?? '');
  if (upperBound !== null) parts.buckets.push({ upperBound, count: value });
}

/** Null without a last bucket, which counts all samples, with a bucket that is there twice, and where a bound or count is no number. */
function histogramOf(id: string, { name, buckets, sum }: HistogramParts): PageSeries | null {
  buckets.sort((a, b) => a.upperBound - b.upperBound);
  if (buckets.some(({ upperBound, count }) => Number.isNaN(upperBound) || !Number.isFinite(count))) return null;
  if (buckets.some(({ upperBound }, place) => upperBound === buckets[place - 1]?.upperBound)) return null;
  if (buckets.at(-1)?.upperBound !== Number.POSITIVE_INFINITY) return null;
  return {
    kind: 'histogram',
    id,
    name,
    upperBounds: buckets.map(({ upperBound }) => upperBound),
    cumulative: buckets.map(({ count }) => count),
    sum,
  };
}

/** Counters of a family without a type are known by their name; quantiles of a summary are gauges, its sum and count are counters. */
function singleOf({ name, labels, value }: Sample, types: ReadonlyMap<string, string>): PageSeries {
  const type = types.get(name) ?? types.get(name.replace(/_total$/, ''));
  const ofSummary = HISTOGRAM_PARTS.test(name) && types.get(name.replace(HISTOGRAM_PARTS, '')) === 'summary';
  const isOpen = type === undefined || type === 'untyped' || type === 'unknown';
  const isCounter = type === 'counter' || ofSummary || (isOpen && name.endsWith('_total'));
  return { kind: isCounter ? 'counter' : 'gauge', id: idOf(name, labels), name, value };
}

function idOf(name: string, labels: readonly (readonly [string, string])[]): string {
  if (labels.length === 0) return name;
  const sorted = [...labels].sort(([a], [b]) => (a < b ? -1 : 1));
  return `${name}{${sorted.map(([label, value]) => `${label}=${JSON.stringify(value)}`).join(',')}}`;
}
