import { describe, expect, it } from 'vitest';
import {
  parseProxySetting,
  proxyOfTarget,
  secretsOfProxy,
  withoutPassword,
} from '../../../../shared/plan/proxy-setting.ts';
import { planOfText } from '../../../support/plan-of-text.ts';

const TARGET = { proxy: 'env', connectTo: null, reference: null, client: 'auto', http: 'auto' } as const;

/** The proxy for `url` by these variables. */
function byEnvironment(url: string, environment: Readonly<Record<string, string>>): string {
  return proxyOfTarget(TARGET, url, environment);
}

describe('R035 proxy: env', () => {
  it.each([
    ['http://a.test/', { http_proxy: 'http://p.test:3128' }, 'http://p.test:3128'],
    ['http://a.test/', { HTTP_PROXY: 'p.test:3128' }, 'http://p.test:3128'],
    [
      'http://a.test/',
      { HTTP_PROXY: 'http://upper.test:1', http_proxy: 'http://lower.test:2/' },
      'http://lower.test:2',
    ],
    ['https://a.test/', { HTTP_PROXY: 'http://p.test:3128' }, 'direct'],
    ['https://a.test/', { HTTPS_PROXY: 'http://u:pa%40ss@p.test:3128' }, 'http://u:pa%40ss@p.test:3128'],
    ['https://a.test/', { ALL_PROXY: 'http://p.test' }, 'http://p.test'],
    ['http://a.test/', { http_proxy: ' ', ALL_PROXY: 'http://[::1]:8080' }, 'http://[::1]:8080'],
    ['http://a.test/', {}, 'direct'],
  ])('%s with %j: %s', (url, environment, proxy) => {
    expect(byEnvironment(url, environment)).toBe(proxy);
  });

  it.each([
    ['http://a.test/', 'a.test'],
    ['http://A.Test./', 'a.test'],
    ['http://x.a.test/', 'b.test, a.test'],
    ['http://x.a.test/', '.a.test'],
    ['http://x.a.test/', '*.a.test'],
    ['http://a.test:8080/', 'a.test:8080'],
    ['http://a.test/', 'a.test:80'],
    ['http://127.0.0.1:8080/', 'localhost 127.0.0.1'],
    ['http://[::1]:8080/', '::1'],
    ['http://[::1]:8080/', '[::1]:8080'],
    ['http://anything.test/', '*'],
  ])('%s is excepted by no_proxy %j', (url, list) => {
    expect(byEnvironment(url, { http_proxy: 'http://p.test:1', no_proxy: list })).toBe('direct');
    expect(byEnvironment(url, { http_proxy: 'http://p.test:1', NO_PROXY: list })).toBe('direct');
  });

  it.each([
    ['http://ba.test/', 'a.test'],
    ['http://a.test.example/', 'a.test'],
    ['http://a.test:8080/', 'a.test:80'],
    ['http://127.0.0.10/', '127.0.0.1'],
    ['http://a.test/', ' , ,'],
    ['http://a.test/', '.'],
  ])('%s is not excepted by no_proxy %j', (url, list) => {
    expect(byEnvironment(url, { http_proxy: 'http://p.test:1', no_proxy: list })).toBe('http://p.test:1');
  });

  it('names the variable of a proxy that cannot be, and no password', () => {
    const wrong = (): string => byEnvironment('http://a.test/', { ALL_PROXY: 'socks5://user:hidden@p.test:1080' });
    expect(wrong).toThrow(/"socks5:\/\/p\.test:1080" is not a proxy such as .* \(variable ALL_PROXY\)/);
    expect(wrong).not.toThrow(/hidden/);
  });
});

describe('target.proxy', () => {
  it('is direct, env or the URL of an http proxy', () => {
    expect(['direct', 'env', 'http://p.test:3128/', 'p.test:3128'].map(parseProxySetting)).toEqual([
      'direct',
      'env',
      'http://p.test:3128',
      'http://p.test:3128',
    ]);
  });

  it.each([
    'https://p.test',
    'socks5://p.test:1',
    'http://p.test:1/path',
    'http://p.test:1?x',
    'http://p.test:0',
    '',
    'http://',
  ])('%j is refused', (text) => expect(() => parseProxySetting(text)).toThrow(/is not direct, env or a proxy such as/));

  it.each(['http://u:50%off@p.test:1', 'http://u%ff:p@p.test:1'])('%j has a %% that encodes nothing', (text) => {
    expect(() => parseProxySetting(text)).toThrow(/its user or password has a % that encodes nothing/);
    expect(() => parseProxySetting(text)).not.toThrow(/50%off/);
  });

  it('never shows a password, whatever is in it', () => {
    for (const password of ['pa/ss', 'pa#ss', 'pa?ss', 'p@ss'])
      expect(withoutPassword(`http://user:${password}@p.test:3128`)).toBe('http://p.test:3128');
    expect(() => parseProxySetting('http://user:hid/den@p.test:3128')).toThrow(/^"http:\/\/p\.test:3128" is not/);
  });

  it('has a password to hide, as written and as meant', () => {
    expect(secretsOfProxy('http://u:pa%40ss@p.test:1')).toEqual(['pa%40ss', 'pa@ss']);
    expect(secretsOfProxy('http://u:pass@p.test:1')).toEqual(['pass']);
    expect([secretsOfProxy('direct'), secretsOfProxy('http://p.test:1')]).toEqual([[], []]);
    expect(['http://u:p@h:1', 'u:p@h:1', 'h:1', 'direct'].map(withoutPassword)).toEqual([
      'http://h:1',
      'h:1',
      'h:1',
      'direct',
    ]);
  });
});

describe('R035 in a plan', () => {
  const plan = (target: string): string =>
    `target: {url: "http://127.0.0.1:9", ${target}}\nload: [{arrivals: poisson, rate: 10, duration: 1s}]\n`;
  const environment = { HTTP_PROXY: 'http://user:long-password@p.test:3128' };

  it('the environment counts only where the plan says so', () => {
    expect(planOfText(plan(''), { environment }).plan.target.proxy).toBe('direct');
    const { plan: read, warnings, secrets, effectiveYaml } = planOfText(plan('proxy: env'), { environment });
    expect(read.target.proxy).toBe(environment.HTTP_PROXY);
    expect(warnings).toContain('target.proxy: all requests go through the proxy http://p.test:3128');
    expect(secrets).toContain('long-password');
    expect(effectiveYaml).not.toContain('long-password');
  });

  it.each([
    ['proxy: env, connectTo: "127.0.0.1:1"', /target\.proxy: connectTo and proxy are both given/],
    ['proxy: "http://p.test:1", client: undici', /target\.proxy: only the wire client over HTTP\/1\.1/],
    ['proxy: "http://p.test:1", http: 2', /target\.proxy: only the wire client over HTTP\/1\.1/],
    ['proxy: "ftp://p.test"', /target\.proxy: "ftp:\/\/p\.test" is not direct, env or a proxy/],
  ])('%s is refused', (target, message) => {
    expect(() => planOfText(plan(target), { environment })).toThrow(message);
  });
});
