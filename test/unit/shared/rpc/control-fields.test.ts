import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { DrainingSchema } from '../../../../proto/gen/loadfleet/v1/control_pb.ts';
import { NAME_LENGTH_MAX, REASON_LENGTH_MAX, runAndReason } from '../../../../shared/rpc/control-fields.ts';

const run = { runId: 'run-1', trial: 3 };

describe('the run and the reason of a message', () => {
  it('are taken as they are', () => {
    expect(runAndReason('draining', create(DrainingSchema, { run, reason: 'over' }))).toEqual({ run, reason: 'over' });
  });

  it.each([
    ['no run', { reason: 'over' }, 'draining.run is missing'],
    ['an id that is too long', { run: { runId: 'r'.repeat(NAME_LENGTH_MAX + 1) } }, 'draining.run.run_id has 257'],
    ['a reason that is too long', { run, reason: 'r'.repeat(REASON_LENGTH_MAX + 1) }, 'draining.reason has 4097'],
  ] as const)('%s is refused, and the field is named', (_what, message, refusal) => {
    expect(() => runAndReason('draining', create(DrainingSchema, message))).toThrow(
      expect.objectContaining({ code: 'protocol', message: expect.stringContaining(refusal) }),
    );
  });
});
