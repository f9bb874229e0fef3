import { describe, expect, it } from 'vitest';
import { Lease } from '../../../../agent/lease/lease.ts';
import { raiseStop, resetCells, writeLease } from '../../../../agent/lease/lease-cells.ts';
import { LeaseGate } from '../../../../agent/worker/lease-gate.ts';
import { CONTROL_CELLS } from '../../../../agent/worker/worker-messages.ts';

const LEASE_NS = 10e9;

describe('the lease of an agent', () => {
  it('counts from the asking, so a grant that was long on its way gives no more than the coordinator meant', () => {
    const lease = new Lease();
    const seq = lease.ask(100e9);
    // The grant arrives 8 s later.
    lease.grant(seq, LEASE_NS);
    expect(lease.isLapsed(110e9 - 1)).toBe(false);
    expect(lease.isLapsed(110e9)).toBe(true);
  });

  it('R075 ends before the coordinator, which heard the question later, may think so', () => {
    const lease = new Lease();
    const askedAtNs = 5e9;
    const heardAtNs = askedAtNs + 3e9;
    lease.grant(lease.ask(askedAtNs), LEASE_NS);
    expect(lease.deadlineNs).toBeLessThanOrEqual(heardAtNs + LEASE_NS);
  });

  it('has lapsed before the first grant', () => {
    expect(new Lease().isLapsed(0)).toBe(true);
  });

  it('R075 is as long as the newest grant says: that of a plan replaces the longer one of an idle fleet', () => {
    const lease = new Lease();
    const [idle, late, inRun] = [lease.ask(1e9), lease.ask(1.5e9), lease.ask(2e9)];
    lease.grant(idle, LEASE_NS);
    lease.grant(inRun, 2e9);
    expect(lease.deadlineNs).toBe(4e9);
    lease.grant(late, LEASE_NS);
    expect(lease.deadlineNs).toBe(4e9);
  });

  it('R075 is cut to that of the plan when the run begins, from when it was asked for, and never grows by it', () => {
    const lease = new Lease();
    lease.limit(2e9);
    expect(lease.deadlineNs).toBe(-Infinity);
    lease.grant(lease.ask(1e9), LEASE_NS);
    lease.limit(2e9);
    expect(lease.deadlineNs).toBe(3e9);
    lease.limit(60e9);
    expect(lease.deadlineNs).toBe(3e9);
  });

  it('does not go back by late, repeated and unknown grants: they change nothing', () => {
    const lease = new Lease();
    const first = lease.ask(1e9);
    const second = lease.ask(2e9);
    lease.grant(second, LEASE_NS);
    lease.grant(first, LEASE_NS);
    lease.grant(second, 99 * LEASE_NS);
    lease.grant(12345, 99 * LEASE_NS);
    expect(lease.deadlineNs).toBe(12e9);
  });

  it('remembers a bounded number of questions', () => {
    const lease = new Lease();
    for (let i = 0; i < 1000; i += 1) lease.ask(i);
    expect(lease.unanswered).toBe(64);
    lease.grant(1, LEASE_NS);
    expect(lease.deadlineNs).toBe(-Infinity);
  });
});

describe('the lease as a worker sees it', () => {
  const t0Ns = 1000e9;
  const cellsOf = () => new Int32Array(CONTROL_CELLS.length);

  it('forbids everything until it is written, and after the stop', () => {
    const cells = cellsOf();
    const gate = new LeaseGate(cells);
    resetCells(cells);
    expect(gate.permission(-5e9)).toBe('lapsed');
    writeLease(cells, t0Ns + LEASE_NS, t0Ns);
    expect(gate.permission(0)).toBe('granted');
    raiseStop(cells);
    expect(gate.permission(0)).toBe('stopped');
    resetCells(cells);
    expect(gate.permission(0)).toBe('lapsed');
  });

  it('is rounded down to tenths of a second, never up', () => {
    const cells = cellsOf();
    const gate = new LeaseGate(cells);
    writeLease(cells, t0Ns + 1_299_999_999, t0Ns);
    expect(gate.permission(1_199_999_999)).toBe('granted');
    expect(gate.permission(1_200_000_000)).toBe('lapsed');
  });

  it('that ended before T0 forbids the first arrival', () => {
    const cells = cellsOf();
    writeLease(cells, t0Ns - 1, t0Ns);
    expect(new LeaseGate(cells).permission(0)).toBe('lapsed');
  });

  it('without end does not wrap', () => {
    const cells = cellsOf();
    writeLease(cells, Infinity, t0Ns);
    expect(new LeaseGate(cells).permission(8.64e15)).toBe('granted');
    writeLease(cells, -Infinity, t0Ns);
    expect(new LeaseGate(cells).permission(0)).toBe('lapsed');
  });
});
