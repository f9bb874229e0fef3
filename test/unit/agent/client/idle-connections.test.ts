import { describe, expect, it } from 'vitest';
import { type IdleConnection, IdleConnections } from '../../../../agent/client/idle-connections.ts';
import { REST_NS } from '../../../../agent/client/reuse-rule.ts';

interface NumberedConnection extends IdleConnection {
  readonly number: number;
}

/** `count` new connections, numbered from 0. */
const connectionsOf = (count: number): NumberedConnection[] =>
  Array.from({ length: count }, (_unused, number) => ({ number, answeredNs: 0, isRegular: false }));

const at = (nowNs: number) => ({ nowNs: () => nowNs });

describe('idle connections', () => {
  it('R024 are used in turn, whichever came back first', () => {
    const idle = new IdleConnections<NumberedConnection>();
    for (const connection of connectionsOf(3)) idle.put(connection);
    const taken = Array.from({ length: 6 }, () => {
      const connection = idle.take(at(0));
      if (connection !== null) idle.put(connection);
      return connection?.number;
    });
    expect(taken).toEqual([0, 1, 2, 0, 1, 2]);
  });

  it('beyond 64 are used while none of these is idle, however fast they answer', () => {
    const idle = new IdleConnections<NumberedConnection>();
    const all = connectionsOf(100);
    for (const connection of all) idle.put(connection);
    const takeAll = (count: number) => Array.from({ length: count }, () => idle.take(at(0)));
    expect(takeAll(101)).toEqual([...all, null]);
    // The last ones answer first.
    for (const connection of all.toReversed()) idle.put(connection);
    const regular = takeAll(64);
    expect(new Set(regular)).toEqual(new Set(all.slice(0, 64)));
    const [other] = takeAll(1);
    expect(other?.number).toBe(99);
    for (const connection of regular) if (connection !== null) idle.put(connection);
    if (other !== null && other !== undefined) idle.put(other);
    expect(new Set(takeAll(64))).toEqual(new Set(all.slice(0, 64)));
  });

  it('beyond 64 take the place of one that is closed', () => {
    const idle = new IdleConnections<NumberedConnection>();
    const all = connectionsOf(65);
    for (const connection of all) idle.put(connection);
    for (let taken = 0; taken < 65; taken += 1) idle.take(at(0));
    idle.forget(all[0] as (typeof all)[number]);
    for (const connection of all.slice(1).toReversed()) idle.put(connection);
    expect(idle.take(at(0))?.number).toBe(64);
  });

  it('that were closed while they rested are not taken, and leave their places to others', () => {
    const idle = new IdleConnections<NumberedConnection>();
    const all = connectionsOf(128);
    const [closed, living] = [all.slice(0, 64), all.slice(64)];
    for (const connection of closed) idle.rest(connection);
    for (const connection of closed) idle.forget(connection);
    expect(idle.someRest).toBe(false);
    expect(idle.take(at(REST_NS))).toBeNull();
    const late: NumberedConnection = { number: 128, answeredNs: 0, isRegular: false };
    for (const connection of [...living, late]) idle.put(connection);
    for (let taken = 0; taken < 65; taken += 1) idle.take(at(REST_NS));
    // Were the places not free, all would be in one turn.
    for (const connection of [late, ...living]) idle.put(connection);
    expect(idle.take(at(REST_NS))).toBe(living[0]);
  });

  it('R016 are not taken before they have rested, the longest first', () => {
    const idle = new IdleConnections<IdleConnection>();
    const first: IdleConnection = { answeredNs: 10, isRegular: false };
    const second: IdleConnection = { answeredNs: 20, isRegular: false };
    idle.rest(first);
    idle.rest(second);
    expect(idle.take(at(REST_NS + 9))).toBeNull();
    expect(idle.take(at(REST_NS + 10))).toBe(first);
    expect(idle.take(at(REST_NS + 10))).toBeNull();
    expect(idle.takeResting()).toBe(second);
    expect(idle.takeResting()).toBeNull();
  });
});
