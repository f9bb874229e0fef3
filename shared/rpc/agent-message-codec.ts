/**
 * What an agent says on the Control stream, between its domain form and the generated one. Every number that comes in is checked; a
 * message that makes no sense throws `FleetError('protocol')`, which ends that one stream and nothing else.
 */
import { create } from '@bufbuild/protobuf';
import * as pb from '../../proto/gen/loadfleet/v1/control_pb.ts';
import { assertNever } from '../assert-never.ts';
import { FleetError } from '../fleet-error.ts';
import { NAME_LENGTH_MAX, REASON_LENGTH_MAX, runAndReason, runFromProto, withoutKind } from './control-fields.ts';
import type { AgentMessage, Join } from './control-message.ts';
import { exactFromWire, exactToWire, textFromWire } from './wire-integer.ts';

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
