import { describe, expect, it } from 'vitest';
import { CONTROL_CELLS } from '../../../../agent/worker/worker-messages.ts';
import type { LlmMetricId } from '../../../../shared/metrics/metric.ts';
import type { Outcome } from '../../../../shared/metrics/outcome.ts';
import type { FakeAnswer } from '../../../support/fake-client.ts';
import { planErrorOf, planOfText } from '../../../support/plan-of-text.ts';
import { TrialSimulation, type TrialSimulationOptions } from '../../../support/trial-simulation.ts';

const MS = 1e6;
const SECOND = 1e9;

/** Sessions of 3, 1 and 2 turns. */
const SESSIONS = [
  '{"session_id":"a","turns":[{"text":"a0"},{"text":"a1","delay":50,"output_length":5},{"text":"a2","delay":100}]}',
  '{"session_id":"b","turns":[{"text":"b0"}]}',
  '{"session_id":"c","turns":[{"text":"c0"},{"text":"c1","delay":20}]}',
].join('\n');

function planText(load: string, more = ''): string {
  return `seed: 1
target: { url: "http://127.0.0.1:9", identify: true }
workload: [{ llm: { api: chat, model: m } }]
data: { dataset: { aiperf: { file: s.jsonl } }, rows: in-order }
load: [${load}]
fleet: { workers: 1 }
${more}`;
}

function answerTo(index: number): FakeAnswer {
  const chunks = [`{"choices":[{"delta":{"content":"answer "}}]}`, `{"choices":[{"delta":{"content":"${index}"}}]}`];
  return {
    serviceNs: 10 * MS,
    bodyNs: 5 * MS,
    body: [...chunks, '[DONE]'].map((data) => `data: ${data}\n\n`).join(''),
  };
}

function simulationOf(load: string, options: Partial<TrialSimulationOptions> = {}, more = ''): TrialSimulation {
  const { plan, blobs } = planOfText(planText(load, more), { files: { 's.jsonl': SESSIONS } });
  return new TrialSimulation({ plan, blobs, pacing: 'spin', answer: answerTo, ...options });
}

interface Sent {
  readonly atMs: number;
  readonly identity: string | null;
  readonly said: readonly string[];
  readonly maxTokens: number;
}

function sentBy(run: TrialSimulation): Sent[] {
  return run.client.sent.map(({ request, atNs }) => {
    const body = JSON.parse(new TextDecoder().decode(request.body ?? new Uint8Array())) as {
      messages: { role: string; content: string }[];
      max_tokens: number;
    };
    return {
      atMs: Math.round(atNs / MS),
      identity: request.identity,
      said: body.messages.map(({ role, content }) => `${role}: ${content}`),
      maxTokens: body.max_tokens,
    };
  });
}

/** P4, with what was issued. */
function expectBalanced(run: TrialSimulation): void {
  for (const book of [run.book.bind(run), run.namedBook.bind(run)]) {
    expect(book('decided')).toBe(book('attempted') + book('dropped:max-in-flight'));
    expect(book('attempted')).toBe(book('ok') + book('failed:http-status') + book('unfinished'));
  }
  expect(run.book('follow-ups')).toBeLessThanOrEqual(run.book('issued'));
}

/** One arrival each at 500 ms, 1.5 s and 2.5 s. */
const THREE = '{ arrivals: even, rate: 1, duration: 3s }';

