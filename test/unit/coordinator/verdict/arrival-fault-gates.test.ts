/**
 * The fault table of M§3.3 through the real accumulators and gates: send streams with each fault, counted by the worker's meter,
 * added up by the coordinator, judged. Each fault is caught by the gate that should catch it, and no fault is not.
 */
import { describe, expect, it } from 'vitest';
import { FidelityMeter } from '../../../../agent/worker/fidelity-meter.ts';
import { FidelitySums } from '../../../../coordinator/merge/fidelity-sums.ts';
import { backlogGate } from '../../../../coordinator/verdict/backlog-gate.ts';
import { lagShareGate } from '../../../../coordinator/verdict/lag-share-gate.ts';
import {
  type FidelityEvidence,
  fanoFindings,
  sendFidelityGate,
} from '../../../../coordinator/verdict/send-fidelity-gate.ts';
import { plannedWindows } from '../../../../shared/metrics/fidelity.ts';
import { createPlan } from '../../../support/plan-fixture.ts';
import { seededRandom } from '../../../support/seeded-random.ts';

const SECONDS = 60;
const RATE = 1000;
const SERVICE_NS = 10_000_000;
const MS = 1_000_000;
const phases = createPlan({ durationNs: SECONDS * 1e9, ratePerSecond: RATE }).phases;

/** What a fault makes of one worker's intended instants (ns, ascending): the instants of the sends, in the same order. */
type Fault = (intended: readonly number[], worker: number) => number[];

/** Sends leave a worker in order. */
function inOrder(sends: readonly number[]): number[] {
  let last = 0;
  return sends.map((send) => (last = Math.max(last, send)));
}

const random = seededRandom(7);

const FAULTS = {
  none: (intended) => inOrder(intended.map((t) => t + random.below(60_000))),
  'independent lag of 1 s': (intended) => intended.map((t) => t + Math.floor(random.exponential(1e9))),
  'independent lag up to 10 ms': (intended) => intended.map((t) => t + random.below(10 * MS)),
  'own 1 ms ticks': (intended, worker) => {
    const offset = (worker * MS) / 7;
    return intended.map((t) => Math.ceil((t - offset) / MS) * MS + offset);
  },
  'a timer that misses every other millisecond': (intended) => intended.map((t) => Math.ceil(t / (2 * MS)) * 2 * MS),
  'a pause of 50 ms every 5 s': (intended) => intended.map((t) => (t % 5e9 < 50 * MS ? t - (t % 5e9) + 50 * MS : t)),
  'one 1 ms tick': (intended) => intended.map((t) => Math.ceil(t / MS) * MS),
  'every gap 50 us longer': (intended) => intended.map((t, index) => t + (index + 1) * 50_000),
  'at least 1 ms between sends': (intended) => {
    let last = 0;
    return intended.map((t) => (last = Math.max(t, last + 1_000_000)));
  },
  'blocked 200 ms every 2 s': (intended) => intended.map((t) => (t % 2e9 < 200 * MS ? t - (t % 2e9) + 200 * MS : t)),
  'a rate that the worker cannot keep': (intended) => {
    let last = 0;
    return intended.map((t) => (last = Math.max(t, last + 1_100_000)));
  },
} as const satisfies Record<string, Fault>;

function judged(fault: Fault, workers: number) {
  const sums = new FidelitySums(phases, plannedWindows(phases));
  let lagNs = 0;
  let requests = 0;
  for (let worker = 0; worker < workers; worker += 1) {
    const intended: number[] = [];
    for (let t = 0; ; ) {
      t += Math.floor(random.exponential((1e9 * workers) / RATE));
      if (t >= SECONDS * 1e9) break;
      intended.push(t);
    }
    const meter = new FidelityMeter(phases);
    for (const t of intended) meter.planned(0, t);
    const pairs = fault(intended, worker).map((send, i) => [intended[i] as number, send] as const);
    for (const [t, send] of pairs) lagNs += send - t;
    requests += pairs.length;
    for (const [t, send] of pairs.sort((a, b) => a[1] - b[1])) meter.sent(0, t, send);
    for (const window of meter.take(Infinity)) sums.add({ slot: worker, ...window });
  }
  const evidence: FidelityEvidence = {
    slots: sums.slots(),
    fleet: sums.fleet(),
    phaseName: () => 'load',
    isOwnLag: true,
  };
  const times = { requests, responseNs: lagNs + requests * SERVICE_NS, wakeLagNs: lagNs, ownWaitNs: 0, waitNs: 0 };
  return {
    fidelity: sendFidelityGate(evidence),
    backlog: backlogGate(evidence).kind,
    lagShare: lagShareGate(times).kind,
    ratioAt: (ms: number) => fanoFindings(evidence).find((one) => one.binNs === ms * MS)?.ratio ?? null,
  };
}

