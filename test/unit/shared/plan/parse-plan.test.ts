import { describe, expect, it } from 'vitest';
import type { Phase } from '../../../../shared/plan/plan.ts';
import { planFromJson, planToJson } from '../../../../shared/plan/plan-json.ts';
import { decodeInstants } from '../../../../shared/schedule/trace.ts';
import { planErrorOf, planOfText, smallPlan } from '../../../support/plan-of-text.ts';

const phaseOf = (load: string, files: Record<string, string> = {}): Phase => {
  const [phase] = planOfText(smallPlan('', load), { files }).plan.phases;
  if (phase === undefined) throw new Error('no phase');
  return phase;
};
const loadErrorOf = (load: string, files: Record<string, string> = {}): string =>
  planErrorOf(smallPlan('', load), { files });

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
          expect: { status: [[200, 399]] },
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
        maxQueue: 0,
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

  it('takes connections from maxInFlight, drain from timeout, the queue from all-at-once', () => {
    const text = smallPlan('limits: {maxInFlight: 50, timeout: 2s}', '{arrivals: all-at-once, count: 70}');
    expect(planOfText(text).plan.limits).toMatchObject({ connections: 50, drainNs: 2e9, maxQueue: 70 });
  });
});

describe('phases', () => {
  it.each([
    ['{rate: 100, duration: 10s}', 'poisson', 10e9],
    ['{rate: 100, count: 1000}', 'poisson-count', 10e9],
    ['{duration: 10s, count: 1000}', 'poisson-count', 10e9],
    ['{arrivals: even, rate: 100, duration: 10s}', 'even', 10e9],
    ['{arrivals: even, rate: 3, count: 10}', 'even', 3_333_333_334],
    ['{arrivals: even, duration: 10s, count: 30}', 'even', 10e9],
    ['{arrivals: "gamma:0.25", rate: 100, duration: 10s}', 'gamma', 10e9],
    ['{arrivals: all-at-once, count: 5}', 'all-at-once', 0],
    ['{rate: {ramp: {from: 0, to: 10}}, duration: 10s}', 'poisson', 10e9],
    ['{rate: {ramp: {from: 0, to: 10}}, duration: 10s, count: 7}', 'poisson-count', 10e9],
    ['{rate: {steps: [{rate: 1, duration: 4s}, {rate: 60/min, duration: 6s}]}}', 'poisson', 10e9],
    ['{rate: {spike: {base: 1, peak: 10, at: 4s, width: 1s}}, duration: 10s}', 'poisson', 10e9],
    ['{rate: {spike: {base: 1, peak: 10, at: 100ms, width: 200ms}}, duration: 300ms}', 'poisson', 0.3e9],
    ['{rate: {sine: {mean: 10, amplitude: 1, period: 5s}}, duration: 10s}', 'poisson', 10e9],
    ['{rate: {points: [{at: 0s, rate: 1}, {at: 10s, rate: 2}]}, duration: 10s}', 'poisson', 10e9],
    ['{rate: 0, duration: 10s}', 'poisson', 10e9],
    ['{rate: 0.1, duration: 10s}', 'poisson', 10e9],
    ['{rate: 1, duration: 30d}', 'poisson', 30 * 86_400e9],
  ])('%s', (load, kind, durationNs) => {
    expect(phaseOf(load)).toMatchObject({ durationNs, arrivals: { kind } });
  });

  it('R013 durations around and beyond 2^31 ms and 2^32 ms are kept to the ns', () => {
    for (const ms of [2 ** 31 - 2, 2 ** 31 - 1, 2 ** 31, 2 ** 32 + 5000]) {
      expect(phaseOf(`{rate: 1, duration: ${ms}ms}`).durationNs).toBe(ms * 1e6);
      const { plan } = planOfText(smallPlan(`limits: {timeout: ${ms}ms}`));
      expect(plan.limits.timeoutNs).toBe(ms * 1e6);
    }
  });

  it('R013 what is longer than the exact range is refused with the limit', () => {
    expect(loadErrorOf('{rate: 1, duration: 105d}')).toMatch(/limit of 104d/);
    expect(loadErrorOf('{rate: 1, duration: 60d}, {rate: 1, duration: 60d}')).toMatch(
      /all phases together are longer than 104d/,
    );
    expect(loadErrorOf('{rate: "1/h", count: 10000}')).toMatch(/take longer than 104d/);
  });

  it('start one after the other', () => {
    const { phases } = planOfText(
      smallPlan('', '{warmup: true, rate: 1, duration: 5s}, {rate: 1, duration: 7s}, {rate: 2, duration: 1s}'),
    ).plan;
    expect(phases.map(({ name, startNs, warmup }) => [name, startNs, warmup])).toEqual([
      ['warmup', 0, true],
      ['load-2', 5e9, false],
      ['load-3', 12e9, false],
    ]);
  });

  it.each([
    ['{rate: 100}', /load\[0\]: needs a duration or a count/],
    ['{duration: 10s}', /needs two of rate, duration and count/],
    ['{}', /needs two of/],
    ['{rate: 1, duration: 1s, count: 1}', /load\[0\]\.count: rate, duration and count are all given/],
    ['{rate: 0, count: 1}', /a rate of 0 never comes to a count/],
    ['{rate: {ramp: {from: 0, to: 0}}, duration: 1s, count: 1}', /a rate of 0 cannot place 1 arrivals/],
    ['{rate: {ramp: {from: 0, to: 1}}}', /a ramp needs a duration/],
    ['{rate: {rmp: {from: 0, to: 1}}, duration: 1s}', /unknown key "rmp", did you mean "ramp"/],
    ['{rate: {ramp: {from: 0, to: 1}, sine: {}}, duration: 1s}', /expected a mapping with one of the keys ramp/],
    [
      '{rate: {ramp: {form: 0, to: 1}}, duration: 1s}',
      /load\[0\]\.rate\.ramp\.from: is missing[^]*load\[0\]\.rate\.ramp\.form: unknown key "form", did you mean "from"/,
    ],
    ['{rate: {steps: [{rate: 1, duration: 1s}]}, duration: 2s}', /steps span 1s, but the duration is 2s/],
    ['{rate: {steps: []}}', /has 0 items, allowed are 1\.\./],
    ['{rate: {points: [{at: 1s, rate: 1}, {at: 2s, rate: 1}]}}', /the first is at 0/],
    ['{rate: {points: [{at: 0s, rate: 1}, {at: 0s, rate: 2}]}}', /would have no length/],
    ['{rate: {points: [{at: 0s, rate: 1}, {at: 2s, rate: 2}, {at: 1s, rate: 2}]}}', /out of order/],
    ['{rate: {spike: {base: 1, peak: 2, at: 9s, width: 2s}}, duration: 10s}', /is not inside a phase of 10 s/],
    [
      '{rate: {sine: {mean: 1, amplitude: 2, period: 1s}}, duration: 10s}',
      /amplitude: "2" is not a number >= 0 and <= 1/,
    ],
    ['{arrivals: even, rate: {ramp: {from: 1, to: 2}}, duration: 1s, count: 3}', /leave count out/],
    ['{arrivals: all-at-once}', /needs a count/],
    ['{arrivals: all-at-once, count: 1, rate: 5}', /load\[0\]\.rate: rate is not used with all-at-once/],
    ['{arrivals: "gamma:0", rate: 1, duration: 1s}', /burstiness must be a number in 0\.001/],
    ['{arrivals: "gamma:", rate: 1, duration: 1s}', /burstiness must be/],
    ['{arrivals: gamma, rate: 1, duration: 1s}', /not an arrival law/],
    ['{arrivals: "gamma:2", rate: 60000, duration: 1s}', /up to 50000\/s/],
    ['{arrivals: "gamma:2", rate: {ramp: {from: 1, to: 2}}, duration: 1s}', /need a constant rate/],
    ['{arrivals: poison, rate: 1, duration: 1s}', /did you mean "poisson"/],
    ['{rate: -1, duration: 1s}', /outside 0\.\.1000000000 per second/],
    ['{rate: 1, duration: 0s}', /outside 1ns/],
    ['{rate: 1, duration: 10}', /duration "10" has no unit; write for example 30s/],
    ['{rate: 1, duration: "10 s"}', /contains a space/],
    ['{rate: 1, duration: 1s, count: 1.5}', /not a whole number/],
    ['{rate: 1, duration: 1s, warmup: yes}', /"yes" is neither true nor false/],
    ['{name: a, rate: 1, duration: 1s}, {name: a, rate: 1, duration: 1s}', /another phase is named "a" too/],
    ['{rate: ~, duration: 1s}', /load\[0\]\.rate: is ~; expected/],
    ['{rate: , duration: 1s}', /load\[0\]\.rate: has no value; expected/],
    ['[1]', /is a single value|is a list/],
  ])('%s is refused', (load, message) => {
    expect(loadErrorOf(load)).toMatch(message);
  });

  it('R086 no timeout or other time takes a bare number or a wrong unit', () => {
    for (const value of ['5000', '2', '1e3ms', '5M', '-1s', '1h1h', '1m30', '""']) {
      expect(planErrorOf(smallPlan(`limits: {timeout: ${value}, drain: ${value}, phaseGrace: ${value}}`))).toMatch(
        /3 problems/,
      );
    }
  });
});

