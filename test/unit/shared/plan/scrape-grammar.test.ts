import { describe, expect, it } from 'vitest';
import { planOfText, smallPlan } from '../../../support/plan-of-text.ts';

describe('scrape', () => {
  const scrapesOf = (text: string) => planOfText(`${smallPlan()}\n${text}`).plan.scrapes;

  it('takes paths behind the host of the target, whole URLs, and names them', () => {
    expect(scrapesOf('scrape: [{ url: /metrics }]')).toEqual([
      { name: 'server', url: 'http://127.0.0.1:8080/metrics', intervalNs: 1e9, include: [] },
    ]);
    expect(
      scrapesOf(
        'scrape: [{ url: /a, interval: 250ms, include: ["vllm:"] }, { name: gpu, url: "http://10.0.0.1:9400/metrics" }]',
      ),
    ).toMatchObject([
      { name: 'server-1', intervalNs: 250e6, include: ['vllm:'] },
      { name: 'gpu', url: 'http://10.0.0.1:9400/metrics' },
    ]);
  });

  it.each([
    ['scrape: [{ url: metrics }]', /scrape\[0\]\.url: "metrics" is not a URL/],
    ['scrape: [{ url: "http://u:p@h/m" }]', /user name or password/],
    ['scrape: [{ url: /m, interval: 1ms }]', /scrape\[0\]\.interval: .*outside 100ms\.\.1h/],
    ['scrape: [{ name: a, url: /m }, { name: a, url: /n }]', /another page is named "a" too/],
  ])('refuses %s', (text, reason) => {
    expect(() => scrapesOf(text)).toThrow(reason);
  });
});
