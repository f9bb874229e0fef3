import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import * as pb from '../../../../proto/gen/loadfleet/v1/report_pb.ts';
import { type ReportAck, reportText } from '../../../../shared/rpc/report-message.ts';
import {
  reportAckFromProto,
  reportAckToProto,
  reportMessageFromProto,
} from '../../../../shared/rpc/report-stream-codec.ts';

const key = { runId: 'run-1', trial: 0, agentId: 'agent-1', incarnation: 'start-1', seq: 7 };

describe('keys and answers', () => {
  it.each<ReportAck>([
    { kind: 'applied', key },
    { kind: 'duplicate', key },
    { kind: 'rejected', key, reason: 'of another run' },
  ])('$kind survives the wire', (ack) => {
    expect(
      reportAckFromProto(fromBinary(pb.ReportAckSchema, toBinary(pb.ReportAckSchema, reportAckToProto(ack)))),
    ).toEqual(ack);
  });

  it('refuses an answer it does not know, a report without key and a report number 0', () => {
    const wireKey = { ...key, seq: 7n };
    expect(() => reportAckFromProto(create(pb.ReportAckSchema, { key: wireKey }))).toThrow('report_ack.result is 0');
    expect(() => reportMessageFromProto(create(pb.ReportMessageSchema))).toThrow('key is missing');
    expect(() => reportMessageFromProto(create(pb.ReportMessageSchema, { key: { ...wireKey, seq: 0n } }))).toThrow(
      'key.seq is 0, the first is 1',
    );
  });

  it('read well in messages', () => {
    expect(reportText(key)).toBe('report 7 of agent agent-1 (incarnation start-1) for run run-1 trial 0');
  });
});
