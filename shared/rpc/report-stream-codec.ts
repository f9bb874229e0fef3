/**
 * The messages of the Report stream between their domain form and the generated one: a report's key with its payload, which stays
 * bytes here (`report-codec.ts` reads it), and the answer to it. A message that makes no sense ends that one stream.
 */
import { create } from '@bufbuild/protobuf';
import * as pb from '../../proto/gen/loadfleet/v1/report_pb.ts';
import { assertNever } from '../assert-never.ts';
import { FleetError } from '../fleet-error.ts';
import type { ReportKey } from '../metrics/agent-report.ts';
import { TEXT_LENGTH_MAX } from './report-limits.ts';
import type { ReportAck, ReportMessage } from './report-message.ts';
import { exactFromWire, exactToWire, requiredFromWire, textFromWire } from './wire-integer.ts';

/** The wire form of a report message. */
export function reportMessageToProto(message: ReportMessage): pb.ReportMessage {
  return create(pb.ReportMessageSchema, { key: keyToProto(message.key), payload: message.payload });
}

/** The domain form of a report message; its payload stays bytes. @throws FleetError `protocol` when the key is not one. */
export function reportMessageFromProto(message: pb.ReportMessage): ReportMessage {
  return { key: keyFromProto(message.key), payload: message.payload };
}

/** The wire form of an answer. */
export function reportAckToProto(ack: ReportAck): pb.ReportAck {
  const key = keyToProto(ack.key);
  switch (ack.kind) {
    case 'applied':
      return create(pb.ReportAckSchema, { key, result: pb.ReportResult.APPLIED });
    case 'duplicate':
      return create(pb.ReportAckSchema, { key, result: pb.ReportResult.DUPLICATE });
    case 'rejected':
      return create(pb.ReportAckSchema, { key, result: pb.ReportResult.REJECTED, reason: ack.reason });
    default:
      return assertNever(ack);
  }
}

/** The domain form of an answer. @throws FleetError `protocol`. */
export function reportAckFromProto(ack: pb.ReportAck): ReportAck {
  const key = keyFromProto(ack.key);
  switch (ack.result) {
    case pb.ReportResult.APPLIED:
      return { kind: 'applied', key };
    case pb.ReportResult.DUPLICATE:
      return { kind: 'duplicate', key };
    case pb.ReportResult.REJECTED:
      return { kind: 'rejected', key, reason: ack.reason };
    case pb.ReportResult.UNSPECIFIED:
    default:
      throw new FleetError('protocol', `report_ack.result is ${ack.result}, which this build does not know`);
  }
}

function keyToProto(key: ReportKey): pb.ReportKey {
  return create(pb.ReportKeySchema, { ...key, seq: exactToWire('key.seq', key.seq) });
}

function keyFromProto(wire: pb.ReportKey | undefined): ReportKey {
  const key = requiredFromWire('key', wire);
  const seq = exactFromWire('key.seq', key.seq);
  if (seq === 0) throw new FleetError('protocol', 'key.seq is 0, the first is 1');
  return {
    runId: textFromWire('key.run_id', key.runId, TEXT_LENGTH_MAX),
    trial: key.trial,
    agentId: textFromWire('key.agent_id', key.agentId, TEXT_LENGTH_MAX),
    incarnation: textFromWire('key.incarnation', key.incarnation, TEXT_LENGTH_MAX),
    seq,
  };
}
