import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../../../coordinator/fleet/join-check.ts';
import { goldenScheduleSha256 } from '../../../../shared/schedule/golden-schedule.ts';
import { createJoin } from '../../../support/join-fixture.ts';
import { PROTOCOL } from '../../../../shared/rpc/protocol.ts';

const join = createJoin('agent-1');

describe('who may join', () => {
  it('an equal one, new or back again', () => {
    expect(refusalOf(join, null)).toBeNull();
    expect(refusalOf(join, 'start-1')).toBeNull();
  });

  it.each([
    [
      'another protocol',
      { protocol: 99, loadfleetVersion: '9.9.9' },
      null,
      ['protocol 99', '9.9.9', `coordinator ${PROTOCOL}`],
    ],
    ['other arithmetic', { goldenDigest: 'ffff', nodeVersion: 'v99' }, null, ['ffff', goldenScheduleSha256, 'v99']],
    ['no workers', { workers: 0 }, null, ['0 workers', '1..1024']],
    ['the name of a connected agent', {}, 'start-0', ['agent-1', 'start-0']],
  ])('not one with %s: the reason names both sides', (_what, change, live, words) => {
    const reason = refusalOf({ ...join, ...change }, live);
    for (const word of words) expect(reason).toContain(word);
  });
});
