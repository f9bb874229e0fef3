import { describe, expect, it } from 'vitest';
import { applyFlags } from '../../../../shared/plan/plan-from-flags.ts';
import { PLAN_FLAGS, variableOfFlag } from '../../../../shared/plan/plan-flags.ts';
import { planErrorOf, planOfText, smallPlan } from '../../../support/plan-of-text.ts';

const byFlags = (flags: Record<string, readonly string[]>, environment: Record<string, string> = {}) =>
  planOfText(null, { flags, environment }).plan;
const BASE = { url: ['http://h:1/p?x=%20'], rate: ['50'], duration: ['10s'] };

/** Flags that change an LLM request, and one value of each. */
const LLM_FLAGS: Readonly<Record<string, readonly string[]>> = {
  model: ['m'],
  prompt: ['p'],
  'max-tokens': ['7'],
  'ignore-eos': ['true'],
  stream: ['false'],
  'extra-body': ['{"temperature":0}'],
  'api-key-env': ['API_KEY'],
};

describe('a run by flags alone', () => {
  it('is the plan that the file would give', () => {
    const flags = {
      ...BASE,
      method: ['POST'],
      header: ['X-A: 1', 'X-A: 2', 'Accept:*/*'],
      body: ['a: b'],
      arrivals: ['gamma:0.5'],
      warmup: ['2s'],
      agents: ['3'],
      workers: ['2'],
      connections: ['8'],
      timeout: ['1s'],
      seed: ['0xff'],
      slo: ['response:200ms', 'service: 100ms'],
      threshold: ['p99(response)<50ms', 'share(failed)<1%'],
      'fail-on': ['degraded'],
      'on-agent-loss': ['abort'],
      out: ['results/x'],
      'per-request': ['true'],
      quiet: ['true'],
    };
    const file = `
target: {url: "http://h:1"}
seed: 0xff
workload: [{url: "/p?x=%20", method: POST, headers: {X-A: ["1", "2"], Accept: "*/*"}, body: "a: b"}]
load:
  - {warmup: true, arrivals: "gamma:0.5", rate: 50, duration: 2s}
  - {arrivals: "gamma:0.5", rate: 50, duration: 10s}
limits: {connections: 8, timeout: 1s}
fleet: {agents: 3, workers: 2, onAgentLoss: abort}
slo: {response: 200ms, service: 100ms}
thresholds: ["p99(response)<50ms", "share(failed)<1%"]
failOn: degraded
output: {dir: results/x, quiet: true, perRequest: true}`;
    expect(byFlags(flags)).toEqual(planOfText(file).plan);
  });

  it.each([
    ['http://h', 'http://h/'],
    ['http://h/', 'http://h/'],
    ['http://h:8080/a//b/../c?x=%7B%7D&y=a+b', 'http://h:8080/a//b/../c?x=%7B%7D&y=a+b'],
    ['https://[::1]:443/x', 'https://[::1]:443/x'],
  ])('R028 --url %s is sent as %s', (url, sent) => {
    expect(byFlags({ ...BASE, url: [url] }).requests[0]?.url).toBe(sent);
  });

  it.each([
    ['http://h', 'http://h/v1/chat/completions'],
    ['http://h/v1/', 'http://h/v1/chat/completions'],
    ['http://h/proxy', 'http://h/proxy/v1/chat/completions'],
    ['http://h/proxy?key=a%2Fb', 'http://h/proxy/v1/chat/completions?key=a%2Fb'],
    ['http://h/deployments/d/chat/completions', 'http://h/deployments/d/chat/completions'],
  ])('--url %s with --llm chat is posted to %s, as with that target.url in a file', (url, sent) => {
    const { plan } = planOfText(
      `target: {url: "${url}"}\nworkload: [{llm: {api: chat, model: m, prompt: hi}}]\nload: [{rate: 1, duration: 1s}]`,
    );
    expect(plan.requests[0]?.url).toBe(sent);
    const flags = { ...BASE, url: [url], model: ['m'], prompt: ['hi'] };
    expect(byFlags({ ...flags, llm: ['chat'] }).requests[0]?.url).toBe(sent);
    const { plan: byVariable } = planOfText(null, { flags, environment: { LOADFLEET_LLM: 'chat' } });
    expect(byVariable.requests[0]?.url).toBe(sent);
  });

  it('every flag has an effect', () => {
    const samples: Record<string, readonly string[]> = {
      url: ['http://other/'],
      method: ['PUT'],
      header: ['X: 1'],
      body: ['b'],
      'body-file': ['f'],
      llm: ['chat'],
      ...LLM_FLAGS,
      rate: ['7'],
      duration: ['7s'],
      arrivals: ['even'],
      warmup: ['3s'],
      agents: ['2'],
      workers: ['5'],
      connections: ['5'],
      'max-in-flight': ['5'],
      timeout: ['5s'],
      drain: ['5s'],
      pacing: ['spin'],
      seed: ['5'],
      client: ['undici'],
      http: ['2'],
      identify: ['true'],
      insecure: ['true'],
      slo: ['response:1s'],
      threshold: ['count(ok)>1'],
      'fail-on': ['never'],
      'on-agent-loss': ['abort'],
      out: ['x'],
      scrape: ['/metrics'],
      'per-request': ['true'],
      quiet: ['true'],
    };
    const base = byFlags(BASE);
    for (const { name } of PLAN_FLAGS.filter((flag) => flag.name !== 'count' && flag.name !== 'mode')) {
      const llm = name in LLM_FLAGS ? { llm: ['chat'] } : {};
      const flags = { ...BASE, ...llm, [name]: samples[name] ?? [] };
      const { plan } = planOfText(null, { flags, files: { f: 'x' }, environment: { API_KEY: 'k-1234567' } });
      expect(plan, name).not.toEqual(name in LLM_FLAGS ? byFlags({ ...BASE, ...llm }) : base);
    }
    expect(byFlags({ url: BASE.url, rate: ['10'], count: ['20'] }).phases[0]?.durationNs).toBe(2e9);
    const single = byFlags({ url: BASE.url, mode: ['single-stream'], count: ['20'] });
    expect(single.phases[0]?.arrivals).toEqual({ kind: 'closed', concurrency: 1, thinkNs: 0, count: 20 });
  });

  it.each([
    [{ rate: ['fast'] }, /--rate: load\[0\]\.rate: "fast" is not a rate/],
    [{ rate: ['1', '2'] }, /--rate is given 2 times/],
    [{ body: ['x'], 'body-file': ['f'] }, /--body and --body-file are both given/],
    [{ duration: ['10'] }, /--duration: load\[0\]\.duration: duration "10" has no unit/],
    [{ header: ['no colon'] }, /--header: a header is written "Name: value"/],
    [{ header: ['X-A: a\nb'] }, /line break/],
    [{ slo: ['response'] }, /not METRIC:DURATION/],
    [{ slo: ['respnse:1s'] }, /did you mean "response"/],
    [{ threshold: ['p99(x)<1s'] }, /--threshold: thresholds\[0\]/],
    [{ warmup: ['5'] }, /--warmup: load\[0\]\.duration: duration "5" has no unit/],
    [{ 'fail-on': ['maybe'] }, /--fail-on: failOn: "maybe" is not known/],
    [{ url: ['ftp://x'] }, /--url: target\.url/],
    [{ agents: ['0'] }, /--agents: fleet\.agents: "0" is outside/],
  ])('%j is refused, naming the flag', (flags, message) => {
    expect(planErrorOf(null, { flags: { ...BASE, ...flags } })).toMatch(message);
  });

  it('variables work in flags, so that a key need not be in the list of processes', () => {
    const { plan, effectiveYaml } = planOfText(null, {
      flags: { ...BASE, header: ['Authorization: Bearer ${MY_TOKEN}'] },
      environment: { MY_TOKEN: 'canary-4711' },
    });
    expect(plan.requests[0]?.headers).toEqual([['Authorization', 'Bearer canary-4711']]);
    expect(effectiveYaml).not.toMatch(/canary/);
  });
});

