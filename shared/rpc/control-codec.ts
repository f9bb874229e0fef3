/**
 * Control messages between their domain form and the generated one. Every number that comes in is checked; a message that
 * makes no sense throws `FleetError('protocol')`, which ends that one stream and nothing else.
 */
import { create } from '@bufbuild/protobuf';
import * as pb from '../../proto/gen/loadfleet/v1/control_pb.ts';
import { assertNever } from '../assert-never.ts';
import { bitsetFromLanes, laneCountMax, lanesFromBitset } from '../schedule/deal.ts';
import type { AgentMessage, Arm, CoordinatorMessage, Grant, Join, RunKey } from './control-message.ts';
import { PLAN_BYTES_MAX } from './protocol.ts';
import { FleetError } from '../fleet-error.ts';
import { atMostFromWire, exactFromWire, exactToWire, requiredFromWire, textFromWire } from './wire-integer.ts';

/** Longest name or id, and longest reason, that is taken from a peer. */
const NAME_LENGTH_MAX = 256;
const REASON_LENGTH_MAX = 4096;

/** The wire form of an agent's message. */
export function agentMessageToProto(message: AgentMessage): pb.AgentMessage {
  return create(pb.AgentMessageSchema, { body: agentBody(message) });
}

/** The domain form of an agent's message. @throws FleetError `protocol`. */
export function agentMessageFromProto(message: pb.AgentMessage): AgentMessage {
  const body = message.body;
  switch (body.case) {
    case 'join':
      return joinFromProto(body.value);
    case 'probeAnswer':
      return {
        kind: 'probe-answer',
        id: exactFromWire('probe_answer.id', body.value.id),
        receivedAgentClockNs: exactFromWire('probe_answer.received', body.value.receivedAgentClockNs),
        answeredAgentClockNs: exactFromWire('probe_answer.answered', body.value.answeredAgentClockNs),
      };
    case 'heartbeat':
      return { kind: 'heartbeat', seq: exactFromWire('heartbeat.seq', body.value.seq) };
    case 'armed':
      return {
        kind: 'armed',
        run: runFromProto('armed.run', body.value.run),
        clientName: textFromWire('armed.client_name', body.value.clientName, NAME_LENGTH_MAX),
        pacing: textFromWire('armed.pacing', body.value.pacing, REASON_LENGTH_MAX),
      };
    case 'armRefused':
      return { kind: 'arm-refused', ...runAndReason('arm_refused', body.value) };
    case 'started':
      return {
        kind: 'started',
        run: runFromProto('started.run', body.value.run),
        aheadNs: exactFromWire('started.ahead_ns', body.value.aheadNs),
      };
    case 'startRefused':
      return { kind: 'start-refused', ...runAndReason('start_refused', body.value) };
    case 'draining':
      return { kind: 'draining', ...runAndReason('draining', body.value) };
    case 'leave':
      return { kind: 'leave', reason: body.value.reason };
    case undefined:
      throw new FleetError('protocol', 'agent message without a body that this build knows');
    default:
      return assertNever(body);
  }
}

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

function agentBody(message: AgentMessage): pb.AgentMessage['body'] {
  switch (message.kind) {
    case 'join':
      return { case: 'join', value: joinToProto(message) };
    case 'probe-answer':
      return {
        case: 'probeAnswer',
        value: create(pb.ProbeAnswerSchema, {
          id: exactToWire('probe_answer.id', message.id),
          receivedAgentClockNs: exactToWire('probe_answer.received', message.receivedAgentClockNs),
          answeredAgentClockNs: exactToWire('probe_answer.answered', message.answeredAgentClockNs),
        }),
      };
    case 'heartbeat':
      return {
        case: 'heartbeat',
        value: create(pb.HeartbeatSchema, { seq: exactToWire('heartbeat.seq', message.seq) }),
      };
    case 'armed':
      return { case: 'armed', value: create(pb.ArmedSchema, withoutKind(message)) };
    case 'arm-refused':
      return { case: 'armRefused', value: create(pb.ArmRefusedSchema, withoutKind(message)) };
    case 'started':
      return {
        case: 'started',
        value: create(pb.StartedSchema, {
          run: message.run,
          aheadNs: exactToWire('started.ahead_ns', message.aheadNs),
        }),
      };
    case 'start-refused':
      return { case: 'startRefused', value: create(pb.StartRefusedSchema, withoutKind(message)) };
    case 'draining':
      return { case: 'draining', value: create(pb.DrainingSchema, withoutKind(message)) };
    case 'leave':
      return { case: 'leave', value: create(pb.LeaveSchema, withoutKind(message)) };
    default:
      return assertNever(message);
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

function joinToProto(join: Join): pb.Join {
  const { kind: _kind, region, current, labels, ...rest } = join;
  return create(pb.JoinSchema, {
    ...rest,
    labels: { ...labels },
    ...(region === null ? {} : { region }),
    ...(current === null ? {} : { current }),
  });
}

function joinFromProto(join: pb.Join): Join {
  const name = (field: string, value: string): string => textFromWire(`join.${field}`, value, NAME_LENGTH_MAX);
  for (const [key, value] of Object.entries(join.labels)) {
    name('labels', key);
    name(`labels[${key}]`, value);
  }
  if (join.agentId === '' || join.incarnation === '') {
    throw new FleetError('protocol', 'join: agent_id and incarnation must not be empty');
  }
  return {
    kind: 'join',
    protocol: join.protocol,
    agentId: name('agent_id', join.agentId),
    incarnation: name('incarnation', join.incarnation),
    region: join.region === undefined ? null : name('region', join.region),
    labels: { ...join.labels },
    cores: join.cores,
    workers: join.workers,
    nodeVersion: name('node_version', join.nodeVersion),
    loadfleetVersion: name('loadfleet_version', join.loadfleetVersion),
    goldenDigest: name('golden_digest', join.goldenDigest),
    current: join.current === undefined ? null : runFromProto('join.current', join.current),
  };
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

function runFromProto(field: string, run: pb.RunKey | undefined): RunKey {
  const { runId, trial } = requiredFromWire(field, run);
  return { runId: textFromWire(`${field}.run_id`, runId, NAME_LENGTH_MAX), trial };
}

function runAndReason(
  field: string,
  value: { readonly run?: pb.RunKey | undefined; readonly reason: string },
): { readonly run: RunKey; readonly reason: string } {
  return {
    run: runFromProto(`${field}.run`, value.run),
    reason: textFromWire(`${field}.reason`, value.reason, REASON_LENGTH_MAX),
  };
}

/** The fields of a message whose wire form has the same names. */
function withoutKind<M extends { readonly kind: string }>(message: M): Omit<M, 'kind'> {
  const { kind: _kind, ...fields } = message;
  return fields;
}
