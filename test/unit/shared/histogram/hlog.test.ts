import { inflateSync } from 'node:zlib';
import { decodeFromCompressedBase64, Float64Histogram, HistogramLogReader, listTags } from 'hdr-histogram-js';
import { describe, expect, it } from 'vitest';
import { InvariantError } from '../../../../shared/fleet-error.ts';
import { Histogram } from '../../../../shared/histogram/histogram.ts';
import { encodeHdrBase64, hlogHeader, hlogLine, hlogTag, readHlog } from '../../../../shared/histogram/hlog.ts';
import {
  bucketIndexOf,
  COUNTER_COUNT,
  SIGNIFICANT_DIGITS,
  VALUE_LOWEST,
  VALUE_MAX,
} from '../../../../shared/histogram/layout.ts';
import { seededRandom } from '../../../support/seeded-random.ts';
import { histogramOf } from '../../../support/histogram-of.ts';

const startedAtMs = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const second = 1e9;

/** The uncompressed V2 form in hexadecimal. */
function payloadOf(base64: string): string {
  return inflateSync(Buffer.from(base64, 'base64').subarray(8)).toString('hex');
}

describe('encodeHdrBase64', () => {
  it('writes the header words that every decoder accepts, and the counts of a single 42 (M§7)', () => {
    const base64 = encodeHdrBase64(histogramOf([42]));
    expect(base64.startsWith('HISTF')).toBe(true);
    const highest = 3_600_000_000_000n.toString(16).padStart(16, '0');
    expect(payloadOf(base64)).toBe(
      ['1c849313', '00000002', '00000000', '00000003', '0000000000000001', highest, '3ff0000000000000', '5302'].join(
        '',
      ),
    );
  });

  it('differs from the vector of M§7 in the highest value only', () => {
    const vector = payloadOf('HISTFAAAAB542pNpmSzMwMDAxAABzFCaEUoz2X+AMIKZAEARAtM=');
    expect(vector).toBe('1c84931300000002000000000000000300000000000000010000000000000002' + '3ff00000000000005302');
    const ours = payloadOf(encodeHdrBase64(histogramOf([42])));
    expect(ours.slice(0, 48)).toBe(vector.slice(0, 48));
    expect(ours.slice(64)).toBe(vector.slice(64));
  });

  it('is read back by hdr-histogram-js with every bucket, at 64 bits', () => {
    const random = seededRandom(7);
    const samples = Array.from({ length: 20_000 }, () => Math.floor(5e6 * Math.exp(random.normal(0, 1))));
    const ours = histogramOf([0, 3.6e12, ...samples]);
    const theirs = decodeFromCompressedBase64(encodeHdrBase64(ours), 64);
    const differing: number[] = [];
    for (let index = 0; index < COUNTER_COUNT; index += 1) {
      if (
        (theirs as unknown as { getCountAtIndex(i: number): number }).getCountAtIndex(index) !== ours.countAt(index)
      ) {
        differing.push(index);
      }
    }
    expect(differing).toEqual([]);
    expect(theirs.totalCount).toBe(ours.count);
    for (const p of [50, 90, 99, 99.9]) expect(theirs.getValueAtPercentile(p)).toBe(ours.percentile(p));
  });

  it('keeps counts above 2^32', () => {
    const ours = histogramOf([1000]);
    for (let doubling = 0; doubling < 33; doubling += 1) ours.add(ours);
    expect(decodeFromCompressedBase64(encodeHdrBase64(ours), 64).totalCount).toBe(2 ** 33);
  });

  it('encodes an empty histogram', () => {
    expect(decodeFromCompressedBase64(encodeHdrBase64(new Histogram()), 64).totalCount).toBe(0);
  });
});

describe('layout 1', () => {
  it('puts every value into the bucket that hdr-histogram-js puts it into', () => {
    const theirs = new Float64Histogram(VALUE_LOWEST, VALUE_MAX, SIGNIFICANT_DIGITS);
    const random = seededRandom(13);
    const values = Array.from({ length: 20_000 }, () => Math.floor(2 ** (random.uniform() * Math.log2(VALUE_MAX))));
    const edges = Array.from({ length: 42 }, (_, e) => [2 ** e - 1, 2 ** e, 2 ** e + 1]).flat();
    const differing = [...values, ...edges, VALUE_MAX].filter(
      (value) => theirs.countsArrayIndex(value) !== bucketIndexOf(value),
    );
    expect(differing).toEqual([]);
    expect(theirs.countsArrayLength).toBe(COUNTER_COUNT);
  });
});