describe('flag over environment over file over default', () => {
  const file = smallPlan('limits: {timeout: 1s}\nseed: 1');
  const rateOf = (environment: Record<string, string>, flags: Record<string, readonly string[]>): number => {
    const { arrivals } = planOfText(file, { environment, flags }).plan.phases[0] ?? {};
    return arrivals?.kind === 'poisson' ? (arrivals.knots[0]?.ratePerSecond ?? -1) : -1;
  };

  it('for the rate', () => {
    expect(rateOf({}, {})).toBe(100);
    expect(rateOf({ LOADFLEET_RATE: '200' }, {})).toBe(200);
    expect(rateOf({ LOADFLEET_RATE: '200' }, { rate: ['300'] })).toBe(300);
  });

  it('for every flag that sets one value there is a variable', () => {
    expect(variableOfFlag('max-in-flight')).toBe('LOADFLEET_MAX_IN_FLIGHT');
    const { plan } = planOfText(file, {
      environment: {
        LOADFLEET_TIMEOUT: '9s',
        LOADFLEET_SEED: '5',
        LOADFLEET_IDENTIFY: 'true',
        LOADFLEET_ON_AGENT_LOSS: 'abort',
      },
    });
    expect(plan).toMatchObject({
      seed: 5n,
      limits: { timeoutNs: 9e9 },
      target: { identify: true },
      fleet: { onAgentLoss: 'abort' },
    });
  });

  it('a wrong variable is named', () => {
    expect(planErrorOf(file, { environment: { LOADFLEET_RATE: 'x' } })).toMatch(
      /LOADFLEET_RATE: load\[0\]\.rate: "x" is not a rate/,
    );
    expect(planErrorOf(file, { environment: { LOADFLEET_QUIET: 'yes' } })).toMatch(
      /LOADFLEET_QUIET: "yes" is neither true nor false/,
    );
  });

  it('an empty variable is none', () => {
    expect(rateOf({ LOADFLEET_RATE: '' }, {})).toBe(100);
  });

  it('R089 a variable that looks misspelt is worth a word; what Kubernetes sets is not', () => {
    const { warnings } = applyFlags(null, new Map(), {
      LOADFLEET_RAET: '5',
      LOADFLEET_PORT: 'tcp://10.0.0.1:7400',
      LOADFLEET_SERVICE_HOST: '10.0.0.1',
      LOADFLEET_COORDINATOR_PORT_7400_TCP: 'x',
    });
    expect(warnings).toEqual(['the environment variable LOADFLEET_RAET is not used; did you mean LOADFLEET_RATE?']);
  });

  it('R089 a variable named like a flag that has none is not passed over in silence', () => {
    const { warnings } = applyFlags(null, new Map(), {
      LOADFLEET_THRESHOLD: 'p99(response)<1ms',
      LOADFLEET_COORDINATOR: '127.0.0.1:7400',
      LOADFLEET_SLO: '',
    });
    expect(warnings).toEqual([
      'the environment variable LOADFLEET_THRESHOLD is not used: --threshold has none',
      'the environment variable LOADFLEET_COORDINATOR is not used: --coordinator has none',
    ]);
  });
});