describe('traces', () => {
  const csv = 'T,x\n2023-11-16 18:17:03.9799600,1\n2023-11-16 18:17:04.0319600,2\n2023-11-16 18:17:05.9799600,3\n';

  it('become instants from the first row, scaled, with the length of the trace', () => {
    const text = smallPlan('', '{arrivals: {trace: {file: t.csv, column: T, unit: date-time, speed: 2}}}');
    const { plan, blobs } = planOfText(text, { files: { 't.csv': csv } });
    const [phase] = plan.phases;
    if (phase?.arrivals.kind !== 'trace') throw new Error('no trace');
    expect(phase.durationNs).toBe(1e9 + 1);
    const bytes = blobs.get(phase.arrivals.instants.sha256);
    expect([...decodeInstants(bytes ?? new Uint8Array(), 3)]).toEqual([0, 26e6, 1e9]);
  });

  it('are cut to a given duration', () => {
    const phase = phaseOf('{arrivals: {trace: {file: t.csv, column: T, unit: date-time}}, duration: 1s}', {
      't.csv': csv,
    });
    expect(phase).toMatchObject({ durationNs: 1e9, arrivals: { count: 2 } });
  });

  it.each([
    ['1s', 'phase "load": its duration 1s takes 2 of 3 recorded arrivals over 2.00 s'],
    [
      '10s',
      'phase "load": its duration 10s goes on behind the last of 3 recorded arrivals over 2.00 s: nothing is sent after it',
    ],
  ])('R005 say what a duration of %s leaves out of them, or leaves empty', (duration, warning) => {
    const load = (given: string): string =>
      smallPlan('', `{arrivals: {trace: {file: t.csv, column: T, unit: date-time}}${given}}`);
    const files = { 't.csv': csv };
    expect(planOfText(load(`, duration: ${duration}`), { files }).warnings).toContain(warning);
    for (const given of ['', ', duration: 2.1s'])
      expect(planOfText(load(given), { files }).warnings.join()).not.toContain('recorded arrivals');
  });

  it('read JSON lines by their name', () => {
    const phase = phaseOf('{arrivals: {trace: {file: t.jsonl, column: at, unit: ms, origin: keep}}}', {
      't.jsonl': '{"at": 5}\n{"at": 7.5}\n',
    });
    expect(phase).toMatchObject({ durationNs: 7_500_001, arrivals: { kind: 'trace', count: 2 } });
  });

  it.each([
    ['{file: no.csv, column: T, unit: s}', /no\.csv cannot be read: no such file/],
    ['{file: t.csv, column: t, unit: date-time}', /has no column "t", did you mean "T"/],
    ['{file: t.csv, column: T, unit: s}', /line 2: .* is not a number of s/],
    ['{file: t.csv, column: T, unit: seconds}', /unit: "seconds" is not known/],
    ['{file: t.csv, column: T}', /unit: is missing/],
    ['{file: t.csv, column: T, unit: date-time, speed: 0}', /not a number > 0/],
  ])('%s is refused', (trace, message) => {
    expect(loadErrorOf(`{arrivals: {trace: ${trace}}}`, { 't.csv': csv })).toMatch(message);
  });

  it('rate points come from a file with line numbers in errors', () => {
    const load = '{rate: {file: {file: r.csv, time: t, unit: s, rate: r}}}';
    expect(phaseOf(load, { 'r.csv': 't,r\n0,5\n10,600/min\n' }).arrivals).toMatchObject({
      knots: [{ ratePerSecond: 5 }, { ratePerSecond: 10 }],
    });
    expect(loadErrorOf(load, { 'r.csv': 't,r\n0,5\n10,x\n' })).toMatch(/r\.csv: line 3: "x" is not a rate/);
    expect(loadErrorOf(load, { 'r.csv': 't,rr\n0,5\n10,5\n' })).toMatch(/has no column "r"/);
  });
});

