import { describe, expect, it } from 'vitest';
import { explainPlan } from '../../../../shared/plan/explain-plan.ts';
import { formatExplanation } from '../../../../shared/plan/format-explanation.ts';
import { planOfText, smallPlan } from '../../../support/plan-of-text.ts';

const explain = (text: string, files: Record<string, string> = {}, environment: Record<string, string> = {}) =>
  explainPlan(planOfText(text, { files, environment }), { cores: 4 });

describe('plan explain', () => {
  it('counts exactly what the seed gives, and what the law expects', () => {
    // Methods §1.3: S=16, seed 0x0123456789abcdef, 1000/s for 10 s: 10042 arrivals, the first at 1567374 ns.
    const { phases, totalScheduled } = explain(
      smallPlan('seed: "0x0123456789abcdef"\nlanes: 16', '{rate: 1000, duration: 10s}'),
    );
    expect(phases[0]).toMatchObject({
      expected: 10_000,
      scheduled: 10_042,
      firstNs: [1_567_374, 1_624_795, 2_085_166],
    });
    expect(totalScheduled).toBe(10_042);
  });

  it('does not count what would take long', () => {
    const explanation = explain(smallPlan('', '{rate: 1000000, duration: 10h}'));
    expect(explanation.phases[0]).toMatchObject({ expected: 3.6e10, scheduled: null, firstNs: [] });
    expect(formatExplanation(explanation)).toMatch(/too many to count here/);
  });

  it('shares cores out and multiplies limits', () => {
    const { fleet, limits } = explain(smallPlan('limits: {maxInFlight: 10, connections: 5}\nfleet: {agents: 3}'));
    expect(fleet).toEqual({ agents: 3, workersPerAgent: 1, workerSlots: 3, lanes: 4096, lanesPerSlot: [1365, 1366] });
    expect(limits).toEqual({ maxInFlight: 30, maxQueue: 0, connections: 15, connectionAgeNs: null });
    const batch = explain(smallPlan('', '{arrivals: all-at-once, count: 500}'));
    expect(batch.limits.maxQueue).toBeNull();
    expect(formatExplanation(batch)).toContain('all of a batch queued');
    expect(formatExplanation(explain(smallPlan('limits: {connectionAge: 90s}')))).toContain(', each for at most 1m30s');
  });

  it('warns below 64 lanes per worker slot, with the number that would do', () => {
    expect(explain(smallPlan('lanes: 64\nfleet: {workers: 2}')).warnings.join()).toMatch(
      /64 lanes over 2 worker slots.*lanes: 128 would do/,
    );
    expect(explain(smallPlan('lanes: 128\nfleet: {workers: 2}')).warnings.join()).not.toMatch(/lanes/);
  });

  it('renders the first request as it would be sent, without secrets', () => {
    const text = smallPlan(
      'workload: [{url: "/{{id|url}}?token=abc", headers: {Authorization: "${MY_TOKEN}", X-N: "{{n}}"}, body: "${secret:B}"}]\ndata: {file: u.csv, rows: random}',
    );
    const explanation = explain(text, { 'u.csv': 'id,n\na b,1\n' }, { MY_TOKEN: 'canary-1234', B: 'canary-5678' });
    expect(explanation.requests[0]).toMatchObject({
      url: 'http://127.0.0.1:8080/a%20b?token=[redacted]',
      headers: [
        ['Authorization', '[redacted]'],
        ['X-N', '1'],
      ],
      body: '[redacted]',
    });
    expect(formatExplanation(explanation)).not.toMatch(/canary/);
  });

  it.each([
    ['{url: "http://127.0.0.1:1/base"}', '/x', 'http://127.0.0.1:1/base/x'],
    ['{url: "http://127.0.0.1:18080"}', '/x', 'http://127.0.0.1:18080/x'],
    ['{reference: instant}', '/x', '/x'],
    ['{reference: instant}', 'http://127.0.0.1:18080/x', 'http://127.0.0.1:18080/x'],
  ])('shows the URL of a request to %s whole, whatever its port', (target, url, shown) => {
    const text = `target: ${target}\nload: [{rate: 1, duration: 1s}]\nworkload: [{url: "${url}"}]\n`;
    expect(explain(text).requests[0]?.url).toBe(shown);
  });

  it('R107 control characters of a plan do not reach the terminal', () => {
    const explanation = explain(
      smallPlan('name: "a\\u001b[2J\\u009b\\u202eb"\nworkload: [{name: "x\\u0007", body: "\\u001b]0;t\\u0007"}]'),
    );
    expect(formatExplanation(explanation)).not.toMatch(/[^\P{C}\n]/u);
  });

  it.each([
    ['rate 0', '{rate: 0, duration: 5s}', 0],
    ['all at once', '{arrivals: all-at-once, count: 9}', 9],
    ['even', '{arrivals: even, rate: 3, count: 10}', 10],
    ['gamma', '{arrivals: "gamma:0.5", rate: 0, duration: 5s}', 0],
  ])('%s', (_what, load, scheduled) => {
    const explanation = explain(smallPlan('', load));
    expect(explanation.totalScheduled).toBe(scheduled);
    expect(formatExplanation(explanation)).toMatch(/arrivals/);
    expect(JSON.parse(JSON.stringify(explanation))).toEqual(explanation);
  });
});
