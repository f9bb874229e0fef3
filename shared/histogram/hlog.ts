/**
 * Writing and reading `.hlog` files (HdrHistogram log 1.3, histograms in compressed V2) that the Java, Rust, Python and JavaScript
 * implementations read. The only file that knows hdr-histogram-js: it encodes, and this file puts right what other
 * decoders refuse in its header (M§7). An `.hlog` rounds min and max to buckets: a run's own results are never merged from it.
 */

import { deflateSync, inflateSync } from 'node:zlib';
import { decodeFromCompressedBase64, encodeIntoCompressedBase64, Float64Histogram } from 'hdr-histogram-js';
import { assertInvariant, FleetError } from '../fleet-error.ts';
import { Histogram } from './histogram.ts';
import { bucketHighOf, bucketLowOf, COUNTER_COUNT, SIGNIFICANT_DIGITS, VALUE_LOWEST, VALUE_MAX } from './layout.ts';

/** One line of the log: what one series recorded in one interval. */
export interface HlogInterval {
  /** Name of the series; make it with `hlogTag`. */
  readonly tag: string;
  /** Start of the interval in ns from the log's start. */
  readonly startNs: number;
  /** Length of the interval in ns. */
  readonly lengthNs: number;
  readonly histogram: Histogram;
  /** What the maximum is divided by in the line's plain-text column: 1e6 (the default) writes ms for a metric in ns. */
  readonly maxDivisor?: number;
}

/** Offsets in the uncompressed V2 form, and the values that the format prescribes for a histogram of integers. */
const NORMALIZING_OFFSET_AT = 8;
const NORMALIZING_OFFSET = 0;
const CONVERSION_RATIO_AT = 32;
const CONVERSION_RATIO = 1;

/** Bytes before the deflated part: the cookie and its length. */
const ENVELOPE_BYTES = 8;
const COMPRESSED_COOKIE = 0x1c849314;

/** The library's throw-away compression: the payload is deflated once more after the header is put right. */
const FASTEST_LEVEL = 1;

const NS_PER_SECOND = 1e9;
const NS_PER_MS = 1e6;

/**
 * The lines before the first interval. `startedAtMs` is the wall-clock instant of T0 (ms since the epoch): a label only;
 * the intervals' own times count from it.
 */
export function hlogHeader(startedAtMs: number): string {
  const seconds = (startedAtMs / 1000).toFixed(3);
  return [
    '#[Histogram log format version 1.3]',
    `#[StartTime: ${seconds} (seconds since epoch), ${new Date(startedAtMs).toISOString()}]`,
    `#[BaseTime: ${seconds} (seconds since epoch)]`,
    '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"',
    '',
  ].join('\n');
}

/** `name` as a tag: commas, white space, control characters and % are written as %XX (UTF-8), since the format splits on them. */
export function hlogTag(name: string): string {
  return name.replace(/[\s,%\p{Cc}]/gu, encodeURIComponent);
}

/** One line of the log, with its line end: `Tag=...,start_s,length_s,max,HISTF...`. */
export function hlogLine(interval: HlogInterval): string {
  const { tag, histogram } = interval;
  assertInvariant(/^[^\s,\p{Cc}]+$/u.test(tag), `tag ${JSON.stringify(tag)} must be made by hlogTag`);
  const start = (interval.startNs / NS_PER_SECOND).toFixed(3);
  const length = (interval.lengthNs / NS_PER_SECOND).toFixed(3);
  const max = ((histogram.max ?? 0) / (interval.maxDivisor ?? NS_PER_MS)).toFixed(3);
  return `Tag=${tag},${start},${length},${max},${encodeHdrBase64(histogram)}\n`;
}

