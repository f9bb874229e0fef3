/**
 * What the coordinator says on the Control stream, between its domain form and the generated one. Every number that comes in is
 * checked; a message that makes no sense throws `FleetError('protocol')`, which ends that one stream and nothing else.
 */
import { create } from '@bufbuild/protobuf';
import * as pb from '../../proto/gen/loadfleet/v1/control_pb.ts';
import { assertNever } from '../assert-never.ts';
import { FleetError } from '../fleet-error.ts';
import { bitsetFromLanes, laneCountMax, lanesFromBitset } from '../schedule/deal.ts';
import { NAME_LENGTH_MAX, REASON_LENGTH_MAX, runAndReason, runFromProto, withoutKind } from './control-fields.ts';
import type { Arm, CoordinatorMessage, Grant } from './control-message.ts';
import { PLAN_BYTES_MAX } from './protocol.ts';
import { atMostFromWire, exactFromWire, exactToWire, textFromWire } from './wire-integer.ts';

/** The wire form of a coordinator's message. */
export function coordinatorMessageToProto(message: CoordinatorMessage): pb.CoordinatorMessage {
  return create(pb.CoordinatorMessageSchema, { body: coordinatorBody(message) });
}

/** The domain form of a coordinator's message. @throws FleetError `protocol`. */
export function coordinatorMessageFromProto(message: pb.CoordinatorMessage): CoordinatorMessage {
  const body = message.body;
  switch (body.case) {
    case 'welcome':
      return {
        kind: 'welcome',
        coordinatorId: textFromWire('welcome.coordinator_id', body.value.coordinatorId, NAME_LENGTH_MAX),
        protocol: body.value.protocol,
        heartbeatIntervalNs: exactFromWire('welcome.heartbeat_interval_ns', body.value.heartbeatIntervalNs),
      };
    case 'refusal':
      return { kind: 'refusal', reason: textFromWire('refusal.reason', body.value.reason, REASON_LENGTH_MAX) };
    case 'probe':
      return { kind: 'probe', id: exactFromWire('probe.id', body.value.id) };
    case 'lease':
      return {
        kind: 'lease',
        seq: exactFromWire('lease.seq', body.value.seq),
        leaseNs: exactFromWire('lease.lease_ns', body.value.leaseNs),
      };
    case 'arm':
      return armFromProto(body.value);
    case 'start':
      return {
        kind: 'start',
        run: runFromProto('start.run', body.value.run),
        t0AgentClockNs: exactFromWire('start.t0_agent_clock_ns', body.value.t0AgentClockNs),
      };
    case 'stop':
      return {
        kind: 'stop',
        ...runAndReason('stop', body.value),
        drainNs: exactFromWire('stop.drain_ns', body.value.drainNs),
      };
    case 'release':
      return { kind: 'release', ...runAndReason('release', body.value) };
    case 'dismiss':
      return { kind: 'dismiss', reason: textFromWire('dismiss.reason', body.value.reason, REASON_LENGTH_MAX) };
    case undefined:
      throw new FleetError('protocol', 'coordinator message without a body that this build knows');
    default:
      return assertNever(body);
  }
}

function coordinatorBody(message: CoordinatorMessage): pb.CoordinatorMessage['body'] {
  switch (message.kind) {
    case 'welcome':
      return {
        case: 'welcome',
        value: create(pb.WelcomeSchema, {
          coordinatorId: message.coordinatorId,
          protocol: message.protocol,
          heartbeatIntervalNs: exactToWire('welcome.heartbeat_interval_ns', message.heartbeatIntervalNs),
        }),
      };
    case 'refusal':
      return { case: 'refusal', value: create(pb.RefusalSchema, { reason: message.reason }) };
    case 'probe':
      return { case: 'probe', value: create(pb.ProbeSchema, { id: exactToWire('probe.id', message.id) }) };
    case 'lease':
      return {
        case: 'lease',
        value: create(pb.LeaseSchema, {
          seq: exactToWire('lease.seq', message.seq),
          leaseNs: exactToWire('lease.lease_ns', message.leaseNs),
        }),
      };
    case 'arm':
      return { case: 'arm', value: armToProto(message) };
    case 'start':
      return {
        case: 'start',
        value: create(pb.StartSchema, {
          run: message.run,
          t0AgentClockNs: exactToWire('start.t0_agent_clock_ns', message.t0AgentClockNs),
        }),
      };
    case 'stop':
      return {
        case: 'stop',
        value: create(pb.StopSchema, {
          run: message.run,
          drainNs: exactToWire('stop.drain_ns', message.drainNs),
          reason: message.reason,
        }),
      };
    case 'release':
      return { case: 'release', value: create(pb.ReleaseSchema, withoutKind(message)) };
    case 'dismiss':
      return { case: 'dismiss', value: create(pb.DismissSchema, { reason: message.reason }) };
    default:
      return assertNever(message);
  }
}

function armToProto(arm: Arm): pb.Arm {
  return create(pb.ArmSchema, {
    run: arm.run,
    planJson: arm.planJson,
    planSha256: arm.planSha256,
    workerSlots: arm.workerSlots,
    laneCount: arm.laneCount,
    grants: arm.grants.map((grant) => ({
      slot: grant.slot,
      lanes: bitsetFromLanes(grant.lanes, arm.laneCount),
      epoch: grant.epoch,
      fromNs: exactToWire('grant.from_ns', grant.fromNs),
    })),
  });
}

function armFromProto(arm: pb.Arm): Arm {
  if (arm.planJson.length > PLAN_BYTES_MAX) {
    throw new FleetError('protocol', `arm.plan_json has ${arm.planJson.length} bytes, the limit is ${PLAN_BYTES_MAX}`);
  }
  atMostFromWire('arm.lane_count', arm.laneCount, laneCountMax);
  const grants = arm.grants.map(
    (grant): Grant => ({
      slot: grant.slot,
      lanes: lanesFromBitset(grant.lanes, arm.laneCount),
      epoch: grant.epoch,
      fromNs: exactFromWire('grant.from_ns', grant.fromNs),
    }),
  );
  return {
    kind: 'arm',
    run: runFromProto('arm.run', arm.run),
    planJson: arm.planJson,
    planSha256: textFromWire('arm.plan_sha256', arm.planSha256, NAME_LENGTH_MAX),
    grants,
    workerSlots: arm.workerSlots,
    laneCount: arm.laneCount,
  };
}
