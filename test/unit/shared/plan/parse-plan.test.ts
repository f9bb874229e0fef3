import { describe, expect, it } from 'vitest';
import { planFromJson, planToJson } from '../../../../shared/plan/plan-json.ts';
import { planErrorOf, planOfText, smallPlan } from '../../../support/plan-of-text.ts';

describe('a plan with its defaults', () => {
  it('is what design §6 and §11 say', () => {
    const { plan, warnings, blobs, secrets } = planOfText(smallPlan());
    expect(plan).toEqual({
      name: 'plan',
      seed: 7n,
      laneCount: 4096,
      target: {
        url: 'http://127.0.0.1:8080',
        client: 'auto',
        identify: false,
        tlsServerName: null,
        insecure: false,
        connectTo: null,
        proxy: 'direct',
        httpVersion: 'auto',
      },
      requests: [
        {
          name: 'request',
          weight: 1,
          method: 'GET',
          url: 'http://127.0.0.1:8080/',
          headers: [],
          body: { kind: 'none' },
          expect: { status: [[200, 399]], decoded: true },
          llm: null,
        },
      ],
      data: null,
      phases: [
        {
          name: 'load',
          warmup: false,
          startNs: 0,
          durationNs: 10e9,
          arrivals: {
            kind: 'poisson',
            knots: [
              { tSeconds: 0, ratePerSecond: 100 },
              { tSeconds: 10, ratePerSecond: 100 },
            ],
          },
        },
      ],
      limits: {
        maxInFlight: 10_000,
        maxQueue: null,
        connections: 10_000,
        connectionAgeNs: null,
        timeoutNs: 30e9,
        idleTimeoutNs: null,
        drainNs: 30e9,
        phaseGraceNs: 1e9,
        late: { kind: 'send' },
      },
      fleet: {
        agents: 1,
        workers: null,
        pacing: 'auto',
        leaseNs: 10e9,
        onAgentLoss: 'continue',
        startLeadNs: null,
        armTimeoutNs: 60e9,
      },
      slo: [],
      thresholds: [],
      failOn: 'invalid',
      scrapes: [],
      output: { directory: null, quiet: false, perRequestLimit: null },
    });
    expect([warnings, secrets, [...blobs]]).toEqual([[], [], []]);
  });

  it('crosses the wire unchanged', () => {
    const { plan } = planOfText(smallPlan('slo: {response: 200ms}\nthresholds: ["p99(response)<50ms"]'));
    expect(planFromJson(planToJson(plan))).toEqual(plan);
  });
});