/** The compressed V2 form in base64 (it begins with `HISTF`), with normalizing offset 0 and conversion ratio 1.0. */
export function encodeHdrBase64(histogram: Histogram): string {
  const encoded = Buffer.from(encodeIntoCompressedBase64(toHdrHistogram(histogram), FASTEST_LEVEL), 'base64');
  const payload = inflateSync(encoded.subarray(ENVELOPE_BYTES, ENVELOPE_BYTES + encoded.readInt32BE(4)));
  payload.writeInt32BE(NORMALIZING_OFFSET, NORMALIZING_OFFSET_AT);
  payload.writeDoubleBE(CONVERSION_RATIO, CONVERSION_RATIO_AT);
  const deflated = deflateSync(payload);
  const envelope = Buffer.alloc(ENVELOPE_BYTES);
  envelope.writeUInt32BE(COMPRESSED_COOKIE, 0);
  envelope.writeUInt32BE(deflated.length, 4);
  return Buffer.concat([envelope, deflated]).toString('base64');
}

/**
 * The histograms of the lines tagged `tag`, in the order of the lines. Counts are exact; min and max are the edges of their buckets, and
 * the sum is that of the buckets' middles. @throws FleetError 'protocol' for what is no histogram of our layout.
 */
export function readHlog(text: string, tag: string): readonly Histogram[] {
  const start = `Tag=${tag},`;
  return text
    .split('\n')
    .filter((line) => line.startsWith(start))
    .map((line) => decodeHdrBase64(line.slice(line.lastIndexOf(',') + 1)));
}

function decodeHdrBase64(base64: string): Histogram {
  let hdr: ReturnType<typeof decodeFromCompressedBase64>;
  try {
    // 64 bits, since the default of 32 turns large counts into 0 (M§7).
    hdr = decodeFromCompressedBase64(base64, 64);
  } catch (error) {
    throw new FleetError('protocol', `hlog: a line is no histogram: ${String(error)}`, { cause: error });
  }
  if (!(hdr instanceof Float64Histogram) || hdr.countsArrayLength !== COUNTER_COUNT) {
    throw new FleetError('protocol', `hlog: a histogram is not of ${COUNTER_COUNT} counters`);
  }
  const indexes: number[] = [];
  for (let index = 0; index < COUNTER_COUNT; index += 1) if (hdr.getCountAtIndex(index) > 0) indexes.push(index);
  const counts = indexes.map((index) => hdr.getCountAtIndex(index));
  const middles = indexes.map((index) => BigInt(Math.round((bucketLowOf(index) + bucketHighOf(index)) / 2)));
  const [lowest, highest] = [indexes[0], indexes.at(-1)];
  const histogram = new Histogram();
  histogram.addDecoded({
    indexes: Uint16Array.from(indexes),
    counts: Float64Array.from(counts),
    count: counts.reduce((total, count) => total + count, 0),
    min: lowest === undefined ? Infinity : bucketLowOf(lowest),
    max: highest === undefined ? -Infinity : Math.min(VALUE_MAX, bucketHighOf(highest)),
    sum: middles.reduce((total, middle, i) => total + middle * BigInt(counts[i] as number), 0n),
    overflow: 0,
  });
  return histogram;
}

/** The library's histogram with our counts: 64-bit counters, since its default of 32 bits wraps silently (M§7). */
function toHdrHistogram(histogram: Histogram): Float64Histogram {
  const hdr = new Float64Histogram(VALUE_LOWEST, VALUE_MAX, SIGNIFICANT_DIGITS);
  assertInvariant(hdr.countsArrayLength === COUNTER_COUNT, `hdr-histogram-js made ${hdr.countsArrayLength} counters`);
  const from = histogram.lowestIndex();
  const to = histogram.highestIndex();
  if (from === null || to === null) return hdr;
  for (let index = from; index <= to; index += 1) hdr.setCountAtIndex(index, histogram.countAt(index));
  hdr.establishInternalTackingValues(to + 1);
  assertInvariant(
    hdr.totalCount === histogram.count,
    `hdr-histogram-js counts ${hdr.totalCount} of ${histogram.count}`,
  );
  return hdr;
}