describe('faults of a generator (M§3.3)', () => {
  it.each([1, 4, 20])('no fault, %i workers: every gate passes', (workers) => {
    const found = judged(FAULTS.none, workers);
    expect([found.fidelity.kind, found.backlog, found.lagShare]).toEqual(['pass', 'pass', 'pass']);
    expect(found.ratioAt(1)).toBeCloseTo(1, 1);
  });

  it('independent lag of 1 s keeps the bursts of the plan: lag and backlog catch it, at every worker', () => {
    const found = judged(FAULTS['independent lag of 1 s'], 4);
    // At 1 s the fleet also shows how slowly the load came up.
    for (const ms of [1, 10]) expect(Math.abs((found.ratioAt(ms) ?? 0) - 1)).toBeLessThan(0.1);
    expect([found.backlog, found.lagShare]).toEqual(['fail', 'fail']);
  });

  it('independent lag up to 10 ms is the displacement theorem’s: only the lag itself shows it', () => {
    const found = judged(FAULTS['independent lag up to 10 ms'], 4);
    expect(found.fidelity.kind).toBe('pass');
    expect(found.lagShare).toBe('fail');
  });

  it('a tick of 1 ms of one worker makes bursts: caught at 1 ms, not to be seen at 100 ms', () => {
    const found = judged(FAULTS['one 1 ms tick'], 1);
    expect(found.ratioAt(100)).toBeCloseTo(1, 1);
    // All of a millisecond's sends fall due together; in bins of a millisecond that only moves them, and the lag shows it.
    expect(found.lagShare).toBe('warn');
  });

  it('every gap 50 us longer: the worker falls behind for good, so backlog and lag catch it, and the ratio drops', () => {
    const found = judged(FAULTS['every gap 50 us longer'], 1);
    expect([found.backlog, found.lagShare]).toEqual(['fail', 'fail']);
    expect(found.ratioAt(1)).toBeLessThan(1);
  });

  it('a tick of 2 ms makes bursts: caught at 1 ms, at 10 ms hardly to be seen', () => {
    const found = judged(FAULTS['a timer that misses every other millisecond'], 1);
    expect(found.fidelity.kind).not.toBe('pass');
    expect(found.fidelity.reason).toContain('at 1 ms');
    expect(found.ratioAt(1)).toBeGreaterThan(1.5);
    expect(found.ratioAt(10)).toBeCloseTo(1, 1);
  });

  it('own ticks of 1 ms of 20 workers hide in the counts: the lag catches them', () => {
    const found = judged(FAULTS['own 1 ms ticks'], 20);
    expect(found.fidelity.kind).toBe('pass');
    expect(found.lagShare).toBe('warn');
  });

  it('a pause of 50 ms every 5 s, with a mean lag of 0.25 ms: caught by the bursts at 1 and 10 ms', () => {
    const found = judged(FAULTS['a pause of 50 ms every 5 s'], 1);
    expect(found.fidelity.kind).not.toBe('pass');
    expect(found.ratioAt(1)).toBeGreaterThan(1.3);
    expect(found.ratioAt(10)).toBeGreaterThan(1.3);
    expect(found.ratioAt(100)).toBeCloseTo(1, 1);
  });

  it('a minimum spacing evens the sends out: a ratio below 1 is a fault too', () => {
    const found = judged(FAULTS['at least 1 ms between sends'], 1);
    expect(found.fidelity.kind).not.toBe('pass');
    expect(found.ratioAt(1)).toBeLessThan(0.95);
  });

  it('a worker blocked 200 ms every 2 s: bursts and backlog', () => {
    const found = judged(FAULTS['blocked 200 ms every 2 s'], 1);
    expect(found.fidelity.kind).toBe('fail');
    expect(found.backlog).not.toBe('pass');
    expect(found.lagShare).toBe('fail');
  });

  it('the worst of many workers is judged: one that is blocked among 20 healthy ones', () => {
    const found = judged(
      (intended, worker) => (worker === 13 ? FAULTS['blocked 200 ms every 2 s'](intended) : FAULTS.none(intended)),
      20,
    );
    expect(found.backlog).not.toBe('pass');
    expect(found.fidelity.kind).not.toBe('pass');
    expect(found.fidelity.reason).toContain('worker 13');
  });

  it('a rate that the worker cannot keep: the backlog grows and never goes', () => {
    const found = judged(FAULTS['a rate that the worker cannot keep'], 1);
    expect(found.backlog).toBe('fail');
  });

  it('where connections were waited for, late sends degrade and do not invalidate', () => {
    const paced = { edges: 100, edgesAbove: 90, max: 5000 };
    const bins = { bins: 1000, planned: 1000, plannedSquares: 2000, sent: 1000, sentSquares: 9000, moved: 900 };
    const evidence = (isOwnLag: boolean): FidelityEvidence => ({
      slots: [{ slot: 0, phase: 0, fine: bins, coarse: bins, backlog: paced }],
      fleet: [],
      phaseName: () => 'load',
      isOwnLag,
    });
    expect([sendFidelityGate(evidence(true)).kind, backlogGate(evidence(true)).kind]).toEqual(['fail', 'fail']);
    expect([sendFidelityGate(evidence(false)).kind, backlogGate(evidence(false)).kind]).toEqual(['warn', 'warn']);
  });

  it('evenly spaced arrivals have no Fano ratio: not measured, and the other gates judge', () => {
    const bins = { bins: 1000, planned: 1000, plannedSquares: 1000, sent: 1000, sentSquares: 1400, moved: 300 };
    const backlog = { edges: 10, edgesAbove: 0, max: 0 };
    const gate = sendFidelityGate({
      slots: [{ slot: 0, phase: 0, fine: bins, coarse: bins, backlog }],
      fleet: [],
      phaseName: () => 'load',
      isOwnLag: true,
    });
    expect(gate.kind).toBe('not-measured');
  });
});
