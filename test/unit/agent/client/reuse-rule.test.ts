/** When connections rest behind their answers, told by a clock of the test. */
import { describe, expect, it } from 'vitest';
import { REST_NS, ReuseRule } from '../../../../agent/client/reuse-rule.ts';

const MS = 1e6;

/** A rule that has seen `count` answers, 10 ms apart, each closed behind. */
function closedBehind(count: number, afterNs = MS): ReuseRule {
  const rule = new ReuseRule();
  for (let index = 0; index < count; index += 1) rule.closed(index * 10 * MS, index * 10 * MS + afterNs);
  return rule;
}

describe('a server that closes behind its answers', () => {
  it('is known after three closes in a row, and says so once', () => {
    const rule = new ReuseRule();
    const told = [0, 10, 20, 30].map((endedMs) => rule.closed(endedMs * MS, endedMs * MS + 1));
    expect(told).toEqual([false, false, true, false]);
    expect(rule.rests).toBe(true);
  });

  it('is not known after two', () => {
    expect(closedBehind(2).rests).toBe(false);
  });

  it('is trusted again after ten answers in a row on used connections', () => {
    const rule = closedBehind(3);
    const told = Array.from({ length: 10 }, () => rule.reused());
    expect(told.filter(Boolean)).toEqual([true]);
    expect(told.at(-1)).toBe(true);
    expect(rule.rests).toBe(false);
  });

  it('is not trusted as long as closes come between', () => {
    const rule = closedBehind(3);
    for (let index = 3; index < 30; index += 1) {
      for (let reuse = 0; reuse < 9; reuse += 1) rule.reused();
      rule.closed(index * 10 * MS, index * 10 * MS + 1);
    }
    expect(rule.rests).toBe(true);
  });

  it('must be learnt anew in full once it was trusted again', () => {
    const rule = closedBehind(3);
    for (let index = 0; index < 10; index += 1) rule.reused();
    rule.closed(1000 * MS, 1001 * MS);
    rule.closed(1010 * MS, 1011 * MS);
    expect(rule.rests).toBe(false);
  });
});

describe('what other servers do', () => {
  it('closing idle connections by a limit on time is no reason', () => {
    expect(closedBehind(100, REST_NS + 1).rests).toBe(false);
  });

  it('closing many at once counts as one, whenever their answers ended', () => {
    const rule = new ReuseRule();
    const closeNs = 1000 * MS;
    for (let index = 0; index < 50; index += 1) rule.closed(closeNs - (50 - index) * MS, closeNs + index);
    expect(rule.rests).toBe(false);
  });

  it('a close after each thousandth answer of a connection is no reason, since the answers before it were on used ones', () => {
    const rule = new ReuseRule();
    for (let connection = 0; connection < 20; connection += 1) {
      for (let answer = 1; answer < 1000; answer += 1) rule.reused();
      rule.closed(connection * 1000 * MS, connection * 1000 * MS + MS);
    }
    expect(rule.rests).toBe(false);
  });
});
