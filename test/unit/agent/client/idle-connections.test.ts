import { describe, expect, it } from 'vitest';
import { IdleConnections } from '../../../../agent/client/idle-connections.ts';
import { REST_NS } from '../../../../agent/client/reuse-rule.ts';

const at = (nowNs: number) => ({ nowNs: () => nowNs });

describe('idle connections', () => {
  it('R024 are used in turn, whichever came back first', () => {
    const idle = new IdleConnections<{ name: string; answeredNs: number }>();
    for (const name of ['a', 'b', 'c']) idle.put({ name, answeredNs: 0 });
    const taken = Array.from({ length: 6 }, () => {
      const connection = idle.take(at(0));
      if (connection !== null) idle.put(connection);
      return connection?.name;
    });
    expect(taken).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
  });

  it('R016 are not taken before they have rested, the longest first', () => {
    const idle = new IdleConnections<{ answeredNs: number }>();
    const [first, second] = [{ answeredNs: 10 }, { answeredNs: 20 }];
    idle.rest(first);
    idle.rest(second);
    expect(idle.take(at(REST_NS + 9))).toBeNull();
    expect(idle.take(at(REST_NS + 10))).toBe(first);
    expect(idle.take(at(REST_NS + 10))).toBeNull();
    expect(idle.takeResting()).toBe(second);
    expect(idle.takeResting()).toBeNull();
  });
});
