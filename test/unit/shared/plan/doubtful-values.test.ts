import { describe, expect, it } from 'vitest';
import { planOfText } from '../../../support/plan-of-text.ts';

function warningsOf(threshold: string, body: string): readonly string[] {
  const text = `target: {url: "http://h"}
workload: [{name: a, url: /, method: POST, body: "${body}"}]
load: [{rate: 10, duration: 1s}]
thresholds: ["${threshold}"]
`;
  return planOfText(text).warnings;
}

describe('values that are nearly always meant otherwise', () => {
  it.each([
    ['p0.99(response)<50ms', 'only 0.99 % of the requests are below p0.99; p99 is meant?'],
    ['p0.999(response)<50ms', 'p99.9 is meant?'],
    ['p0.5(service)<50ms', 'p50 is meant?'],
  ])('R098 a threshold on %s, which nearly always passes, is said', (threshold, message) => {
    const warnings = warningsOf(threshold, 'x');
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(message);
  });

  it.each(['share(failed)<1', 'share(failure) <= 1.0'])('R098 a bound of 1 on a share, %s, is said', (threshold) => {
    expect(warningsOf(threshold, 'x')).toEqual([`threshold "${threshold}": a share of 1 is 100 %; 1% is meant?`]);
  });

  it('a body that looks like the name of a file is said', () => {
    expect(warningsOf('p99(response)<50ms', '@body.json')).toEqual([
      'request "a": the body is the text "@body.json"; a file is named by bodyFile in a plan',
    ]);
  });

  it.each([
    ['p1(response)<50ms', '@someone, hello'],
    ['p99.9(response)<50ms', 'a@b'],
    ['mean(response)<50ms', '@'],
    ['share(failed)<=100%', 'x'],
    ['share(ok)>=1', 'x'],
    ['share(failed)<0.99', 'x'],
  ])('others are not: %s, %s', (threshold, body) => {
    expect(warningsOf(threshold, body)).toEqual([]);
  });
});