describe('requests', () => {
  const requestErrorOf = (request: string): string => planErrorOf(smallPlan(`workload: [${request}]`));

  it.each([
    ['http://h', '/a', 'http://h/a'],
    ['http://h/', '/a', 'http://h/a'],
    ['http://h/api', '/a', 'http://h/api/a'],
    ['http://h/api/', '//a', 'http://h/api//a'],
    ['http://h', '/a%2Fb/c%2520d//e/../f?x=%7B%7D&y=a+b', 'http://h/a%2Fb/c%2520d//e/../f?x=%7B%7D&y=a+b'],
    ['http://h', 'https://other:444/x', 'https://other:444/x'],
    ['HTTP://[::1]:80', '/', 'HTTP://[::1]:80/'],
  ])('R028 %s and %s are sent as %s', (base, url, sent) => {
    const text = `target: {url: "${base}"}\nload: [{rate: 1, duration: 1s}]\nworkload: [{url: "${url}"}]`;
    expect(planOfText(text).plan.requests[0]?.url).toBe(sent);
  });

  it.each([
    ['http://h', 'http://h/'],
    ['http://h/api', 'http://h/api'],
    ['http://h/api/?q=1', 'http://h/api/?q=1'],
    ['http://h?q=1', 'http://h?q=1'],
  ])('R028 without a URL of its own a request takes %s as it is', (base, sent) => {
    expect(planOfText(`target: {url: "${base}"}\nload: [{rate: 1, duration: 1s}]`).plan.requests[0]?.url).toBe(sent);
  });

  it('a path behind a query is refused', () => {
    const text = 'target: {url: "http://h/?q=1"}\nload: [{rate: 1, duration: 1s}]\nworkload: [{url: /a}]';
    expect(planErrorOf(text)).toMatch(/workload\[0\]\.url: cannot stand behind target\.url, which has a query/);
  });

  it('keep headers in order and case, repeated ones from a list, texts as written', () => {
    const { plan } = planOfText(smallPlan('workload: [{headers: {Host: x, x-B: 010, X-A: [on, 1_0], Accept: "*/*"}}]'));
    expect(plan.requests[0]?.headers).toEqual([
      ['Host', 'x'],
      ['x-B', '010'],
      ['X-A', 'on'],
      ['X-A', '1_0'],
      ['Accept', '*/*'],
    ]);
  });

  it('take a body file as a blob', () => {
    const { plan, blobs } = planOfText(smallPlan('workload: [{method: POST, bodyFile: b.bin}]'), {
      files: { 'b.bin': new Uint8Array([0, 255]) },
    });
    const body = plan.requests[0]?.body;
    if (body?.kind !== 'file') throw new Error('no file');
    expect(body.file).toMatchObject({ name: 'b.bin', sizeBytes: 2 });
    expect(blobs.get(body.file.sha256)).toEqual(new Uint8Array([0, 255]));
  });

  it.each([
    ['200', [[200, 200]]],
    ['2xx', [[200, 299]]],
    [
      '[200, 3xx, 404-410]',
      [
        [200, 200],
        [300, 399],
        [404, 410],
      ],
    ],
  ])('expect status %s', (status, ranges) => {
    expect(planOfText(smallPlan(`workload: [{expect: {status: ${status}}}]`)).plan.requests[0]?.expect.status).toEqual(
      ranges,
    );
  });

  it('are named by method and path, made different, without their query', () => {
    const { plan } = planOfText(
      smallPlan('workload: [{url: "/a?key=1"}, {url: "/a?key=2"}, {url: /b, method: PUT}, {name: "GET /b"}]'),
    );
    expect(plan.requests.map((request) => request.name)).toEqual(['GET /a', 'GET /a (2)', 'PUT /b', 'GET /b']);
  });

  it.each(['u:hunter2@h/', 'htp://u:hunter2@h/', 'http:/u:hunter2@h', 'http//u:hunter2@h/x', 'u:hunt@er2@h'])(
    'R106 a URL that is none is named without its password: %s',
    (url) => {
      const message = planErrorOf(`target: {url: "${url}"}\nload: [{rate: 1, duration: 1s}]`);
      expect(message).toMatch(/"[^"]*\.\.\.@h[^"]*" is not a URL/);
      expect(message).not.toMatch(/hunt|er2/);
    },
  );

  it.each([
    ['{url: "a"}', /starts with \/ .* or with http/],
    ['{url: "ftp://h/"}', /starts with/],
    ['{url: "/a b"}', /the URL holds " "; .*percent-encode/],
    ['{url: "/é"}', /the URL holds "é"/],
    ['{url: "/a#b"}', /fragment/],
    ['{url: "http://u:p@h/"}', /user name or password/],
    ['{url: "http://h:0/"}', /no valid port/],
    ['{url: "http://h:99999/"}', /no valid host and port/],
    ['{url: "http:///x"}', /no valid host/],
    ['{url: "/{{id}}"}', /the plan has no data file/],
    ['{method: get}', /write GET/],
    ['{method: "G T"}', /not an HTTP method/],
    ['{method: CONNECT}', /tunnel/],
    ['{weight: 0}', /not a number > 0/],
    ['{weight: .inf}', /not a decimal number/],
    ['{headers: {"a b": c}}', /"a b" is not a header name/],
    ['{headers: {X-A: "a\\nb"}}', /line break/],
    ['{headers: {X-A: " a"}}', /begins or ends with a space/],
    ['{headers: {X-A: 1, x-a: 2}}', /the same header as X-A/],
    ['{headers: {Content-Length: 5}}', /frames the message/],
    ['{headers: {loadfleet-id: 5}}', /set by target\.identify/],
    ['{headers: [a]}', /not a mapping/],
    ['{body: a, bodyFile: b}', /both given/],
    ['{body: {a: 1}}', /is a mapping, expected text/],
    ['{bodyFile: none}', /none cannot be read/],
    ['{expect: {status: 99}}', /not a status/],
    ['{expect: {status: 6xx}}', /not a status/],
    ['{expect: {status: 300-200}}', /not a status/],
    ['{name: a}, {name: a}', /another request is named "a" too/],
    ['{name: ""}', /has 0 characters/],
  ])('%s is refused', (request, message) => {
    expect(requestErrorOf(request)).toMatch(message);
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

describe('R098 goodput', () => {
  it.each(['rate(goodput)>=90', 'share(goodput)>90%'])('R098 %s without an slo is an error', (threshold) => {
    expect(planErrorOf(smallPlan(`thresholds: ["${threshold}"]`))).toMatch(
      /thresholds: .* needs an slo: goodput is what meets it/,
    );
    expect(planOfText(smallPlan(`thresholds: ["${threshold}"]\nslo: {response: 1s}`)).plan.thresholds).toHaveLength(1);
  });
});

describe('R098 a bound on a metric that no request of the plan has', () => {
  const llm = '{llm: {api: chat, model: m, prompt: hello}}';
  const bounds =
    'slo: {response: 1s, ttft: 500ms}\nthresholds: ["p99(itl)<50ms", "p99(response)<1s", "share(failed)<1%"]\n';

  it('R098 is an error that names it, before anything is sent', () => {
    const text = planErrorOf(smallPlan(bounds));
    expect(text).toMatch(/slo\.ttft: only LLM requests have it, and no request of the plan is one/);
    expect(text).toMatch(/thresholds: p99\(itl\)<50ms: itl: only LLM requests have it/);
    expect(text).not.toMatch(/slo\.response|p99\(response\)|share\(failed\)/);
  });

  it('is a bound like any other where requests have it, and a word of warning where some have not', () => {
    expect(planOfText(smallPlan(`${bounds}workload: [${llm}]`)).warnings.join()).not.toContain('slo.ttft');
    const mixed = planOfText(smallPlan(`${bounds}workload: [${llm}, {name: page, url: /page}]`));
    expect(mixed.plan.slo).toHaveLength(2);
    expect(mixed.warnings).toContain('slo.ttft: requests without llm never meet it, so they count as missed: "page"');
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