describe('R089 misspelt and misplaced keys', () => {
  it.each([
    ['threshholds: []', /threshholds: unknown key "threshholds", did you mean "thresholds"/],
    ['timeout: 5s', /timeout: unknown key "timeout"; did you mean limits\.timeout\?/],
    ['limits: {agents: 3}', /limits\.agents: unknown key "agents"; did you mean fleet\.agents\?/],
    ['limits: {maxInflight: 3}', /did you mean "maxInFlight"/],
    ['workload: [{expct: {}}]', /workload\[0\]\.expct: unknown key "expct", did you mean "expect"/],
    ['workload: [{expect: {stats: 200}}]', /workload\[0\]\.expect\.stats: unknown key "stats", did you mean "status"/],
    ['fleet: {onAgentLost: abort}', /did you mean "onAgentLoss"/],
    ['fleet: {onAgentLoss: abrt}', /"abrt" is not known, did you mean "abort"/],
    ['slo: {respons: 1s}', /slo\.respons: unknown key "respons", did you mean "response"/],
    ['zzz: 1', /zzz: unknown key "zzz" \(known: name, seed/],
    ['__proto__: 1', /unknown key "__proto__"/],
    ['constructor: 1', /unknown key "constructor"/],
  ])('R089 %s', (lines, message) => {
    expect(planErrorOf(smallPlan(lines))).toMatch(message);
  });
});

describe('all faults are listed at once', () => {
  it('also those that only show when values are put together', () => {
    const message = planErrorOf(
      'target: {url: "http://h"}\nfailOn: x\nworkload: [{url: "/a b"}, {method: get}]\nload: [{rate: 1}, {rate: x, duration: 1s}]',
    );
    expect(message.split('\n').map((line) => line.replace(/^ {2}plan\.yaml:(\d+):\d+: ([^:]*):.*$/, '$1 $2'))).toEqual([
      'plan.yaml has 5 problems:',
      '2 failOn',
      '3 workload[0].url',
      '3 workload[1].method',
      '4 load[0]',
      '4 load[1].rate',
    ]);
  });
});

describe('other values', () => {
  it.each([
    ['seed: 18446744073709551615', 18446744073709551615n],
    ['seed: 0xff', 255n],
    ['seed: "42"', 42n],
  ])('%s', (lines, seed) => {
    expect(planOfText(smallPlan(lines)).plan.seed).toBe(seed);
  });

  it('the age of connections', () => {
    expect(planOfText(smallPlan('limits: {connectionAge: 1m}')).plan.limits.connectionAgeNs).toBe(60e9);
    expect(() => planOfText(smallPlan('limits: {connectionAge: 60}'))).toThrow(/connectionAge/);
  });

  it('late and idle limits', () => {
    expect(planOfText(smallPlan('limits: {late: "drop-after:2s", idleTimeout: 5s}')).plan.limits).toMatchObject({
      late: { kind: 'drop-after', lateNs: 2e9 },
      idleTimeoutNs: 5e9,
    });
    expect(planOfText(smallPlan('limits: {late: send, idleTimeout: none}')).plan.limits).toMatchObject({
      late: { kind: 'send' },
      idleTimeoutNs: null,
    });
  });

  it.each([
    ['seed: -1', /not a decimal or 0x/],
    ['seed: 18446744073709551616', /above the largest seed/],
    ['seed: 1.5', /not a decimal/],
    ['lanes: 100', /not a power of two/],
    ['lanes: 0', /not a power of two/],
    ['failOn: sometimes', /not known/],
    ['limits: {late: never}', /neither send nor drop-after/],
    ['limits: {late: "drop-after:2"}', /has no unit/],
    ['limits: {maxInFlight: 0}', /outside 1\.\./],
    ['limits: {idleTimeout: 0s}', /outside 1ms/],
    ['fleet: {agents: 0}', /outside 1\.\./],
    ['fleet: 3', /fleet: is a single value, expected a mapping/],
    ['workload: []', /has 0 items/],
    ['output: {dir: ""}', /has 0 characters/],
    ['target: 5', /the key "target" is written twice/],
  ])('%s is refused', (lines, message) => {
    expect(planErrorOf(smallPlan(lines))).toMatch(message);
  });

  it.each([
    ['{}', /target\.url: is missing/],
    ['{url: "http://h", reference: instant}', /both given/],
    ['{url: "localhost:80"}', /is not a URL/],
    ['{url: "http://h", connectTo: nowhere}', /is not HOST:PORT/],
    ['{url: "http://h", http: 3}', /not known/],
    ['{url: "https://h", tls: {serverName: "a b"}}', /target\.tls\.serverName: "a b" is no host name/],
    ['{url: "https://h", tls: {serverName: ""}}', /is no host name/],
    ['{url: "https://h", tls: {serverName: "a..b"}}', /is no host name/],
    ['{url: "https://h", tls: {serverName: "münchen.example"}}', /xn--/],
  ])('target %s is refused', (target, message) => {
    expect(planErrorOf(`target: ${target}\nload: [{rate: 1, duration: 1s}]`)).toMatch(message);
  });

  it('R026 the address to dial, the TLS name and the Host header are apart', () => {
    const text = `target: {url: "https://10.0.0.1", connectTo: "127.0.0.1:8443", tls: {serverName: a.example, insecure: true}}
load: [{rate: 1, duration: 1s}]
workload: [{headers: {Host: b.example}}]`;
    const { plan, warnings } = planOfText(text);
    expect(plan.target).toMatchObject({ connectTo: '127.0.0.1:8443', tlsServerName: 'a.example', insecure: true });
    expect(plan.requests[0]?.headers).toEqual([['Host', 'b.example']]);
    expect(warnings.join()).toMatch(/insecure/);
  });

  it('a reference target takes its URL once it runs', () => {
    const text = 'target: {reference: "constant:5ms"}\nload: [{rate: 1, duration: 1s}]';
    const { plan, reference } = planOfText(text, { referenceUrl: 'http://127.0.0.1:4444' });
    expect(reference).toBe('constant:5ms');
    expect(plan.requests[0]?.url).toBe('http://127.0.0.1:4444/');
  });
});
