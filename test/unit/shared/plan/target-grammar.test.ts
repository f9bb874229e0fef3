import { describe, expect, it } from 'vitest';
import { INVALID } from '../../../../shared/plan/plan-field.ts';
import { createScalar } from '../../../../shared/plan/plan-node.ts';
import { ProblemList } from '../../../../shared/plan/problem-list.ts';
import { targetKeys } from '../../../../shared/plan/target-grammar.ts';

/** What `target.connectTo` makes of `text`; null where it is refused. */
function connectTo(text: string): unknown {
  const problems = new ProblemList();
  const read = targetKeys.connectTo.field.read(createScalar(text, 'plan.yaml'), 'target.connectTo', problems);
  return read === INVALID ? null : read;
}

describe('target.connectTo', () => {
  it.each(['10.0.0.1:1', 'a.example:65535', '[::1]:8080', '[fe80::1%eth0]:8080', 'unix:/run/a.sock'])(
    'takes %s',
    (text) => {
      expect(connectTo(text)).toBe(text);
    },
  );

  it.each(['a.example', 'a.example:0', 'a.example:65536', '::1:8080', 'unix:', 'http://a.example:80'])(
    'refuses %s',
    (text) => {
      expect(connectTo(text)).toBeNull();
    },
  );

  it.each(['[::1::2]:80', '[fe80::1%]:80', '[1.2.3.4]:80', 'a<b:80', 'a%b:80', 'b\u00fccher.example:80'])(
    'R026 refuses %s, which no agent could dial',
    (text) => {
      expect(connectTo(text)).toBeNull();
    },
  );
});
