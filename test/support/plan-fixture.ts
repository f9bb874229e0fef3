/**
 * A small valid plan for tests that need one but are not about plans. Override what the test is about; everything else is
 * the documented default.
 */

import type { Limits, LlmRequest, Plan, RequestTemplate } from '../../shared/plan/plan.ts';

/** The documented default limits (design §6). */
export const DEFAULT_LIMITS: Limits = {
  maxInFlight: 10_000,
  maxQueue: null,
  connections: 10_000,
  timeoutNs: 30e9,
  connectionAgeNs: null,
  idleTimeoutNs: null,
  drainNs: 30e9,
  phaseGraceNs: 1e9,
  late: { kind: 'send' },
};

/** One request `name` that sends GET to `url` and takes any status 200..399 for ok. */
export function createRequestTemplate(overrides: Partial<RequestTemplate> & { readonly url: string }): RequestTemplate {
  return {
    name: 'request',
    weight: 1,
    method: 'GET',
    headers: [],
    body: { kind: 'none' },
    expect: { status: [[200, 399]], decoded: true },
    llm: null,
    ...overrides,
  };
}

/** What a streamed chat request of model `m` says of itself. */
export function createLlmRequest(overrides: Partial<LlmRequest> = {}): LlmRequest {
  return {
    api: 'chat',
    model: 'm',
    stream: true,
    strictEnd: false,
    exactTokens: null,
    tokenizer: null,
    session: null,
    ...overrides,
  };
}

/**
 * A plan that sends GET / to `targetUrl` by a Poisson law of `ratePerSecond` for `durationNs`: seed 42, 64 lanes, one agent
 * with one worker, connections for 64. `overrides` replace whole members.
 */
export function createPlan(
  options: {
    readonly targetUrl?: string;
    readonly ratePerSecond?: number;
    readonly durationNs?: number;
    readonly overrides?: Partial<Plan>;
  } = {},
): Plan {
  const { targetUrl = 'http://127.0.0.1:9', ratePerSecond = 100, durationNs = 1e9, overrides = {} } = options;
  return {
    name: 'fixture',
    seed: 42n,
    laneCount: 64,
    target: {
      url: targetUrl,
      client: 'auto',
      identify: false,
      tlsServerName: null,
      insecure: false,
      connectTo: null,
      proxy: 'direct',
      httpVersion: 'auto',
    },
    requests: [createRequestTemplate({ url: `${targetUrl}/` })],
    data: null,
    phases: [
      {
        name: 'load',
        warmup: false,
        startNs: 0,
        durationNs,
        arrivals: {
          kind: 'poisson',
          knots: [
            { tSeconds: 0, ratePerSecond },
            { tSeconds: durationNs / 1e9, ratePerSecond },
          ],
        },
      },
    ],
    limits: { ...DEFAULT_LIMITS, maxInFlight: 1000, connections: 64, timeoutNs: 5e9, drainNs: 1e9 },
    fleet: {
      agents: 1,
      workers: 1,
      pacing: 'timer',
      leaseNs: 10e9,
      onAgentLoss: 'continue',
      startLeadNs: null,
      armTimeoutNs: 30e9,
    },
    slo: [],
    thresholds: [],
    failOn: 'invalid',
    scrapes: [],
    output: { directory: null, quiet: true, perRequestLimit: null },
    ...overrides,
  };
}
