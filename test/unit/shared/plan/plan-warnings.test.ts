import { describe, expect, it } from 'vitest';
import type { Plan } from '../../../../shared/plan/plan.ts';
import { planWarnings } from '../../../../shared/plan/plan-warnings.ts';
import { createLlmRequest, createPlan, createRequestTemplate } from '../../../support/plan-fixture.ts';

const URL_OF_TARGET = 'http://127.0.0.1:9/';

function warningsOf(overrides: Partial<Plan>, secrets: readonly string[] = []): string[] {
  return planWarnings(createPlan({ overrides }), secrets);
}

/** Rows with one column, `name`. */
const DATA: Plan['data'] = {
  ...({ columns: ['name'], rowCount: 1, dataset: null } as unknown as NonNullable<Plan['data']>),
  file: { name: 'users.csv', sha256: '', sizeBytes: 1 },
};

describe('a word about a plan', () => {
  it('is none about a plain one', () => {
    expect(warningsOf({})).toEqual([]);
  });

  it('says that nothing is measured where every phase is a warm-up', () => {
    const phases = createPlan().phases.map((phase) => ({ ...phase, warmup: true }));
    expect(warningsOf({ phases })).toEqual(['every phase is a warm-up: nothing is measured']);
  });

  it('artilleryio/artillery#724 says that a phase behind a batch does not wait for it, unless there is a pause', () => {
    const [load] = createPlan().phases as [Plan['phases'][number]];
    const batch = (name: string) => ({
      ...load,
      name,
      durationNs: 0,
      arrivals: { kind: 'all-at-once', count: 1000 } as const,
    });
    expect(warningsOf({ phases: [batch('first'), batch('second')] })).toEqual([
      'phase "first": all of it is due at once, so phase "second" begins at the same instant; a phase with rate: 0 between them is a pause',
    ]);
    const pause = {
      ...load,
      name: 'pause',
      arrivals: { kind: 'even', knots: [0, 1].map((tSeconds) => ({ tSeconds, ratePerSecond: 0 })) } as const,
    };
    expect(warningsOf({ phases: [batch('first'), pause, batch('second')] })).toEqual([]);
    expect(warningsOf({ phases: [batch('first'), load] })).toHaveLength(1);
  });

  it('names a certificate that nobody checks, and the proxy without its password', () => {
    const { target } = createPlan();
    expect(warningsOf({ target: { ...target, insecure: true, proxy: 'http://u:password@p.test:1' } })).toEqual([
      'target.proxy: all requests go through the proxy http://p.test:1',
      'target.tls.insecure: any certificate is accepted',
    ]);
  });

  it('says that rows are read for nothing, unless URL, header or body has a place for them', () => {
    const request = createRequestTemplate({ url: URL_OF_TARGET });
    expect(warningsOf({ data: DATA, requests: [request] })).toEqual(['no request uses a column of users.csv']);
    for (const using of [
      { ...request, url: `${URL_OF_TARGET}{{name}}` },
      { ...request, headers: [['X-Name', '{{name}}']] as const },
      { ...request, body: { kind: 'text', text: '{{name}}' } as const },
    ])
      expect(warningsOf({ data: DATA, requests: [using] })).toEqual([]);
  });

  it('R092 says that rows fall to requests that do not send them, unless rows are drawn for each', () => {
    const plain = createRequestTemplate({ name: 'plain', url: URL_OF_TARGET, weight: 9 });
    const using = createRequestTemplate({ name: 'using', url: `${URL_OF_TARGET}{{name}}` });
    const requests = [plain, using];
    const of = (rows: NonNullable<Plan['data']>['rows']) => warningsOf({ data: { ...DATA, rows }, requests });
    const warning =
      'rows of users.csv are dealt to all arrivals, and about 90 % of them send a request that uses no column ("plain"): their rows are never sent';
    for (const rows of ['once', 'cycle', 'in-order'] as const) expect(of(rows)).toEqual([warning]);
    expect(of('random')).toEqual([]);
  });

  it('R009 says that an even phase is too short for its rate to bring one arrival', () => {
    const [load] = createPlan().phases as [Plan['phases'][number]];
    const even = (ratePerSecond: number): Plan['phases'] => {
      const knots = [0, 1].map((tSeconds) => ({ tSeconds, ratePerSecond }));
      return [{ ...load, arrivals: { kind: 'even', knots } }];
    };
    expect(warningsOf({ phases: even(0.4) })).toEqual([
      'phase "load": its rate comes to 0.4 arrivals in 1s, so nothing is sent; poisson arrivals keep such a rate on average',
    ]);
    for (const rate of [0, 0.6]) expect(warningsOf({ phases: even(rate) })).toEqual([]);
  });

  it('R036 says of calls of gRPC that their status is not read', () => {
    const { target } = createPlan();
    const request = (type: string) =>
      createRequestTemplate({ name: 'call', url: URL_OF_TARGET, headers: [['Content-Type', type]] });
    const grpc = [request('application/grpc+proto')];
    for (const httpVersion of ['1.1', 'auto'] as const)
      expect(warningsOf({ target: { ...target, httpVersion }, requests: grpc })).toEqual([
        'request "call": gRPC needs target.http: 2; over HTTP/1.1 no grpc-status is read, and a failed call with status 200 is ok',
      ]);
    expect(warningsOf({ target: { ...target, httpVersion: '2' }, requests: grpc })).toEqual([]);
    expect(warningsOf({ requests: [request('application/grpc-web+proto')] })).toEqual([
      'request "call": the status of gRPC-Web is at the end of the body, which is not read: a failed call with status 200 is ok',
    ]);
    expect(warningsOf({ requests: [request('application/json')] })).toEqual([]);
  });

  it('says that a server with a prefix cache has it easy with one prompt', () => {
    const body = { kind: 'text', text: '{"prompt":"Hi"}' } as const;
    const request = createRequestTemplate({ name: 'chat', url: URL_OF_TARGET, llm: createLlmRequest(), body });
    expect(warningsOf({ requests: [request] })).toEqual([
      'request "chat": every prompt is the same, so a server with a prefix cache answers from it',
    ]);
    expect(warningsOf({ requests: [{ ...request, body: { kind: 'text', text: '{{prompt}}' } }] })).toEqual([]);
  });

  it('says which kind of secret cannot be hidden by its value', () => {
    expect(warningsOf({}, ['abc', 'long enough'])).toEqual([
      expect.stringMatching(/^a secret has fewer than \d characters: it cannot be hidden by value$/),
    ]);
  });
});