describe('sessions of several turns', () => {
  it('send the next turn when the answer before has ended and its delay is over, with all that was said', () => {
    const run = simulationOf(THREE).run();
    const sent = sentBy(run);
    expect(sent.map(({ atMs }) => atMs)).toEqual([500, 565, 680, 1500, 2500, 2535]);
    expect(sent[2]?.said).toEqual(['user: a0', 'assistant: answer 0', 'user: a1', 'assistant: answer 1', 'user: a2']);
    expect(sent[5]?.said).toEqual(['user: c0', 'assistant: answer 4', 'user: c1']);
    expectBalanced(run);
  });

  it('are counted as arrivals of the schedule once, and as follow-ups for the rest', () => {
    const run = simulationOf(THREE).run();
    expect(run.book('decided')).toBe(6);
    expect(run.book('issued')).toBe(3);
    expect(run.book('follow-ups')).toBe(3);
    expect(run.book('sessions-begun')).toBe(2);
    expect(run.book('sessions-completed')).toBe(2);
  });

  it('are times from the intended instant: the end before and the delay', () => {
    const run = simulationOf(THREE).run();
    expect(run.histogram('response').max).toBeLessThan(16 * MS);
    expect(run.histogram('wakeLag').max).toBeLessThan(0.1 * MS);
  });

  it('have their times to first token apart from those of first turns', () => {
    // A prefix cache makes the later turns quick.
    const run = simulationOf(THREE, {
      answer: (index) => ({ ...answerTo(index), serviceNs: [0, 3, 4].includes(index) ? 90 * MS : 10 * MS }),
    }).run();
    const spread = (metric: LlmMetricId) => {
      const { count, min, max } = run.histogram(metric);
      return [count, Math.floor((min ?? 0) / MS), Math.floor((max ?? 0) / MS)];
    };
    expect([spread('ttft'), spread('ttft_firstTurn'), spread('ttft_laterTurns')]).toEqual([
      [6, 15, 95],
      [3, 95, 95],
      [3, 15, 15],
    ]);
  });

  it('are no part of the pace that sends are held against', () => {
    const run = simulationOf(THREE).run();
    const planned = run.handovers
      .flatMap(({ fidelity }) => fidelity)
      .reduce((sum, window) => sum + window.planned.reduce((all, count) => all + count, 0), 0);
    expect(planned).toBe(3);
  });

  it('have identities of their own, and the length that a turn asks for', () => {
    const sent = sentBy(simulationOf(THREE).run());
    expect(sent.map(({ identity }) => identity)).toEqual(['0.0.0', '0.0.0+1', '0.0.0+2', '0.0.1', '0.0.2', '0.0.2+1']);
    // 128 where the file says nothing, for a later turn as for the first.
    expect(sent.map(({ maxTokens }) => maxTokens)).toEqual([128, 5, 128, 128, 128, 128]);
  });

  it('R047 are held against the length that each turn asks for, where the end of text is ignored', () => {
    // Every answer has 2 tokens.
    const sessions = SESSIONS.replace('"output_length":5', '"output_length":2');
    const mismatches = (llm: string): number => {
      const text = planText(THREE).replace('model: m', llm);
      const { plan, blobs } = planOfText(text, { files: { 's.jsonl': sessions } });
      return new TrialSimulation({ plan, blobs, pacing: 'spin', answer: answerTo }).run().book('llm-token-mismatch');
    };
    expect([mismatches('ignoreEos: true'), mismatches('ignoreEos: false')]).toEqual([5, 0]);
    expect(mismatches('ignoreEos: true, maxTokens: 2')).toBe(0);
  });

  it('end with a turn that fails', () => {
    const failed: Outcome = { kind: 'failed', class: 'http-status', status: 503, detail: 'x' };
    const run = simulationOf(THREE, {
      answer: (index) => (index === 1 ? { serviceNs: MS, outcome: failed } : answerTo(index)),
    }).run();
    expect(sentBy(run).map(({ identity }) => identity)).toEqual(['0.0.0', '0.0.0+1', '0.0.1', '0.0.2', '0.0.2+1']);
    expect(run.book('sessions-failed')).toBe(1);
    expect(run.book('sessions-completed')).toBe(1);
    expectBalanced(run);
  });

  it.each([
    ['the first turn', 0, 2, 1],
    ['the second turn', 1, 1, 2],
    ['the last turn', 2, 0, 3],
  ])('count the turns that are never issued because %s failed', (_which, failedAt, left, issued) => {
    const failed: Outcome = { kind: 'failed', class: 'timeout', status: null, detail: 'x' };
    const run = simulationOf(THREE, {
      answer: (index) => (index === failedAt ? { serviceNs: MS, outcome: failed } : answerTo(index)),
    }).run();
    expect(run.book('follow-ups-planned')).toBe(3);
    expect(run.book('follow-ups-behind-failed')).toBe(left);
    expect(run.book('follow-ups')).toBe(issued);
    expect(run.book('issued')).toBe(issued);
  });

  it('count the turns that are never issued because an answer has no text to go on with', () => {
    const piece = `data: {"choices":[{"delta":{"content":"${'x'.repeat(600_000)}"}}]}\n\n`;
    const run = simulationOf(THREE, {
      answer: (index) =>
        index === 0 ? { serviceNs: MS, bodyNs: MS, body: `${piece}${piece}data: [DONE]\n\n` } : answerTo(index),
    }).run();
    expect(run.book('sessions-cut')).toBe(1);
    expect(run.book('follow-ups-behind-cut')).toBe(2);
    expect(run.book('follow-ups')).toBe(1);
  });

  it('go on through the drain, and what is still to come at its end is not sent', () => {
    const open = simulationOf('{ arrivals: even, rate: 1, duration: 600ms }').run();
    expect(open.client.sent).toHaveLength(3);
    const cut = simulationOf('{ arrivals: even, rate: 1, duration: 600ms }', {}, 'limits: { drain: 50ms }').run();
    expect(sentBy(cut).map(({ identity }) => identity)).toEqual(['0.0.0', '0.0.0+1']);
    expect(cut.finishedNs).toBeLessThan(700 * MS);
    expectBalanced(cut);
  });

  it('issue nothing more after a stop', () => {
    const run = simulationOf(THREE);
    run.run(600 * MS);
    run.cells[CONTROL_CELLS.stop] = 1;
    run.trial.stop(SECOND);
    run.continueTo(Infinity);
    expect(run.client.sent).toHaveLength(2);
    expectBalanced(run);
  });

  it('are held one after the other by a closed loop: its slots are sessions', () => {
    const run = simulationOf('{ arrivals: closed:1, count: 3 }').run();
    expect(sentBy(run).map(({ identity, atMs }) => `${identity} ${atMs}`)).toEqual([
      '0.0.0 0',
      '0.0.0+1 65',
      '0.0.0+2 180',
      '0.0.1 195',
      '0.0.2 210',
      '0.0.2+1 245',
    ]);
    expect(run.book('issued')).toBe(6);
    expect(run.book('follow-ups')).toBe(3);
    expectBalanced(run);
  });

  it('are marked in the request that carries them on', () => {
    const { plan } = planOfText(planText(THREE), { files: { 's.jsonl': SESSIONS } });
    expect(plan.requests[0]?.llm?.session).toEqual({ tokensMember: 'max_tokens' });
  });

  it('need an API that holds a conversation', () => {
    const text = planText(THREE).replace('api: chat', 'api: completions');
    expect(planErrorOf(text, { files: { 's.jsonl': SESSIONS } })).toMatch(/completions API holds no conversation/);
  });

  it('are none where the first turns alone are asked for', () => {
    const text = planText(THREE).replace('file: s.jsonl', 'file: s.jsonl, laterTurns: first');
    const { plan } = planOfText(text, { files: { 's.jsonl': SESSIONS } });
    expect(plan.requests[0]?.llm?.session).toBeNull();
    expect(plan.data?.columns).not.toContain('later_turns');
  });
});
