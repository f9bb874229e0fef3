import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { SubmitMessageSchema, WatchEventSchema } from '../../../../proto/gen/loadfleet/v1/runs_pb.ts';
import { PLAN_BYTES_MAX } from '../../../../shared/rpc/protocol.ts';
import { submitMessageFromProto, watchEventFromProto } from '../../../../shared/rpc/runs-codec.ts';

describe('messages of the Runs service (whole conversations are in the integration tests)', () => {
  it('refuses a plan above 1 MiB with the size and the limit', () => {
    const message = create(SubmitMessageSchema, {
      body: { case: 'header', value: { planJson: new Uint8Array(PLAN_BYTES_MAX + 1) } },
    });
    expect(() => submitMessageFromProto(message)).toThrow(
      expect.objectContaining({ code: 'plan', message: expect.stringContaining(`${PLAN_BYTES_MAX}`) }),
    );
  });

  it('refuses messages without a body it knows, and progress without its figures', () => {
    expect(() => submitMessageFromProto(create(SubmitMessageSchema))).toThrow('without a body');
    expect(() => watchEventFromProto(create(WatchEventSchema))).toThrow('without a body');
    expect(() => watchEventFromProto(create(WatchEventSchema, { body: { case: 'progress', value: {} } }))).toThrow(
      'progress.latest is missing',
    );
  });

  const piece = (name: string) => create(WatchEventSchema, { body: { case: 'piece', value: { name } } });

  it.each(['../../evil.txt', '/etc/passwd', 'a/b', '..', '.', '', '.bashrc', 'a\\b', 'a\0b', 'x'.repeat(201)])(
    'R107 refuses a result file called %j, which could leave the result folder',
    (name) => {
      expect(() => watchEventFromProto(piece(name))).toThrow(expect.objectContaining({ code: 'protocol' }));
    },
  );

  it.each(['result.json', 'ttft_firstTurn.hlog', 'plan.effective.yaml'])('takes a result file called %s', (name) => {
    expect(watchEventFromProto(piece(name))).toMatchObject({ kind: 'piece', name });
  });

  it('R107 takes out of the summary what a terminal obeys, and keeps its lines', () => {
    const value = { outcome: 'ok', exitCode: 0, reasons: [], summary: 'a\u001b]0;title\u0007\nb\n' };
    expect(watchEventFromProto(create(WatchEventSchema, { body: { case: 'end', value } }))).toMatchObject({
      summary: 'a\ufffd]0;title\ufffd\nb\n',
    });
  });
});
