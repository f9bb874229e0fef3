import { describe, expect, it } from 'vitest';
import type { FailureClass, Outcome } from '../../../../shared/metrics/outcome.ts';
import type { Plan } from '../../../../shared/plan/plan.ts';
import type { FakeAnswer } from '../../../support/fake-client.ts';
import { createLlmRequest, createPlan, createRequestTemplate } from '../../../support/plan-fixture.ts';
import { chatChunk, DONE, FINISH, sse, textChunk } from '../../../support/sse-text.ts';
import { TrialSimulation } from '../../../support/trial-simulation.ts';

const MS = 1e6;
const SECOND = 1e9;

/** A run of one LLM request, intended and sent at 0, whose answer begins after 10 ms. */
function runOf(answer: FakeAnswer, limits: Partial<Plan['limits']> = {}): TrialSimulation {
  const base = createPlan();
  const knots = [0, 1].map((tSeconds) => ({ tSeconds, ratePerSecond: 1 }));
  const plan: Plan = {
    ...base,
    requests: [createRequestTemplate({ url: 'http://127.0.0.1:9/', llm: createLlmRequest() })],
    phases: [{ name: 'load', warmup: false, startNs: 0, durationNs: SECOND, arrivals: { kind: 'even', knots } }],
    limits: { ...base.limits, timeoutNs: 20 * SECOND, drainNs: 20 * SECOND, ...limits },
  };
  return new TrialSimulation({ plan, answer: () => ({ serviceNs: 10 * MS, ...answer }) }).run();
}

function broken(failure: FailureClass): Outcome {
  return { kind: 'failed', class: failure, status: 200, detail: 'broken off' };
}

describe('R044 the end marker ends an answer, whatever becomes of the connection behind it', () => {
  const text = { ns: 5 * MS, text: textChunk('a') };
  const whole = [text, { ns: 30 * MS, text: FINISH + DONE }];
  const service = (run: TrialSimulation): number | null => run.histogram('service').max;

  it.each([
    ['is reset', { pieces: whole, bodyNs: 50 * MS, outcome: broken('reset') }],
    ['is closed without the end of the body', { pieces: whole, bodyNs: 50 * MS, outcome: broken('truncated') }],
    ['stays open', { pieces: whole, bodyNs: 15 * SECOND }],
    ['stays open, with comments', { pieces: [...whole, { ns: 500 * MS, text: ': ping\n\n' }], bodyNs: 15 * SECOND }],
  ])('ok where it %s, and over with the marker', (_what, answer) => {
    const run = runOf(answer);
    expect([run.book('ok'), run.book('llm-left-open'), service(run)]).toEqual([1, 1, 40 * MS]);
    expect([run.histogram('ttft').count, run.histogram('outputTokens').max]).toEqual([1, 1]);
  });

  it('gives the slot back a second behind the marker, not at the timeout', () => {
    const run = runOf({ pieces: whole, bodyNs: 15 * SECOND });
    expect(run.client.sent[0]?.aborted).toMatchObject({ class: 'timeout' });
    expect(run.finishedNs).toBeLessThan(2 * SECOND);
  });

  it('and so it is at the end of the drain', () => {
    const run = runOf({ pieces: [text, { ns: 300 * MS, text: DONE }], bodyNs: 15 * SECOND }, { drainNs: 200 * MS });
    expect([run.book('ok'), run.book('unfinished'), service(run)]).toEqual([1, 0, 310 * MS]);
  });

  it('is no note on an answer that the server ends in time', () => {
    const run = runOf({ pieces: whole, bodyNs: 900 * MS });
    expect([run.book('ok'), run.book('llm-left-open'), service(run)]).toEqual([1, 0, 910 * MS]);
  });

  it('makes no answer good that had an error in it, or a status that was not expected', () => {
    const error = { ns: 6 * MS, text: sse({ error: { message: 'died' } }) };
    const failed = runOf({ pieces: [text, error, ...whole.slice(1)], bodyNs: 50 * MS, outcome: broken('reset') });
    expect([failed.book('failed:in-stream-error'), failed.book('llm-left-open')]).toEqual([1, 0]);
    const refused: Outcome = { kind: 'failed', class: 'reset', status: 503, detail: 'broken off' };
    expect(runOf({ pieces: whole, bodyNs: 50 * MS, outcome: refused }).book('failed:http-status')).toBe(1);
  });

  it.each([
    ['a finish reason', [text, { ns: 30 * MS, text: chatChunk({}, 'stop') }]],
    ['text', [text]],
  ])('but %s alone ends none that breaks off', (_what, pieces) => {
    const run = runOf({ pieces, bodyNs: 50 * MS, outcome: broken('reset') });
    expect([run.book('ok'), run.book('failed:reset')]).toEqual([0, 1]);
  });
});

describe('R030 answers that are here and still being decoded', () => {
  it('failed by us where the drain is over before, as at their timeout: they are not open', () => {
    const run = runOf({ bodyNs: 100 * MS, decodeNs: 15 * SECOND }, { drainNs: 200 * MS });
    expect([run.book('failed:generator'), run.book('unfinished'), run.book('ok')]).toEqual([1, 0, 0]);
    expect(run.handovers.flatMap(({ failures }) => failures)).toEqual([
      { class: 'generator', detail: 'the body was not decoded in time', count: 1 },
    ]);
    expect(run.histogram('service', 'failed').max).toBe(110 * MS);
  });

  it('are told apart from the target where they fill the cap', () => {
    const base = createPlan();
    const knots = [0, 1].map((tSeconds) => ({ tSeconds, ratePerSecond: 20 }));
    const limitsOf = (maxQueue: number): Plan['limits'] => ({ ...base.limits, maxInFlight: 5, maxQueue });
    const held = (maxQueue: number, answer: FakeAnswer): readonly number[] => {
      const phases: Plan['phases'] = [
        { name: 'load', warmup: false, startNs: 0, durationNs: SECOND, arrivals: { kind: 'even', knots } },
      ];
      const plan: Plan = { ...base, phases, limits: limitsOf(maxQueue) };
      const run = new TrialSimulation({ plan, answer: () => answer }).run();
      return [run.book('held-by-decoding'), run.book('dropped:max-in-flight') + run.histogram('waitQueue').count];
    };
    // 20 arrivals, five at a time: 15 find the cap full, with a queue or without.
    expect(held(0, { serviceNs: 10 * MS, decodeNs: 5 * SECOND })).toEqual([15, 15]);
    expect(held(0, { serviceNs: 5 * SECOND })).toEqual([0, 15]);
    // With a queue those behind the first five that wait would wait in any case.
    expect(held(1000, { serviceNs: 10 * MS, decodeNs: 2 * SECOND })[0]).toBe(5);
  });
});
