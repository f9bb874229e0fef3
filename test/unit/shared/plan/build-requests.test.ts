import { describe, expect, it } from 'vitest';
import { planErrorOf, planOfText, smallPlan } from '../../../support/plan-of-text.ts';

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
