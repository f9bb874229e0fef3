import { describe, expect, it } from 'vitest';
import { parseThreshold } from '../../../../shared/plan/threshold.ts';

describe('thresholds', () => {
  it.each([
    ['p99(response)<50ms', { kind: 'percentile', percentile: 99, metric: 'response' }, '<', 50e6],
    ['p99.9( service ) <= 1.5s', { kind: 'percentile', percentile: 99.9, metric: 'service' }, '<=', 1.5e9],
    ['p50(wakeLag)<100us', { kind: 'percentile', percentile: 50, metric: 'wakeLag' }, '<', 1e5],
    ['p99(responseWithFailures)<1s', { kind: 'percentile', percentile: 99, metric: 'responseWithFailures' }, '<', 1e9],
    ['mean(firstByte)<20ms', { kind: 'mean', metric: 'firstByte' }, '<', 20e6],
    ['max(wait)<1s', { kind: 'max', metric: 'wait' }, '<', 1e9],
    ['share(failed)<1%', { kind: 'share', book: 'failed' }, '<', 0.01],
    ['share(failure)<=0.001', { kind: 'share', book: 'failure' }, '<=', 0.001],
    ['share(failed:timeout)<100%', { kind: 'share', book: 'failed:timeout' }, '<', 1],
    ['count(lost)<=0', { kind: 'count', book: 'lost' }, '<=', 0],
    ['count(ok)>=1000', { kind: 'count', book: 'ok' }, '>=', 1000],
    ['rate(goodput)>900', { kind: 'rate', of: 'goodput' }, '>', 900],
    ['rate(ok)>=99.5/s', { kind: 'rate', of: 'ok' }, '>=', 99.5],
  ])('%s', (text, statistic, comparison, bound) => {
    expect(parseThreshold(text)).toEqual({ text, statistic, comparison, bound });
  });

  it('R098 a share in percent is the very number that so many of so many are', () => {
    const bound = (text: string): number => parseThreshold(`share(ok)>=${text}%`).bound;
    for (let perMille = 0; perMille <= 1000; perMille += 1) {
      expect(bound((perMille / 10).toFixed(1))).toBe(perMille / 1000);
    }
    expect([bound('99.99'), bound('1e1'), bound('9.99E+1')]).toEqual([0.9999, 0.1, 0.999]);
    expect(parseThreshold('p50(tokensPerChunk)<=1.005').bound).toBe(1005);
  });

  it.each([
    ['p99(respons)<50ms', /unknown metric "respons", did you mean "response"/],
    ['mean(responseWithFailures)<1s', /unknown metric "responseWithFailures"/],
    ['p99(loopGap)<1s', /unknown metric "loopGap"/],
    ['share(faild)<1%', /unknown book "faild", did you mean "failed"/],
    ['count(okay)>1', /unknown book "okay"/],
    ['rate(snt)>1', /unknown rate "snt", did you mean "sent"/],
    ['q99(response)<50ms', /unknown statistic "q99"/],
    ['men(response)<50ms', /unknown statistic "men", did you mean "mean"/],
  ])('R098 %s: an unknown name is an error', (text, message) => {
    expect(() => parseThreshold(text)).toThrow(message);
  });

  it.each([
    ['p99(response)<50', /has no unit/],
    ['p99(response)<-5ms', /sign/],
    ['p100(response)<5ms', /for p100 write max/],
    ['p0(response)<5ms', /not between 0 and 100/],
    ['share(failed)<5', /is not a share/],
    ['share(failed)<-1%', /is not a share/],
    ['share(failed)<NaN', /is not a share/],
    ['share(failed)<0x1%', /is not a share/],
    ['share(failed)<100.1%', /is not a share/],
    ['count(ok)>1.5', /not a whole number/],
    ['rate(ok)>fast', /not a rate/],
    ['p99(response)=50ms', /cannot be read/],
    ['p99 response < 50ms', /cannot be read/],
    ['', /cannot be read/],
    [`p99(response)<${'9'.repeat(1000)}ms`, /cannot be read/],
  ])('R098 %s is refused', (text, message) => {
    expect(() => parseThreshold(text)).toThrow(message);
  });
});
