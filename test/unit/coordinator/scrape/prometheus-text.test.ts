import { describe, expect, it } from 'vitest';
import { parseMetricPage } from '../../../../coordinator/scrape/prometheus-text.ts';

const VLLM = `# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="a/b \\"q\\""} 3.0
# TYPE vllm:num_preemptions_total counter
vllm:num_preemptions_total{engine="0",model_name="m"} 7
vllm:num_preemptions_created{engine="0",model_name="m"} 1.7e+09
# TYPE vllm:time_to_first_token_seconds histogram
vllm:time_to_first_token_seconds_bucket{le="0.1",model_name="m"} 2
vllm:time_to_first_token_seconds_bucket{le="0.001",model_name="m"} 1
vllm:time_to_first_token_seconds_bucket{le="+Inf",model_name="m"} 4
vllm:time_to_first_token_seconds_count{model_name="m"} 4
vllm:time_to_first_token_seconds_sum{model_name="m"} 5.5
`;

describe('a page of metrics', () => {
  it('gives gauges, counters and whole histograms', () => {
    const { series, unreadable } = parseMetricPage(VLLM);
    expect(unreadable).toBe(0);
    expect(series).toEqual([
      {
        kind: 'gauge',
        id: 'vllm:num_requests_running{engine="0",model_name="a/b \\"q\\""}',
        name: 'vllm:num_requests_running',
        value: 3,
      },
      {
        kind: 'counter',
        id: 'vllm:num_preemptions_total{engine="0",model_name="m"}',
        name: 'vllm:num_preemptions_total',
        value: 7,
      },
      {
        kind: 'histogram',
        id: 'vllm:time_to_first_token_seconds{model_name="m"}',
        name: 'vllm:time_to_first_token_seconds',
        upperBounds: [0.001, 0.1, Number.POSITIVE_INFINITY],
        cumulative: [1, 2, 4],
        sum: 5.5,
      },
    ]);
  });

  it.each([
    ['/send/{id}/time', 'a{v="/send/{id}/time"} 1'],
    ['b # {c', 'a{v="b # {c"} 1'],
    ['x} 5', 'a{v="x} 5"} 1'],
    ['q" # {z"', 'a{v="q\\" # {z\\""} 1 # {trace_id="} # {"} 0.5 1.7'],
    ['F:\\', 'a{v="F:\\\\",} 1 1700000000000 # {} 1'],
  ])('takes %j in a label’s value for text', (text, line) => {
    const { series, unreadable } = parseMetricPage(line);
    expect(unreadable).toBe(0);
    expect(series).toEqual([{ kind: 'gauge', id: `a{v=${JSON.stringify(text)}}`, name: 'a', value: 1 }]);
  });

  it('reads CRLF, time stamps, exemplars, special numbers and names without a type', () => {
    const { series, unreadable } = parseMetricPage(
      'a 1 1700000000000\r\nb_total 2 # {trace_id="x"} 0.5 1.7\r\nc{} NaN\r\nd -Inf\r\n# TYPE e summary\r\ne{quantile="0.5"} .25\r\ne_sum 4\r\n# EOF\r\n',
    );
    expect(unreadable).toBe(0);
    expect(series.map(({ kind, id }) => `${kind} ${id}`)).toEqual([
      'gauge a',
      'counter b_total',
      'gauge c',
      'gauge d',
      'gauge e{quantile="0.5"}',
      'counter e_sum',
    ]);
  });

  it('knows a counter whose type is told without _total (OpenMetrics)', () => {
    expect(parseMetricPage('# TYPE x counter\nx_total 1\n').series[0]?.kind).toBe('counter');
  });

  it.each(['untyped', 'unknown'])('takes %s for no type: a name tells a counter', (type) => {
    const { series } = parseMetricPage(`# TYPE x_total ${type}\nx_total 1\n# TYPE y ${type}\ny 1\n`);
    expect(series.map(({ kind }) => kind)).toEqual(['counter', 'gauge']);
  });

  it('reads the first sample of a series that the page has twice, and no histogram with a bucket twice', () => {
    const page = parseMetricPage('a_total{x="1"} 100\na_total{x="1"} 5\na_total{x="2"} 7\n');
    expect(page.unreadable).toBe(1);
    expect(page.series).toMatchObject([{ value: 100 }, { value: 7 }]);
    const buckets = ['1', '+Inf', '1.0', '+Inf'].map((le, place) => `h_bucket{le="${le}"} ${place}\n`).join('');
    expect(parseMetricPage(`# TYPE h histogram\n${buckets}`)).toEqual({ series: [], unreadable: 1 });
  });

  it('reads blanks before the braces', () => {
    expect(parseMetricPage('a \t{x="1"} 2').series).toEqual([{ kind: 'gauge', id: 'a{x="1"}', name: 'a', value: 2 }]);
  });

  it('names a series the same whatever the order of its labels, and keeps braces and commas in values', () => {
    const ids = ['a{y="1,}",x="2"} 1', 'a{x="2", y="1,}",} 1'].map((line) => parseMetricPage(line).series[0]?.id);
    expect(ids).toEqual(['a{x="2",y="1,}"}', 'a{x="2",y="1,}"}']);
  });

  it.each(['<html>', 'a', 'a b', 'a{x=1} 2', 'a{x="1} 2', '1a 2', 'a{x="1"} 0x10'])(
    'counts %s as unreadable',
    (line) => {
      expect(parseMetricPage(`${line}\nok 1\n`)).toMatchObject({ unreadable: 1, series: [{ id: 'ok' }] });
    },
  );

  it.each(['h_bucket{le="+Inf"} NaN', 'h_bucket{le="+Inf"} +Inf', 'h_bucket{le="NaN"} 1\nh_bucket{le="+Inf"} 3'])(
    'R093 counts a histogram of no numbers as unreadable: %j',
    (lines) => {
      const page = parseMetricPage(`# TYPE h histogram\nh_bucket{le="1"} 3\n${lines}\nh_sum 1\n`);
      expect(page).toEqual({ series: [], unreadable: 1 });
    },
  );

  it('counts a histogram without its last bucket as unreadable', () => {
    const page = parseMetricPage('# TYPE h histogram\nh_bucket{le="1"} 3\nh_sum 1\n');
    expect(page).toEqual({ series: [], unreadable: 1 });
  });
});