describe('an .hlog file', () => {
  const log = [
    hlogHeader(startedAtMs),
    hlogLine({ tag: 'response', startNs: 0, lengthNs: second, histogram: histogramOf([1_500_000, 23_330_001]) }),
    hlogLine({ tag: 'lag', startNs: second, lengthNs: second / 2, histogram: new Histogram() }),
    hlogLine({ tag: 'tokens', startNs: second, lengthNs: second, histogram: histogramOf([17]), maxDivisor: 1 }),
  ].join('');

  it('opens with version, start time, base time and legend', () => {
    expect(log.split('\n').slice(0, 4)).toEqual([
      '#[Histogram log format version 1.3]',
      '#[StartTime: 1767323045.678 (seconds since epoch), 2026-01-02T03:04:05.678Z]',
      '#[BaseTime: 1767323045.678 (seconds since epoch)]',
      '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"',
    ]);
  });

  it('gives start and length in seconds and the exact maximum in ms', () => {
    const columns = log
      .trimEnd()
      .split('\n')
      .slice(4)
      .map((line) => line.split(',').slice(0, 4));
    expect(columns).toEqual([
      ['Tag=response', '0.000', '1.000', '23.330'],
      ['Tag=lag', '1.000', '0.500', '0.000'],
      ['Tag=tokens', '1.000', '1.000', '17.000'],
    ]);
  });

  it('is read by hdr-histogram-js: tags, instants and samples', () => {
    expect(listTags(log)).toEqual(['response', 'lag', 'tokens']);
    const reader = new HistogramLogReader(log, 64);
    const first = reader.nextIntervalHistogram();
    expect(first).toMatchObject({ tag: 'response', startTimeStampMsec: startedAtMs, totalCount: 2 });
    expect(first?.getValueAtPercentile(50)).toBe(histogramOf([1_500_000, 23_330_001]).percentile(50));
    expect(reader.nextIntervalHistogram()).toMatchObject({ tag: 'lag', totalCount: 0 });
    expect(reader.nextIntervalHistogram()).toMatchObject({ tag: 'tokens', totalCount: 1 });
    expect(reader.nextIntervalHistogram()).toBeNull();
  });

  it('escapes a name that would break the line, and refuses one that was not escaped', () => {
    expect(hlogTag('checkout, page\n50%é')).toBe('checkout%2C%20page%0A50%25é');
    for (const tag of ['', 'a b', 'a,b', 'a\nb', 'a\u0000b']) {
      const interval = { tag, startNs: 0, lengthNs: second, histogram: new Histogram() };
      expect(() => hlogLine(interval)).toThrow(InvariantError);
    }
  });
});

describe('readHlog', () => {
  const random = seededRandom(3);
  const samples = [0, 3.6e12, ...Array.from({ length: 5000 }, () => Math.floor(5e6 * Math.exp(random.normal(0, 2))))];
  const ours = histogramOf(samples);
  const line = (tag: string, histogram: Histogram): string =>
    hlogLine({ tag, startNs: 0, lengthNs: second, histogram });

  it('gives back every bucket of the lines with the tag, in their order', () => {
    const log = [
      hlogHeader(startedAtMs),
      line('lag', ours),
      line('response', ours),
      line('response', histogramOf([7])),
    ];
    const [first, second_, ...more] = readHlog(log.join(''), 'response');
    expect(more).toEqual([]);
    expect(second_?.count).toBe(1);
    const differing = Array.from({ length: COUNTER_COUNT }, (_, index) => index).filter(
      (index) => first?.countAt(index) !== ours.countAt(index),
    );
    expect(differing).toEqual([]);
    for (const p of [1, 50, 99, 99.9]) expect(first?.percentile(p)).toBe(ours.percentile(p));
    expect(readHlog(log.join(''), 'wait')).toEqual([]);
  });

  it('takes an empty histogram for what it is', () => {
    const [empty] = readHlog(line('response', new Histogram()), 'response');
    expect(empty?.isEmpty()).toBe(true);
  });

  it('R070 refuses what is no histogram, or one of another layout, and says what', () => {
    expect(() => readHlog('Tag=response,0.000,1.000,5.000,rubbish\n', 'response')).toThrow(
      /hlog: a line is no histogram/,
    );
    const other = 'HISTFAAAAB542pNpmSzMwMDAxAABzFCaEUoz2X+AMIKZAEARAtM=';
    expect(() => readHlog(`Tag=response,0.000,1.000,5.000,${other}\n`, 'response')).toThrow(/is not of 33792 counters/);
  });
});