describe('flags over a plan file', () => {
  const two =
    'target: {url: "http://h"}\nworkload: [{name: a}, {name: b}]\nload: [{rate: 1, duration: 1s}, {rate: 2, duration: 1s}]';

  it('change the one request and the one phase that is no warm-up', () => {
    const file = `target: {url: "http://h/base"}\nworkload: [{name: a, url: /x, headers: {X-A: 1, X-B: 2}, bodyFile: f}]
load: [{warmup: true, rate: 1, duration: 1s}, {rate: {ramp: {from: 1, to: 2}}, duration: 5s}]`;
    const { plan } = planOfText(file, {
      flags: { rate: ['9'], method: ['POST'], header: ['x-a: 7'], body: ['hi'], url: ['http://other/z'] },
    });
    expect(plan.requests[0]).toMatchObject({
      name: 'a',
      method: 'POST',
      url: 'http://other/z/x',
      headers: [
        ['X-B', '2'],
        ['x-a', '7'],
      ],
      body: { kind: 'text', text: 'hi' },
    });
    expect(
      plan.phases.map(({ arrivals }) => ('knots' in arrivals ? arrivals.knots.map((knot) => knot.ratePerSecond) : [])),
    ).toEqual([
      [1, 1],
      [9, 9],
    ]);
  });

  it.each([
    [{ rate: ['1'] }, /--rate: the plan has 2 phases besides warm-ups/],
    [{ body: ['x'] }, /--body: the plan has 2 requests/],
  ])('%j is refused where it could mean several', (flags, message) => {
    expect(planErrorOf(two, { flags })).toMatch(message);
  });

  it('--url takes the place of a reference target', () => {
    const { plan, reference } = planOfText('target: {reference: instant}\nload: [{rate: 1, duration: 1s}]', {
      flags: { url: ['http://h:1'] },
    });
    expect([plan.target.url, reference]).toEqual(['http://h:1', null]);
  });

  it('--warmup sets, adds and removes', () => {
    const phasesOf = (file: string, warmup: string) =>
      planOfText(file, { flags: { warmup: [warmup] } }).plan.phases.map(({ warmup: isWarmup, durationNs }) => [
        isWarmup,
        durationNs / 1e9,
      ]);
    const withWarmup = smallPlan('', '{warmup: true, rate: 1, duration: 5s}, {rate: 1, duration: 7s}');
    expect(phasesOf(smallPlan(), '2s')).toEqual([
      [true, 2],
      [false, 10],
    ]);
    expect(phasesOf(withWarmup, '2s')).toEqual([
      [true, 2],
      [false, 7],
    ]);
    expect(phasesOf(withWarmup, '0s')).toEqual([[false, 7]]);
    const ramp = smallPlan('', '{rate: {ramp: {from: 1, to: 2}}, duration: 5s}');
    expect(planErrorOf(ramp, { flags: { warmup: ['2s'] } })).toMatch(/needs a load with a constant rate/);
  });

  it('--slo joins, --threshold replaces', () => {
    const file = smallPlan('slo: {response: 1s, service: 1s}\nthresholds: ["count(ok)>1"]');
    const { plan } = planOfText(file, { flags: { slo: ['response:2s'], threshold: ['share(failed)<5%'] } });
    expect(plan.slo).toEqual([
      { metric: 'response', maxNs: 2e9 },
      { metric: 'service', maxNs: 1e9 },
    ]);
    expect(plan.thresholds.map((threshold) => threshold.text)).toEqual(['share(failed)<5%']);
  });

  it('what is no mapping or list stays for the parser to refuse', () => {
    expect(planErrorOf('target: 5\nload: 6\nworkload: 7', { flags: { seed: ['1'], timeout: ['1s'] } })).toMatch(
      /3 problems/,
    );
  });
});
